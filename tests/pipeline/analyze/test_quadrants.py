"""Shares of attention: fixed where heads are dealt out, and padding has none."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
import torch

from mgsa.config import ModelConfig, TransformerConfig
from mgsa.data.batch import Row
from mgsa.model.encoder_decoder import EncoderDecoder
from pipeline.analyze.quadrants import PLACES, attention_shares, by_quadrant, quadrant, weights_of
from tests.random_rows import MODELS, batch_of, mgsa, phrase_attention, random_model, random_row


def rows_of(*lengths: tuple[int, int]) -> list[Row]:
    generator = random.Random(1)
    return [random_row(generator, s, target_length=t) for s, t in lengths]


def shares_of(model: EncoderDecoder, *batches: list[Row]) -> dict[Any, list[dict[str, float]]]:
    made = [batch_of(model, rows) for rows in batches]
    return attention_shares(model, made, torch.device("cpu"))


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("words", "token_to_token"),
        ("syntactic_1", "token_to_phrase"),
        ("ngram_2", "token_to_phrase"),  # of MG-SA
        ("ngram_1", "token_to_token"),
        ("ngram_1_to_ngram_1", "token_to_token"),
        ("ngram_1_to_ngram_3", "token_to_phrase"),
        ("ngram_2_to_ngram_1", "phrase_to_token"),
        ("ngram_2_to_ngram_2", "phrase_to_phrase"),
    ],
)
def test_names_of_weights_tell_their_quadrant(name: str, expected: str) -> None:
    assert quadrant(name) == expected
    assert (
        list(by_quadrant({name: 0.5, "words": 0.25})) == sorted({expected, "token_to_token"})[::-1]
    )


@pytest.mark.parametrize("config", MODELS.values(), ids=MODELS)
def test_padding_and_batches_make_no_difference(config: ModelConfig) -> None:
    model = random_model(config)
    rows = rows_of((7, 2), (1, 6), (4, 0), (2, 5))
    together, one_by_one = shares_of(model, rows), shares_of(model, *([row] for row in rows))
    transformer = isinstance(config, TransformerConfig)
    for place in PLACES:
        assert len(together[place]) == (2 if transformer else place == "cross")
        for ours, theirs in zip(together[place], one_by_one[place], strict=True):
            assert ours == pytest.approx(theirs, rel=1e-12)
            assert sum(ours.values()) == pytest.approx(1)


@pytest.mark.parametrize("structure", ["heterogeneous", "interleaved"])
def test_shares_are_those_of_the_weights(structure: str) -> None:
    """Summed up by hand, of a single sentence, which has no padding."""
    model = random_model(phrase_attention("query_k", structure))  # type: ignore[arg-type]
    (row,) = rows_of((5, 3))
    shares = shares_of(model, [row])
    with torch.no_grad():
        output = model(batch_of(model, [row]), need_weights=True)
    for place in PLACES:
        for layer, weights in enumerate(weights_of(output, place)):
            sums = {name: float(np.sum(w.numpy())) for name, w in weights.items()}
            expected = {name: value / sum(sums.values()) for name, value in sums.items()}
            assert shares[place][layer] == pytest.approx(expected)
            assert all(0 < share < 1 for share in expected.values())


def test_dealt_out_heads_have_their_shares() -> None:
    rows = rows_of((6, 4), (3, 5))
    syntactic = shares_of(random_model(mgsa()), rows)
    assert syntactic["encoder"][0] == pytest.approx(
        {"words": 0.25, "syntactic_1": 0.25, "syntactic_2": 0.25, "syntactic_3": 0.25}
    )
    assert syntactic["encoder"][1] == syntactic["decoder"][0] == {"words": 1.0}
    homogeneous = shares_of(random_model(phrase_attention("conv_kv", "homogeneous")), rows)
    for place in PLACES:
        assert homogeneous[place][0] == pytest.approx(
            {"ngram_1_to_ngram_1": 0.5, "ngram_1_to_ngram_2": 0.5}
        )
