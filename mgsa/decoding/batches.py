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
    work: Callable[[RowColumns, Sequence[Row]], Sequence[T]],
    nothing: Callable[[Row], T],
    *,
    batch_tokens: int,
    pairs: bool,
    advance: Callable[[int], None],
) -> Iterator[T]:
    """The result of every row, window by window; within one, rows are sorted by length.

    Args:
        work: from the columns of a batch, and its rows, to their results.
        nothing: the result of a row without source or, of `pairs`, without target.
        batch_tokens: the most subwords of a batch, padding counted.
        pairs: whether the length of a row is that of its longer side, or of its source.
        advance: is told how many more rows are done (`mgsa.base.cli.progress_bar`).
    """
    stream = iter(rows)
    while window := list(islice(stream, EVALUATION_WINDOW)):
        places = [
            place
            for place, row in enumerate(window)
            if len(row.source) and (len(row.target) or not pairs)
        ]
        advance(len(window) - len(places))
        columns = RowColumns.of([window[place] for place in places])
        lengths = columns.lengths if pairs else columns.lengths[:, [0, 0]]
        results: dict[int, T] = {}
        for batch in bucketed(lengths, np.arange(len(places)), batch_tokens):
            members = [places[index] for index in batch.tolist()]
            done = work(columns.take(batch), [window[place] for place in members])
            results.update(zip(members, done, strict=True))
            advance(len(members))
        for place, row in enumerate(window):
            yield results[place] if place in results else nothing(row)
