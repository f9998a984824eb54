"""Batches by a budget of tokens, in an order that seed and epoch fix, from any position on.

An epoch visits the row groups of a dataset in a shuffled order. Consecutive ones make a window of
about `shuffle_window` rows, the only rows in memory; a window's rows are bucketed by length into
micro-batches, which are then shuffled. The micro-batches of an epoch are numbered, and the order
depends on nothing but seed and epoch, so a position is two numbers.

An update takes `world_size * accumulate` consecutive micro-batches, of which rank r takes every
`world_size`-th from the r-th on: two processes, and one process that accumulates two, see the same.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import KW_ONLY, dataclass
from functools import cached_property
from itertools import islice
from typing import NamedTuple, TypeVar

import numpy as np

from mgsa.base.errors import InputError
from mgsa.base.settings import Count
from mgsa.data.batch import Batch, pad_columns
from mgsa.data.dataset import Dataset

T = TypeVar("T")

SPLIT = "train"

UPDATES_AHEAD = 4
"""Updates that are prefetched."""

EVALUATION_WINDOW = 20_000
"""Rows that are sorted by length together where the order of batches doesn't matter."""


@dataclass(frozen=True)
class Position:
    """A place between two micro-batches: `micro_batch` is the next one of its epoch."""

    epoch: Count
    micro_batch: Count


@dataclass(frozen=True)
class Update:
    """What one update of the weights learns from.

    Attributes:
        batches: this rank's micro-batches with their numbers in the epoch, as many on every rank;
            `None` where the epoch ended before: such a rank has nothing to add but takes part.
        position_after: where to go on.
        num_target_tokens: of the micro-batches of all ranks, end of sentence included.
        end_of_epoch: whether these are the last micro-batches of their epoch.
    """

    batches: tuple[tuple[int, Batch | None], ...]
    position_after: Position
    num_target_tokens: int
    end_of_epoch: bool


class _MicroBatch(NamedTuple):
    number: int
    num_target_tokens: int
    batch: Batch | None  # None: another rank's


