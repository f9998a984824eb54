"""Checking rows takes little memory, however many numbers they have."""

from __future__ import annotations

import tracemalloc

import numpy as np

from mgsa.data.batch import RowColumns
from mgsa.data.ragged import Ragged
from mgsa.data.row_checks import wrong_counts, wrong_row
from mgsa.data.vocabulary import Vocabulary

ROWS, LENGTH = 1000, 20_000
MOST = 100_000_000
"""Bytes: the ids themselves take 80 million, and each check several times as much."""


def lists(*lengths: int, of: int) -> Ragged:
    counts = np.array(lengths, dtype=np.int64)
    return Ragged(np.full(counts.sum(), of, dtype=np.int32), np.cumsum(counts) - counts, counts)


def test_rows_are_checked_in_portions() -> None:
    vocabulary = Vocabulary.of(["a"])
    ids, ones = lists(*[LENGTH] * ROWS, of=4), lists(*[LENGTH] * ROWS, of=1)
    wrong = lists(*[LENGTH] * ROWS, of=4)
    wrong.values[-LENGTH] = 99
    tracemalloc.start()
    for target, expected in (
        (ids, None),
        (wrong, (ROWS - 1, "target_ids of the vocabulary")),
    ):
        columns = RowColumns(
            index=np.arange(ROWS),
            source=ids,
            target=target,
            subwords_per_word=ones,
            phrase_lengths=(ones,),
            phrase_tags=(ones,),
            links=(ones, ones),
        )
        assert wrong_row(columns, (vocabulary, vocabulary), 2) == expected
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < MOST


def test_more_counts_than_there_is_to_share_are_not_looked_at() -> None:
    counts = lists(1, ROWS * LENGTH, of=1)
    tracemalloc.start()
    assert wrong_counts(counts, np.array([1, 5]), "counts") == (1, "counts")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 1_000_000
