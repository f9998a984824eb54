"""What is found of each n-gram of a reference: by hand, and adding up to BLEU's matches."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mgsa.analysis.ngram_recall import shares_found
from mgsa.analysis.phrasal_patterns import matches, ngram_statistics

sentences = st.lists(st.sampled_from("abcd"), min_size=1, max_size=12)


@pytest.mark.parametrize(
    ("hypothesis", "shares"),
    [
        # the reference: the dog sees the cat; its words, "the dog", "sees the cat", all of it
        ("the dog sees the cat", [1, 1, 1, 1, 1, 1, 1, 1]),
        ("a bird", [0, 0, 0, 0, 0, 0, 0, 0]),
        ("", [0, 0, 0, 0, 0, 0, 0, 0]),
        # one "the" for two
        ("the dog", [0.5, 1, 0, 0.5, 0, 1, 0, 0]),
        # more than enough
        ("the the the dog", [1, 1, 0, 1, 0, 1, 0, 0]),
        ("cat the sees dog", [0.5, 1, 1, 0.5, 1, 0, 0, 0]),
        ("then she sees the cat", [0.5, 0, 1, 0.5, 1, 0, 1, 0]),
    ],
)
def test_shares_by_hand(hypothesis: str, shares: list[float]) -> None:
    words = [(i, i + 1) for i in range(5)]
    spans = [*words, (0, 2), (2, 5), (0, 5)]
    found = shares_found(spans, ["the", "dog", "sees", "the", "cat"], [hypothesis.split()])
    assert found.tolist() == [shares]


@given(sentences, st.lists(sentences, min_size=1, max_size=3))
def test_shares_of_all_places_add_up_to_clipped_matches(
    reference: list[str], hypotheses: list[list[str]]
) -> None:
    for size in range(1, 4):
        spans = [(i, i + size) for i in range(len(reference) - size + 1)]
        sums = shares_found(spans, reference, hypotheses).sum(axis=1)
        for words, found in zip(hypotheses, sums, strict=True):
            counts = ngram_statistics(
                [" ".join(words)], [" ".join(reference)], tokenizer="none", max_ngram=3
            )
            assert found == pytest.approx(matches(counts)[0, size - 1])


def test_no_places_no_shares() -> None:
    assert np.array_equal(shares_found([], ["a"], [["a"], ["b"]]), np.zeros((2, 0)))
