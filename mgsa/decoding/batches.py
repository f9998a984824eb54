"""Rows in batches of similar length, and their results in the order of the rows."""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import islice
from typing import TypeVar

import numpy as np
import torch

from mgsa.cli.workers import map_chunks
from mgsa.data.batch import Row
from mgsa.data.batching import EVALUATION_WINDOW, bucketed

T = TypeVar("T")

# A fork has none of its parent's threads, and would wait for them.
os.register_at_fork(after_in_child=partial(torch.set_num_threads, 1))


def in_batches(
    rows: Iterable[Row],
    work: Callable[[Sequence[Row]], Sequence[T]],
    nothing: Callable[[Row], T],
    *,
    batch_tokens: int,
    pairs: bool,
    advance: Callable[[int], None],
    workers: int = 1,
) -> Iterator[T]:
    """The result of every row, in order; rows are sorted by length within large windows.

    Args:
        work: rows of a batch to their results.
        nothing: the result of a row without source.
        pairs: whether a row's length is that of its longer side, or of its source.
        advance: called with numbers of finished rows (`mgsa.cli.run.progress_bar`).
        workers: processes, which share the models in memory; each works with one thread.
    """
    stream = iter(rows)
    while window := list(islice(stream, EVALUATION_WINDOW)):
        lengths = np.array([(len(row.source), len(row.target)) for row in window])
        if not pairs:
            lengths[:, 1] = lengths[:, 0]
        indices = np.flatnonzero(lengths[:, 0])
        advance(len(window) - len(indices))
        results: dict[int, T] = {}
        batches = [batch.tolist() for batch in bucketed(lengths, indices, batch_tokens)]
        rows_of = ([window[index] for index in members] for members in batches)
        found = map_chunks(
            lambda chunk: work(*chunk), rows_of, workers=workers, chunk_size=1, fork=True
        )
        for members, of_batch in zip(batches, found, strict=True):
            results.update(zip(members, of_batch, strict=True))
            advance(len(members))
        for index, row in enumerate(window):
            yield results[index] if index in results else nothing(row)
