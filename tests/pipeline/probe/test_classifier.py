"""Classifiers, single probes, and probes of made-up rows: what is learned, and from what alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch

from mgsa.cli.settings import from_mapping
from mgsa.config import TransformerConfig
from mgsa.data.batch import Row, RowColumns
from mgsa.data.ragged import Ragged
from mgsa.model.build import build_model
from mgsa.model.encoder_decoder import EncoderDecoder
from pipeline.probe.classifier import Classifier, Probe, ProbeResult, labelled, run_probes
from pipeline.probe.encoder import ProbedEncoder, scratch_config, scratch_encoder
from pipeline.probe.examples import Example, make_examples
from tests.probing_folders import probe_config
from tests.training_settings import MODEL

VOCABULARY = 12
CLASSES = {"voice": 2, "pos": VOCABULARY}
SIZES = {"train": 120, "valid": 40, "test": 60}


def words_and_sentence(subwords: int) -> list[list[int]]:
    """The lengths of a sentence's phrases of two levels."""
    return [[1] * subwords, [subwords]]


def rows_of(
    count: int,
    seed: int,
    *,
    shuffled: bool = False,
    phrases: Callable[[int], list[list[int]]] = words_and_sentence,
) -> RowColumns:
    """Sentences of random subwords; voice is whether the first half of them is first, pos each."""
    generator = np.random.default_rng(seed)
    sentences = [generator.integers(4, VOCABULARY, generator.integers(2, 8)) for _ in range(count)]
    voice, pos = np.array([int(sentence[0] < 8) for sentence in sentences]), sentences
    if shuffled:
        voice = generator.integers(0, 2, count)
        pos = [generator.integers(4, VOCABULARY, len(sentence)) for sentence in sentences]
    rows: list[Row] = []
    for sentence in sentences:
        levels = phrases(len(sentence))
        tags = [[0] * len(lengths) for lengths in levels]
        rows.append(Row(len(rows), sentence.tolist(), (), [1] * len(sentence), levels, tags))
    return replace(RowColumns.of(rows), labels={"voice": voice, "pos": Ragged.of(pos)})


def model_config(**changes: Any) -> TransformerConfig:
    return from_mapping(TransformerConfig, MODEL | {"share_embeddings": "none"} | changes, "model")


def splits_of(
    model: EncoderDecoder, *, shuffled: bool = False, batch_tokens: int = 100
) -> dict[str, list[Example]]:
    return {
        split: make_examples(
            rows_of(size, seed, shuffled=shuffled), list(CLASSES), model, batch_tokens=batch_tokens
        )
        for seed, (split, size) in enumerate(SIZES.items())
    }


def frozen(layers: Any = "last", **more: Any) -> ProbedEncoder:
    config = model_config()
    torch.manual_seed(1)
    model = build_model(
        config, source_vocabulary=VOCABULARY, target_vocabulary=VOCABULARY, num_tags=2
    )
    return ProbedEncoder(model, config, layers=layers, **more)


def scratch(name: str) -> ProbedEncoder:
    torch.manual_seed(1)
    sizes = scratch_config(name, [model_config()], probe_config().scratch)
    return scratch_encoder(sizes, VOCABULARY)


def probed(
    encoder: ProbedEncoder,
    splits: Mapping[str, Sequence[Example]] | None = None,
    classes: Mapping[str, int] = CLASSES,
    **changes: Any,
) -> dict[tuple[str, int], ProbeResult]:
    config = probe_config(**{"max_epochs": 12, "patience": 4, "hidden": 32} | changes)
    results = run_probes(encoder, splits or splits_of(encoder.model), classes, config)
    return {(result.task, result.layer): result for result in results}


def accuracy(result: ProbeResult) -> float:
    return float(result.right.sum() / result.counted.sum())


def test_vectors_are_positions_with_a_label_or_means_without_padding() -> None:
    states = torch.tensor([[[1.0], [3.0], [float("nan")]], [[2.0], [4.0], [9.0]]])
    mask = torch.tensor([[True, True, False], [True, True, True]])[:, None, None]
    for labels, *expected in (
        ([[4, -1, -1], [-1, 0, 2]], [[1], [4], [9]], [4, 0, 2], [0, 1, 1]),
        ([3, -1], [[2]], [3], [0]),
        ([-1, 1], [[5]], [1], [1]),
    ):
        found = labelled(states, mask, torch.tensor(labels))
        assert [part.tolist() for part in found] == expected


def test_dropout_keeps_the_mean() -> None:
    classifier = Classifier(4, 3, hidden=64, dropout=0.5)
    x, generator = torch.randn(5, 4), torch.Generator().manual_seed(1)
    drawn = torch.stack([classifier(x, generator=generator) for _ in range(500)])
    assert torch.allclose(drawn.mean(dim=0), classifier(x), atol=0.1)


@pytest.fixture
def probe() -> Probe:
    config = probe_config(learning_rate=0.05, patience=2, dropout=0.0, hidden=8)
    return Probe("voice", 0, 2, frozen(), config)


def test_the_first_of_the_best_weights_are_restored(probe: Probe) -> None:
    bias = probe.classifier.output.bias
    for value, accuracy in enumerate([0.5, 0.7, 0.7, 0.6]):
        assert not probe.finished
        torch.nn.init.constant_(bias, value)
        probe.note(accuracy)
    assert probe.finished
    probe.restore()
    assert bias.tolist() == [1, 1]


