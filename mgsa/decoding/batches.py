"""Rows in batches of like length, and their results in the order of the rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import TypeVar

import numpy as np

from mgsa.data.batch import Row, RowColumns
from mgsa.data.batching import EVALUATION_WINDOW, bucketed

T = TypeVar("T")


def in_batches(
    rows: Iterable[Row],
    work: Callable[[RowColumns, Sequence[tuple[int, Row]]], Sequence[T]],
    trivial: Callable[[Row], T | None],
    *,
    batch_tokens: int,
    target_counts: bool,
) -> Iterator[list[tuple[int, T]]]:
    """Results with their rows' indices, batch by batch of rows of like length.

    Rows are sorted by length within a window, so memory does not grow with their number.

    Args:
        work: from the columns of a batch, and its rows with their indices, to their results.
        trivial: the result of a row that needs no work, or `None`; it may refuse a row.
        batch_tokens: the most subwords of a batch, padding counted.
        target_counts: whether the length of a row is that of its longer side, or of its source.
    """
    stream = enumerate(rows)
    while window := list(islice(stream, EVALUATION_WINDOW)):
        results = [(index, trivial(row)) for index, row in window]
        yield [(index, result) for index, result in results if result is not None]
        pairs = [p for p, (_, result) in zip(window, results, strict=True) if result is None]
        columns = RowColumns.of([row for _, row in pairs])
        sides = (columns.source, columns.target if target_counts else columns.source)
        lengths = np.stack([side.lengths for side in sides], axis=1)
        for batch in bucketed(lengths, np.arange(len(pairs)), batch_tokens):
            members = [pairs[place] for place in batch.tolist()]
            done = work(columns.take(batch), members)
            yield [(index, result) for (index, _), result in zip(members, done, strict=True)]


def in_order(batches: Iterable[Sequence[tuple[int, T]]]) -> Iterator[T]:
    """The items by their indices, 0, 1, …, each as soon as all those before it are there."""
    waiting: dict[int, T] = {}
    index = 0
    for batch in batches:
        waiting.update(batch)
        while index in waiting:
            yield waiting.pop(index)
            index += 1
    assert not waiting, "an index is missing"
