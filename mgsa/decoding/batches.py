"""Rows in batches of like length, and their results in the order of the rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import TypeVar

import numpy as np

from mgsa.data.batch import Row
from mgsa.data.batching import EVALUATION_WINDOW, bucketed

T = TypeVar("T")


def in_batches(
    rows: Iterable[Row],
    work: Callable[[Sequence[Row]], Sequence[T]],
    nothing: Callable[[Row], T],
    *,
    batch_tokens: int,
    pairs: bool,
    advance: Callable[[int], None],
) -> Iterator[T]:
    """The result of every row, window by window; within one, rows are sorted by length.

    Args:
        work: from the rows of a batch to their results.
        nothing: the result of a row without source or, of `pairs`, without target.
        batch_tokens: the most subwords of a batch, padding counted.
        pairs: whether the length of a row is that of its longer side, or of its source.
        advance: is told how many more rows are done (`mgsa.base.cli.progress_bar`).
    """
    stream = iter(rows)
    while window := list(islice(stream, EVALUATION_WINDOW)):
        lengths = np.array([(len(row.source), len(row.target)) for row in window])
        if not pairs:
            lengths[:, 1] = lengths[:, 0]
        places = np.flatnonzero(lengths.all(axis=1))
        advance(len(window) - len(places))
        results: dict[int, T] = {}
        for batch in bucketed(lengths, places, batch_tokens):
            members = batch.tolist()
            results.update(zip(members, work([window[place] for place in members]), strict=True))
            advance(len(members))
        for place, row in enumerate(window):
            yield results[place] if place in results else nothing(row)
