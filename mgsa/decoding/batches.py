"""Rows in batches of similar length, and their results in the order of the rows."""

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
    """The result of every row, in order; rows are sorted by length within large windows.

    Args:
        work: rows of a batch to their results.
        nothing: the result of a row without source.
        pairs: whether a row's length is that of its longer side, or of its source.
        advance: called with numbers of finished rows (`mgsa.cli.run.progress_bar`).
    """
    stream = iter(rows)
    while window := list(islice(stream, EVALUATION_WINDOW)):
        lengths = np.array([(len(row.source), len(row.target)) for row in window])
        if not pairs:
            lengths[:, 1] = lengths[:, 0]
        indices = np.flatnonzero(lengths[:, 0])
        advance(len(window) - len(indices))
        results: dict[int, T] = {}
        for batch in bucketed(lengths, indices, batch_tokens):
            members = batch.tolist()
            results.update(zip(members, work([window[index] for index in members]), strict=True))
            advance(len(members))
        for index, row in enumerate(window):
            yield results[index] if index in results else nothing(row)
