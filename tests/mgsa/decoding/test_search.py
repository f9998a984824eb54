"""Beam search on whole models: caches and batches change nothing."""

from __future__ import annotations

import copy
import random
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
import torch

from mgsa.config import DEFAULT_TRANSLATE_CONFIG
from mgsa.data.batch import Row
from mgsa.decoding.beam import Hypothesis, search_batch
from mgsa.model.encoder_decoder import EncoderDecoder
from tests.random_rows import MODELS, VOCABULARY, batch_of, random_model, some_rows

CONFIG = replace(DEFAULT_TRANSLATE_CONFIG, beam=4, max_length_ratio=1.5, max_length_extra=3)


def model_of(name: str, *, seed: int = 0) -> EncoderDecoder:
    """A model that has preferences.

    Output vectors are not the embeddings, or it would repeat what was said last.
    """
    model = random_model(replace(MODELS[name], share_embeddings="none"), seed=seed)
    with torch.no_grad():
        model.output.weight.mul_(3)
    return model


@pytest.fixture(scope="module", params=list(MODELS))
def model(request: pytest.FixtureRequest) -> EncoderDecoder:
    return model_of(request.param)


def search(model: EncoderDecoder, rows: Sequence[Row], **options: Any) -> list[list[Hypothesis]]:
    return search_batch([model], [batch_of(model, rows)], CONFIG, **options)


def assert_same(found: Sequence[Hypothesis], expected: Sequence[Hypothesis]) -> None:
    assert [one.ids for one in found] == [one.ids for one in expected]
    assert [one.score for one in found] == pytest.approx([one.score for one in expected], rel=1e-5)


ROWS = some_rows(5, 1, 7, 3, 6, 2)


def test_scores_are_the_models(model: EncoderDecoder) -> None:
    """What a hypothesis is said to cost is what the model says of it when it is the reference."""
    for hypotheses, row in zip(search(model, ROWS, n_best=2), ROWS, strict=True):
        for hypothesis in hypotheses:
            pair = replace(row, target=hypothesis.ids)
            batch = batch_of(model, [pair])
            log_probs = model(batch).logits[0].log_softmax(dim=-1)
            total = log_probs.gather(1, batch.target_output[0][:, None]).sum().item()
            penalty = ((5 + len(hypothesis.ids) + 1) / 6) ** CONFIG.length_penalty
            assert hypothesis.log_probability == pytest.approx(total, rel=1e-5)
            assert hypothesis.score == pytest.approx(total / penalty, rel=1e-5)


def test_ragged_prefixes_are_respected_and_one_by_one(model: EncoderDecoder) -> None:
    generator = random.Random(4)
    rows = ROWS[:4]
    prefixes = [generator.choices(range(3, VOCABULARY), k=n) for n in (0, 6, 2, 1)]
    assert len(prefixes[1]) > int(1.5 * len(rows[1].source)) + 3  # the longest of others
    together = search(model, rows, n_best=3, prefixes=prefixes)
    for found, row, prefix in zip(together, rows, prefixes, strict=True):
        assert all(list(one.ids[: len(prefix)]) == prefix for one in found)
        assert_same(found, search(model, [row], n_best=3, prefixes=[prefix])[0])


def test_weights_are_those_of_the_whole_target(model: EncoderDecoder) -> None:
    found = search(model, ROWS, n_best=2, need_weights=True)
    for hypotheses, row in zip(found, ROWS, strict=True):
        for hypothesis in hypotheses:
            pair = replace(row, target=hypothesis.ids)
            batch = batch_of(model, [pair])
            layers = model(batch, need_weights=True).cross_weights
            expected = {
                f"layer_{number}.{name}": weights[0].transpose(0, 1)
                for number, layer in enumerate(layers, start=1)
                for name, weights in layer.items()
            }
            assert hypothesis.weights.keys() == expected.keys()
            for name, weights in expected.items():
                seen = torch.from_numpy(hypothesis.weights[name])
                torch.testing.assert_close(seen[:, :, : weights.shape[2]], weights.float())
                assert not seen[:, :, weights.shape[2] :].any()


@pytest.mark.parametrize("second", ["syntactic, max-pooling", "RNN, key-value"])
def test_models_of_different_kinds_translate_together(second: str) -> None:
    """Each sees its own batch; their order changes nothing, and neither has all the say."""
    one, other = model_of("transformer"), model_of(second, seed=1)
    batches = [batch_of(m, ROWS) for m in (one, other)]
    both = search_batch([one, other], batches, CONFIG)
    reverse = search_batch([other, one], batches[::-1], CONFIG)
    for (found,), (expected,) in zip(both, reverse, strict=True):
        assert_same([found], [expected])
    for model, batch in zip((one, other), batches, strict=True):
        alone = search_batch([model], [batch], CONFIG)
        assert [found.ids for (found,) in both] != [found.ids for (found,) in alone]


@pytest.mark.gpu
def test_a_gpu_finds_what_the_cpu_finds(model: EncoderDecoder) -> None:
    batch = batch_of(model, ROWS)
    expected = search_batch([model], [batch], CONFIG, n_best=4)
    device = torch.device("cuda")
    on_gpu = copy.deepcopy(model).to(device)
    found = search_batch([on_gpu], [batch.to(device)], CONFIG, n_best=4)
    for hypotheses, others in zip(found, expected, strict=True):
        assert_same(hypotheses, others)
