"""What stands on the axes of a heat map, and that the weights are at their labels."""

from __future__ import annotations

import pytest
import torch

from mgsa.config import ModelConfig
from mgsa.data.batch import Row, make_batch
from mgsa.data.vocabulary import Vocabulary
from mgsa.model.build import build_model
from pipeline.analyze.heat_maps import HeatMap, heat_maps
from tests.random_rows import NUM_TAGS, VOCABULARY, mgsa, phrase_attention

SUBWORDS = ["a", "te@@", "les@@", "cope", "s@@", "ees", "man", "the"]
SYMBOLS = Vocabulary.of([*SUBWORDS, *(f"x{i}" for i in range(VOCABULARY - 12))])
SENTENCE = Row(
    index=0,
    source=SYMBOLS.encode(["a", "te@@", "les@@", "cope"]),
    target=SYMBOLS.encode(["the", "man"]),
    subwords_per_word=[1, 3],
    phrase_lengths=[[4], [1, 3], [1, 3]],
    phrase_tags=[[0], [1, 2], [1, 2]],
)
SOURCE = ("a", "te@@", "les@@", "cope", "</s>")
INTERLEAVED = phrase_attention("query_k", "interleaved")
CONVOLVED = phrase_attention("conv_kv", "homogeneous", ngrams=(1, 3))


def maps_of(config: ModelConfig) -> dict[tuple[str, int], HeatMap]:
    torch.manual_seed(0)
    model = build_model(
        config, source_vocabulary=len(SYMBOLS), target_vocabulary=len(SYMBOLS), num_tags=NUM_TAGS
    ).eval()
    batch = make_batch([SENTENCE], model.granularities, ngram_unit="subword")
    with torch.no_grad():
        output = model(batch, need_weights=True)
    found = heat_maps(output, batch, (SYMBOLS, SYMBOLS))
    return {(drawn.place, drawn.layer): drawn for drawn in found}


BIGRAMS = ("a te@@", "te@@ les@@", "les@@ cope", "cope </s>")


@pytest.mark.parametrize(
    ("config", "place", "axis", "part", "labels"),
    [
        (mgsa(), "encoder", "keys", "words", SOURCE),
        (mgsa(), "decoder", "queries", "words", ("<s>", "the", "man")),
        (mgsa(), "cross", "queries", "words", ("the", "man", "</s>")),
        (mgsa(), "cross", "keys", "words", SOURCE),
        (mgsa(), "encoder", "keys", "syntactic_1", ("a telescope", "</s>")),
        (mgsa(), "encoder", "keys", "syntactic_3", ("a", "telescope", "</s>")),
        # n-grams of subwords keep their marks
        (
            mgsa(("ngram_2", "ngram_3", "ngram_4")),
            "encoder",
            "keys",
            "ngram_3",
            ("a teles@@", "cope", "</s>"),
        ),
        (INTERLEAVED, "encoder", "queries", "2-grams", BIGRAMS),
        (INTERLEAVED, "encoder", "keys", "2-grams", BIGRAMS),
        (INTERLEAVED, "decoder", "keys", "2-grams", ("<s> the", "the man")),
        (INTERLEAVED, "cross", "queries", "2-grams", ("the man", "man </s>")),
        (INTERLEAVED, "cross", "keys", "2-grams", BIGRAMS),
        # padded n-grams show that they begin before the sentence
        (CONVOLVED, "decoder", "keys", "3-grams", ("· · <s>", "· <s> the", "<s> the man")),
    ],
)
def test_phrases_and_ngrams_are_written_out(
    config: ModelConfig, place: str, axis: str, part: str, labels: tuple[str, ...]
) -> None:
    assert getattr(maps_of(config)[place, 1], axis)[part] == labels


def test_weights_stand_at_their_labels() -> None:
    """All weights but those of one query and one key, of each part, are put to zero."""
    config = phrase_attention("conv_kv", "interleaved")
    torch.manual_seed(0)
    model = build_model(
        config, source_vocabulary=len(SYMBOLS), target_vocabulary=len(SYMBOLS), num_tags=1
    ).eval()
    batch = make_batch([SENTENCE], (), ngram_unit="subword")
    with torch.no_grad():
        output = model(batch, need_weights=True)
    # Position 2 of the target is `</s>`, which a bigram query of positions 1 and 2 also ends at.
    for name, weights in output.cross_weights[0].items():
        span, size = int(name[6]), int(name[-1])
        weights.zero_()
        weights[..., 2, 3] = span * 10 + size  # key position 3 is `cope`
    maps = heat_maps(output, batch, (SYMBOLS, SYMBOLS))
    cross = next(drawn for drawn in maps if drawn.place == "cross")
    rows = [label for labels in cross.queries.values() for label in labels]
    columns = [label for labels in cross.keys.values() for label in labels]
    found = {
        (rows[row], columns[column]): float(cross.weights[row, column])
        for row, column in zip(*cross.weights.nonzero(), strict=True)
    }
    assert found == {
        ("</s>", "cope"): 11,
        ("</s>", "les@@ cope"): 12,
        ("man </s>", "cope"): 21,
        ("man </s>", "les@@ cope"): 22,
    }