def bucketed(
    lengths: np.ndarray, order: np.ndarray, batch_tokens: int, batch_sentences: int | None = None
) -> list[np.ndarray]:
    """Rows of like length, as many together as the limits allow: (rows,) indices a batch.

    Args:
        lengths: (n, 2) subwords of source and target.
        order: (rows,) which rows, in the order in which rows of the same length are taken.
        batch_tokens: the most subwords of a batch, padding counted, unless it is a single row.
        batch_sentences: the most rows of a batch; `None`: any number.
    """
    source, target = lengths[order].astype(np.int64).T
    longer = np.maximum(source, target)
    # Among rows whose longer side is the same, alike shorter sides are together too.
    ranking = np.lexsort((target, source, longer))
    order, costs = order[ranking], longer[ranking] + 1
    batches = []
    start = 0
    limit = len(order) if batch_sentences is None else batch_sentences
    while start < len(order):
        # Rows are sorted by cost, so a batch costs its number of rows times the last one's.
        most = costs[start : start + max(min(batch_tokens // int(costs[start]), limit), 1)]
        totals = most * np.arange(1, len(most) + 1)
        size = max(int(np.searchsorted(totals, batch_tokens, side="right")), 1)
        batches.append(order[start : start + size])
        start += size
    return batches


@dataclass(frozen=True)
class TrainBatches:
    """The training split as an endless sequence of updates.

    Every row that is no longer than `max_length` appears exactly once an epoch. A batch costs its
    rows times its longest side, end of sentence included.

    Attributes:
        batch_tokens: the highest cost of a batch, unless it is a single row.
        batch_sentences: the most pairs of a batch; `None`: any number.
        shuffle_window: rows that are shuffled and bucketed together, rounded up to row groups.
        granularities: what segments the batches need: `syntactic_1`, `ngram_2`, …
        ngram_unit: whether n-grams count `subword`s or `word`s.
        max_length: the most subwords of a side, end of sentence not counted; longer pairs are left
            out. `None`: no limit.
        links: whether batches need word alignments.

    Raises:
        InputError: the dataset lacks a granularity or word alignments, or no pair is short enough.
    """

    dataset: Dataset
    _: KW_ONLY
    batch_tokens: int
    batch_sentences: int | None
    seed: int
    shuffle_window: int
    granularities: Sequence[str]
    ngram_unit: str
    max_length: int | None
    links: bool = False

    def __post_init__(self) -> None:
        self.dataset.check_granularities(self.granularities)
        if self.links:
            self.dataset.check_links(SPLIT)
        if self.num_too_long == self.dataset.num_rows(SPLIT):
            raise InputError(
                f"expected training pairs of at most {self.max_length} subwords, found none",
                path=self.dataset.folder,
            )

    @cached_property
    def num_too_long(self) -> int:
        """Rows that are left out."""
        if self.max_length is None:
            return 0
        groups = range(len(self.dataset.row_group_rows(SPLIT)))
        lengths = (self.dataset.lengths(SPLIT, [group]).max(axis=1) for group in groups)
        return sum(int((longer > self.max_length).sum()) for longer in lengths)

    def num_micro_batches(self, epoch: int) -> int:
        """The micro-batches of an epoch; only lengths are read."""
        windows = enumerate(self._windows(epoch))
        return sum(len(self._plan(epoch, number, groups)) for number, groups in windows)

    def updates(
        self, position: Position, *, rank: int, world_size: int, accumulate: int
    ) -> Iterator[Update]:
        """The updates from `position` on, one epoch after another without end.

        The windows before `position` are skipped without being decoded.

        Raises:
            InputError: the epoch of `position` has fewer micro-batches.
        """
        updates = self._updates(position, rank, world_size, accumulate)
        return prefetched(updates, ahead=UPDATES_AHEAD)

    def _updates(
        self, position: Position, rank: int, world_size: int, accumulate: int
    ) -> Iterator[Update]:
        size = world_size * accumulate
        while True:
            micro_batches = self._micro_batches(position, rank, world_size)
            following = next(micro_batches, None)
            if following is None:
                raise InputError(
                    f"expected a position within epoch {position.epoch}, which has "
                    f"{self.num_micro_batches(position.epoch)} batches, got {position.micro_batch}",
                    path=self.dataset.folder,
                )
            while following is not None:
                group = [following, *islice(micro_batches, size - 1)]
                following = next(micro_batches, None)
                first, batches = group[0].number, {each.number: each.batch for each in group}
                mine = range(first + rank, first + size, world_size)
                yield Update(
                    batches=tuple((number, batches.get(number)) for number in mine),
                    position_after=Position(position.epoch, following.number)
                    if following
                    else Position(position.epoch + 1, 0),
                    num_target_tokens=sum(each.num_target_tokens for each in group),
                    end_of_epoch=following is None,
                )
            position = Position(position.epoch + 1, 0)

    def _micro_batches(
        self, position: Position, rank: int, world_size: int
    ) -> Iterator[_MicroBatch]:
        """The micro-batches from `position` to the end of its epoch, those of `rank` padded."""
        extra = _extra_columns(self.granularities, self.ngram_unit, links=self.links)
        start = 0
        for window, groups in enumerate(self._windows(position.epoch)):
            plan = self._plan(position.epoch, window, groups)
            rest = list(enumerate(plan, start))[max(position.micro_batch - start, 0) :]
            start += len(plan)
            if not rest:
                continue
            columns = self.dataset.columns(SPLIT, groups, extra)
            for number, rows in rest:
                batch = None
                if (number - position.micro_batch) % world_size == rank:
                    batch = pad_columns(
                        columns.take(rows), self.granularities, ngram_unit=self.ngram_unit
                    )
                tokens = int(columns.target.lengths[rows].sum()) + len(rows)
                yield _MicroBatch(number, tokens, batch)
            del columns  # before the next window is decoded

    def _windows(self, epoch: int) -> list[list[int]]:
        """The row groups of an epoch's windows."""
        num_groups = len(self.dataset.row_group_rows(SPLIT))
        order = np.random.default_rng([self.seed, epoch]).permutation(num_groups)
        return _windows(self.dataset, SPLIT, order.tolist(), self.shuffle_window)

    def _plan(self, epoch: int, window: int, groups: Sequence[int]) -> list[np.ndarray]:
        """The micro-batches of an epoch's window: rows by their place in it."""
        lengths = self.dataset.lengths(SPLIT, groups)
        generator = np.random.default_rng([self.seed, epoch, window])
        order = generator.permutation(len(lengths))
        if self.max_length is not None:
            order = order[lengths[order].max(axis=1) <= self.max_length]
        batches = bucketed(lengths, order, self.batch_tokens, self.batch_sentences)
        return [batches[index] for index in generator.permutation(len(batches))]


def evaluation_batches(
    dataset: Dataset,
    split: str,
    *,
    batch_tokens: int,
    granularities: Sequence[str],
    ngram_unit: str,
    limit: int | None,
    links: bool = False,
) -> Iterator[Batch]:
    """The first `limit` rows of a split (all: `None`) in batches of rows of like length.

    Windows of row groups come in the order of the file; `Batch.index` says which row is which.

    Raises:
        InputError: the dataset lacks the split or a granularity.
    """
    dataset.check_granularities(granularities)
    extra = _extra_columns(granularities, ngram_unit, links=links)
    remaining = dataset.num_rows(split) if limit is None else limit
    order = range(len(dataset.row_group_rows(split)))
    for groups in _windows(dataset, split, order, EVALUATION_WINDOW):
        if remaining <= 0:
            return
        columns = dataset.columns(split, groups, extra)
        rows = np.arange(min(remaining, len(columns)))
        for batch in bucketed(columns.lengths, rows, batch_tokens):
            yield pad_columns(columns.take(batch), granularities, ngram_unit=ngram_unit)
        remaining -= len(columns)


def _windows(dataset: Dataset, split: str, order: Sequence[int], num_rows: int) -> list[list[int]]:
    """The row groups of a split, in `order`, cut into windows of at least `num_rows` rows."""
    rows_of = dataset.row_group_rows(split)
    windows: list[list[int]] = []
    rows = num_rows
    for group in order:
        if rows >= num_rows:
            windows.append([])
            rows = 0
        windows[-1].append(group)
        rows += int(rows_of[group])
    return windows


def _extra_columns(granularities: Sequence[str], ngram_unit: str, *, links: bool) -> list[str]:
    """The columns that batches with these granularities need besides the ids."""
    kinds = {name.partition("_")[0] for name in granularities}
    return [
        *(["subwords_per_word"] if "ngram" in kinds and ngram_unit == "word" else []),
        *(["phrase_lengths", "phrase_tags"] if "syntactic" in kinds else []),
        *(["links"] if links else []),
    ]


def prefetched(items: Iterator[T], *, ahead: int) -> Iterator[T]:
    """Yield `items`, up to `ahead` of which a thread prefetches.

    An error of `items` is raised in its place. The thread ends with the iterator.
    """
    pool = ThreadPoolExecutor(1, thread_name_prefix="prefetch")
    end = object()
    waiting = deque(pool.submit(next, items, end) for _ in range(ahead))
    try:
        while (item := waiting.popleft().result()) is not end:
            waiting.append(pool.submit(next, items, end))
            yield item  # type: ignore[misc]
    finally:
        pool.shutdown(cancel_futures=True)