def test_what_has_no_label_teaches_nothing_and_does_not_count(probe: Probe) -> None:
    states, mask = torch.randn(4, 1, model_config().dim), torch.ones(4, 1, 1, 1, dtype=torch.bool)
    before = probe.classifier.output.bias.clone()
    probe.update(states, mask, torch.full((4,), -1))
    assert torch.equal(before, probe.classifier.output.bias)
    _, counted = probe.right(states, mask, torch.tensor([0, -1, 1, 0]))
    assert counted.tolist() == [1, 0, 1, 1]


def test_a_probe_learns_what_states_tell_and_a_frozen_encoder_stays_as_it_is() -> None:
    encoder = frozen()
    before = {name: weight.clone() for name, weight in encoder.model.state_dict().items()}
    told = probed(encoder)
    assert accuracy(told["pos", 2]) > 0.95
    assert all(torch.equal(before[name], w) for name, w in encoder.model.state_dict().items())
    assert all(weight.grad is None for weight in encoder.model.parameters())
    assert not encoder.model.training


def test_labels_that_nothing_tells_are_told_by_chance() -> None:
    """Whoever sees a label of the test split, or its sentences in training, does better."""
    encoder = frozen()
    told = probed(encoder, splits_of(encoder.model, shuffled=True))
    assert accuracy(told["pos", 2]) < 2 / 8
    assert 0.3 < accuracy(told["voice", 2]) < 0.7


def test_counts_are_in_the_order_of_the_split_whatever_the_batches() -> None:
    rows = rows_of(SIZES["test"], 2)
    results = probed(frozen(), max_epochs=2)
    assert results["pos", 2].counted.tolist() == rows.source.lengths.tolist()
    assert (results["voice", 2].counted == 1).all()
    # One sentence a batch, so no padding; trained on the same batches.
    encoder = frozen()
    alone = splits_of(encoder.model) | {"test": splits_of(encoder.model, batch_tokens=1)["test"]}
    for key, result in probed(encoder, alone, max_epochs=2).items():
        assert result.right.tolist() == results[key].right.tolist()


def test_every_layer_has_a_probe_that_learns_as_if_it_were_alone() -> None:
    everything = probed(frozen("all"), max_epochs=2)
    assert list(everything) == [("voice", 1), ("pos", 1), ("voice", 2), ("pos", 2)]
    last = probed(frozen(), max_epochs=2)
    assert everything["pos", 2].right.tolist() == last["pos", 2].right.tolist()
    alone = probed(frozen(), classes={"voice": 2}, max_epochs=2)
    assert alone["voice", 2].right.tolist() == last["voice", 2].right.tolist()
    assert everything["pos", 1].right.tolist() != everything["pos", 2].right.tolist()


def test_states_that_are_not_cached_are_the_same() -> None:
    cached, computed = (probed(frozen(**more), max_epochs=2) for more in ({}, {"cache_bytes": 0}))
    assert cached["pos", 2].right.tolist() == computed["pos", 2].right.tolist()


@pytest.mark.parametrize(
    ("name", "granularities", "interaction"),
    [
        ("scratch_transformer", (), None),
        ("scratch_ngram", ("ngram_2", "ngram_3"), "none"),
        ("scratch_syntactic", ("syntactic_1", "syntactic_2"), "none"),
        ("scratch_syntactic_on_lstm", ("syntactic_1", "syntactic_2"), "on_lstm"),
    ],
)
def test_an_encoder_from_scratch_learns_with_its_probe(
    name: str, granularities: tuple[str, ...], interaction: str | None
) -> None:
    sizes = scratch_config(name, [model_config()], probe_config().scratch)
    multi = sizes.multi_granularity
    assert (multi.interaction if multi else None) == interaction
    if multi:
        assert (multi.group_heads, multi.tags) == ((2, 1, 1), False)
    encoder = scratch(name)
    assert encoder.model.granularities == granularities
    # Phrases of level 1 are single words here, which no query weighs.
    names = {weight: name for name, weight in encoder.model.named_parameters()}
    weights = [w for w in encoder.learned if not names[w].endswith("syntactic_1.query.weight")]
    before = [weight.clone() for weight in weights]
    told = probed(encoder, classes={"pos": VOCABULARY})
    assert accuracy(told["pos", 2]) > 0.95
    learned = [not torch.equal(*pair) for pair in zip(before, weights, strict=True)]
    assert all(learned)


def states_of(encoder: ProbedEncoder, phrases: Callable[[int], list[list[int]]]) -> torch.Tensor:
    """The states of all positions of sentences that have these phrases."""
    rows = rows_of(20, 5, phrases=phrases)
    found = []
    for example in make_examples(rows, [], encoder.model, batch_tokens=100):
        (states,), mask = encoder.states(example, training=False)
        found.append(states[mask[:, 0, 0]])
    return torch.cat(found)


@pytest.mark.parametrize("level", [0, 1])
def test_an_encoder_with_phrases_sees_where_they_begin_and_end(level: int) -> None:
    """Other phrases of either level change the states, of words that stay as they are."""

    def others(subwords: int) -> list[list[int]]:
        phrases = words_and_sentence(subwords)
        phrases[level] = [1, subwords - 1]
        return phrases

    encoder = scratch("scratch_syntactic_on_lstm")
    states = states_of(encoder, words_and_sentence)
    assert not torch.allclose(states, states_of(encoder, others), atol=1e-3)
    words_alone = scratch("scratch_transformer")
    assert torch.equal(states_of(words_alone, words_and_sentence), states_of(words_alone, others))
