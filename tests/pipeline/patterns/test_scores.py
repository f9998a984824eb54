"""Scores by n-gram, length and category, and the rows of their tables."""

from __future__ import annotations

import random

import numpy as np
import pytest

from mgsa.analysis.bootstrap import Bootstrap
from mgsa.analysis.ngrams import ngram_statistics, precision, restricted_bleu
from pipeline.patterns.categories import CategoryCounts
from pipeline.patterns.scores import category_scores, length_scores, ngram_scores, rows_of

SENTENCES, RESAMPLES = 30, Bootstrap(30, 50, 1)
LENGTHS = np.array([3] * 10 + [4] * 5 + [9] * 14 + [30])


@pytest.fixture(scope="module")
def statistics() -> np.ndarray:
    """(N, 2 systems, statistics of n up to 3)"""
    generator = random.Random(8)

    def texts(count: int) -> list[str]:
        return [" ".join(generator.choices("abc", k=generator.randint(2, 9))) for _ in range(count)]

    references = texts(SENTENCES)
    systems = [
        ngram_statistics(texts(SENTENCES), references, tokenizer="none", max_ngram=3)
        for _ in range(2)
    ]
    return np.stack(systems, axis=1)


def test_ngrams_have_a_row_for_each_system_measure_and_size(statistics: np.ndarray) -> None:
    rows = rows_of(ngram_scores(statistics, RESAMPLES), ["one", "other"], None)
    assert [(row["system"], row["measure"], row["n"]) for row in rows] == [
        (system, measure, n)
        for system in ("one", "other")
        for measure in ("precision", "bleu")
        for n in (1, 2, 3)
    ]
    assert set(rows[0]) == {
        *("system", "n", "measure", "matches", "ngrams", "score", "score_low", "score_high")
    }
    total = statistics.sum(axis=0)
    for row in rows:
        system, n = int(row["system"] == "other"), row["n"]
        measure = {"precision": precision, "bleu": restricted_bleu}[row["measure"]]
        assert row["score"] == pytest.approx(measure(total)[system, n - 1], abs=1e-6)
        assert row["matches"] == total[system, 1 + n]
        assert row["ngrams"] == total[system, 4 + n]
        assert row["score_low"] < row["score"] < row["score_high"]


def test_sentences_that_differ_are_counted_for_each_score(statistics: np.ndarray) -> None:
    """A longer translation changes BLEU of all sizes, another pair of words what is of pairs."""
    same = np.repeat(statistics[:, :1], 3, axis=1)
    same[:2, 1, 0] += 1  # one word more in two sentences
    same[4, 2, 3] += 1  # one match more of pairs
    scores = ngram_scores(same, RESAMPLES)
    assert scores.differing(0).tolist() == [
        [0, 0, 0, 0, 0, 0],
        [0, 0, 0, 2, 2, 2],
        [0, 1, 0, 0, 1, 0],
    ]
    assert scores.differing(1)[2].tolist() == [0, 1, 0, 2, 3, 2]
    by_length = length_scores(same, LENGTHS, [3], RESAMPLES).differing(0)
    assert by_length.reshape(3, 2, 6).sum(axis=1).tolist() == scores.differing(0).tolist()
    assert not by_length[:, 6:].any()  # all of them are among the short ones
    rows = rows_of(scores, ["base", "one", "other"], "base")
    assert {row["p_value"] for row in rows if row["system"] != "one"} == {1}
    assert min(row["p_value"] for row in rows) >= 0.5


def test_lengths_are_those_of_the_sentences_in_a_bin(statistics: np.ndarray) -> None:
    """10 of up to 3 words, 5 of 4, 14 of 9 and one of 30; none of 5 to 8."""
    scores = length_scores(statistics, LENGTHS, [3, 4, 8, 10], RESAMPLES)
    rows = rows_of(scores, ["one", "other"], None)
    bins = {"1-3": slice(0, 10), "4": slice(10, 15), "9-10": slice(15, 29), "11+": slice(29, 30)}
    assert list(dict.fromkeys(row["source_words"] for row in rows)) == list(bins)
    for name, sentences in bins.items():
        total = statistics[sentences].sum(axis=0)
        for row in rows:
            if row["source_words"] == name and row["measure"] == "precision":
                system = int(row["system"] == "other")
                expected = precision(total)[system, row["n"] - 1]
                assert row["score"] == pytest.approx(expected, abs=1e-6)
                assert row["sentences"] == len(LENGTHS[sentences])
    # All resamples that have the only long sentence give it the same score; the rest give none.
    long = next(row for row in rows if row["source_words"] == "11+")
    assert long["score_low"] == long["score"] == long["score_high"] > 0


def test_a_baseline_is_what_the_others_differ_from(statistics: np.ndarray) -> None:
    rows = rows_of(ngram_scores(statistics, RESAMPLES), ["one", "base"], "base")
    for one, base in zip(rows[:6], rows[6:], strict=True):
        assert one["difference"] == pytest.approx(one["score"] - base["score"], abs=2e-6)
        assert one["difference_low"] <= one["difference"] <= one["difference_high"]
        assert 0 < one["p_value"] <= 1
        assert one["baseline"] == base["baseline"] == "base"
        assert [base[name] for name in ("difference", "difference_low", "p_value")] == [0, 0, 1]


def test_categories_have_their_share_of_what_was_found() -> None:
    counts = CategoryCounts(
        cells=[("1", "all"), ("1", "NN"), ("phrase", "NP")],
        counted=np.array([[4.0, 3, 0], [2, 1, 0], [2, 2, 1]]),
        found=np.array([[[2.0, 1.5, 0]], [[1, 0, 0]], [[2, 2, 1 / 3]]]),
    )
    rows = rows_of(category_scores(counts, Bootstrap(3, 100, 1)), ["one"], None)
    assert [(r["n"], r["category"], r["matches"], r["ngrams"], r["score"]) for r in rows] == [
        ("1", "all", 5, 8, 62.5),
        ("1", "NN", 3.5, 6, 58.333333),
        ("phrase", "NP", 0.333333, 1, 33.333333),
    ]
    # Resamples without the third sentence have no phrase to find.
    assert (rows[2]["score_low"], rows[2]["score_high"]) == (33.333333, 33.333333)
    draws_no_third = next(
        seed for seed in range(99) if 2 not in np.random.default_rng(seed).choice(3, size=(2, 3))
    )
    *_, phrases = rows_of(category_scores(counts, Bootstrap(3, 2, draws_no_third)), ["one"], None)
    assert (phrases["score"], phrases["score_low"]) == (33.333333, None)
