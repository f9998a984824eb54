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
    advance: Callable[[int], None],
) -> Iterator[T]:
    """The result of every row, window by window; within one, rows are sorted by length.

    Args:
        work: from the columns of a batch, and its rows with their indices, to their results.
        trivial: the result of a row that needs no work, or `None`; it may refuse a row.
        batch_tokens: the most subwords of a batch, padding counted.
        target_counts: whether the length of a row is that of its longer side, or of its source.
        advance: is told the number of rows done (`mgsa.base.cli.progress_bar`).
    """
    stream = enumerate(rows)
    while window := list(islice(stream, EVALUATION_WINDOW)):
        results = [trivial(row) for _, row in window]
        places = [place for place, result in enumerate(results) if result is None]
        advance(len(window) - len(places))
        columns = RowColumns.of([window[place][1] for place in places])
        sides = (columns.source, columns.target if target_counts else columns.source)
        lengths = np.stack([side.lengths for side in sides], axis=1)
        for batch in bucketed(lengths, np.arange(len(places)), batch_tokens):
            members = [places[index] for index in batch.tolist()]
            done = work(columns.take(batch), [window[place] for place in members])
            for place, result in zip(members, done, strict=True):
                results[place] = result
            advance(len(members))
        yield from results  # type: ignore[misc]
