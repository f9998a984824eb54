"""Counts, scores and recall of n-grams: by hand, and as sacreBLEU has them."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.statistics.ngrams import ngram_statistics, recall_of_spans, restricted_bleu

sentences = st.lists(st.sampled_from(["a", "b", "c", "d,", "e."]), max_size=12).map(" ".join)
tokens = st.lists(st.sampled_from("abcd"), min_size=1, max_size=12)
corpora = st.lists(st.tuples(sentences, sentences), min_size=1, max_size=8)


@pytest.mark.parametrize(
    ("hypothesis", "reference", "matched", "counted", "bleu"),
    [
        # repeats are clipped: two "the" of five, no "the the" of three
        ("the the the the cat the", "the cat the", [3, 2, 1, 0], [6, 5, 4, 3], [50, 40, 25, 0]),
        # two words for four: exp(1 - 4 / 2) of all right
        ("a b", "a b c d", [2, 1, 0, 0], [2, 1, 0, 0], [100 / math.e, 100 / math.e, 0, 0]),
        # longer than the reference: no penalty
        ("a b c d", "a b", [2, 1, 0, 0], [4, 3, 2, 1], [50, 100 / 3, 0, 0]),
        # nothing
        ("", "a b", [0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0]),
        # case counts
        ("A b", "a b", [1, 0, 0, 0], [2, 1, 0, 0], [50, 0, 0, 0]),
    ],
)
def test_a_sentence_by_hand(
    hypothesis: str, reference: str, matched: list[int], counted: list[int], bleu: list[float]
) -> None:
    found = ngram_statistics([hypothesis], [[reference]], tokenizer="13a", max_ngram=4)
    assert found[0, :, :2].T.tolist() == [matched, counted]
    assert restricted_bleu(found)[0].tolist() == pytest.approx(bleu)


@pytest.mark.parametrize(
    ("hypothesis", "shares"),
    [
        # the reference: the dog sees the cat; its words, "the dog", "sees the cat", all of it
        ("", [0, 0, 0, 0, 0, 0, 0, 0]),
        # one "the" for two
        ("the dog", [0.5, 1, 0, 0.5, 0, 1, 0, 0]),
        # more than enough
        ("the the the dog", [1, 1, 0, 1, 0, 1, 0, 0]),
        ("then she sees the cat", [0.5, 0, 1, 0.5, 1, 0, 1, 0]),
    ],
)
def test_recall_by_hand(hypothesis: str, shares: list[float]) -> None:
    words = [(i, i + 1) for i in range(5)]
    spans = [*words, (0, 2), (2, 5), (0, 5)]
    found = recall_of_spans(spans, ["the", "dog", "sees", "the", "cat"], [hypothesis.split()])
    assert found.tolist() == [shares]


@given(tokens, st.lists(tokens, min_size=1, max_size=3))
def test_shares_of_all_places_add_up_to_clipped_matches(
    reference: list[str], hypotheses: list[list[str]]
) -> None:
    for size in range(1, 4):
        spans = [(i, i + size) for i in range(len(reference) - size + 1)]
        sums = recall_of_spans(spans, reference, hypotheses).sum(axis=1)
        for words, found in zip(hypotheses, sums, strict=True):
            counts = ngram_statistics(
                [" ".join(words)], [[" ".join(reference)]], tokenizer="none", max_ngram=3
            )
            assert found == pytest.approx(counts[0, size - 1, 0])
