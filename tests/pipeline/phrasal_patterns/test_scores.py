"""Scores by n-gram, length and category, and the rows of their tables."""

from __future__ import annotations

import random

import numpy as np
import pytest

from pipeline.formats.tables import Row
from pipeline.phrasal_patterns.scores import Scores, length_scores, ngram_scores, rows_of
from pipeline.statistics.ngrams import ngram_statistics, restricted_bleu

SENTENCES, N_MAX = 30, 3
ALL = np.ones(SENTENCES, dtype=bool)
LENGTHS = np.array([3] * 10 + [4] * 5 + [9] * 14 + [30])


@pytest.fixture(scope="module")
def statistics() -> np.ndarray:
    """(N, 2 systems, n_max, 4)"""
    generator = random.Random(8)

    def texts(count: int) -> list[str]:
        return [" ".join(generator.choices("abc", k=generator.randint(2, 9))) for _ in range(count)]

    references = [[text] for text in texts(SENTENCES)]
    systems = [
        ngram_statistics(texts(SENTENCES), references, tokenizer="none", max_ngram=N_MAX)
        for _ in range(2)
    ]
    return np.stack(systems, axis=1)


def rows(scores: Scores, systems: list[str], baseline: str | None = None) -> list[Row]:
    return [*rows_of(scores, systems, baseline, samples=50, seed=1)]


def expected(statistics: np.ndarray, row: Row) -> float:
    """The score of a row of the first system or of `other`, from sums."""
    total = statistics.sum(axis=0)[int(row["system"] == "other"), row["n"] - 1]
    penalised = row["measure"] == "bleu"
    return float(restricted_bleu(total * [1, 1, penalised, penalised]))


def test_ngrams_have_a_row_for_each_system_measure_and_size(statistics: np.ndarray) -> None:
    table = rows(ngram_scores(statistics, ALL), ["one", "other"])
    assert [(row["system"], row["measure"], row["n"]) for row in table] == [
        (system, measure, n)
        for system in ("one", "other")
        for measure in ("precision", "bleu")
        for n in (1, 2, 3)
    ]
    assert list(table[0]) == [
        *("system", "n", "measure", "matches", "ngrams", "score", "score_low", "score_high")
    ]
    for row in table:
        assert row["score"] == pytest.approx(expected(statistics, row), abs=1e-6)
        assert row["score_low"] < row["score"] < row["score_high"]
    matches, ngrams, *_ = statistics.sum(axis=0)[1, 2]
    assert (table[-1]["matches"], table[-1]["ngrams"]) == (matches, ngrams)


def test_sentences_that_differ_are_counted_for_each_score(statistics: np.ndarray) -> None:
    """A longer translation changes BLEU of all sizes, another pair of words what is of pairs."""
    same = np.repeat(statistics[:, :1], 3, axis=1)
    same[:2, 1, :, 2] += 1  # one word more in two sentences
    same[4, 2, 1, 0] += 1  # one match more of pairs
    scores = ngram_scores(same, ALL)
    assert scores.differing(0).tolist() == [
        [0, 0, 0, 0, 0, 0],
        [0, 0, 0, 2, 2, 2],
        [0, 1, 0, 0, 1, 0],
    ]
    assert scores.differing(1)[2].tolist() == [0, 1, 0, 2, 3, 2]
    short, long = (part.differing(0) for part in length_scores(same, LENGTHS, [3]))
    assert short.tolist() == scores.differing(0).tolist()
    assert not long.any()
    table = rows(scores, ["base", "one", "other"], "base")
    assert {row["p_value"] for row in table if row["system"] != "one"} == {1}
    assert min(row["p_value"] for row in table) >= 0.5


def test_lengths_are_those_of_the_sentences_in_a_bin(statistics: np.ndarray) -> None:
    """10 of up to 3 words, 5 of 4, 14 of 9 and one of 30; none of 5 to 8."""
    parts = length_scores(statistics, LENGTHS, [3, 4, 8, 10])
    table = [row for part in parts for row in rows(part, ["one", "other"])]
    bins = {"1-3": slice(0, 10), "4": slice(10, 15), "9-10": slice(15, 29), "11+": slice(29, 30)}
    assert list(dict.fromkeys(row["source_words"] for row in table)) == list(bins)
    for row in table:
        inside = bins[row["source_words"]]
        assert row["score"] == pytest.approx(expected(statistics[inside], row), abs=1e-6)
        assert row["sentences"] == len(LENGTHS[inside])
    # All resamples that have the only long sentence give it the same score; the rest give none.
    long = next(row for row in table if row["source_words"] == "11+")
    assert long["score_low"] == long["score"] == long["score_high"] > 0


def test_resamples_without_a_cell_have_no_score() -> None:
    """A phrase occurs in the third sentence alone, and a third of it was found."""
    statistics = np.zeros((3, 1, 1, 5))
    statistics[2] = [1 / 3, 1, 0, 0, 1]
    scores = Scores([{"n": "phrase", "category": "NP"}], statistics)
    (row,) = rows_of(scores, ["one"], None, samples=100, seed=1)
    names = ("matches", "ngrams", "score", "score_low", "score_high")
    assert [row[name] for name in names] == [0.333333, 1, 33.333333, 33.333333, 33.333333]
    without = next(
        seed for seed in range(99) if 2 not in np.random.default_rng(seed).choice(3, size=(2, 3))
    )
    (row,) = rows_of(scores, ["one"], None, samples=2, seed=without)
    assert (row["score"], row["score_low"]) == (33.333333, None)
