"""Batches by a budget of tokens, in an order that seed and epoch fix, from any position on.

An epoch visits the row groups of a dataset in a shuffled order. Consecutive ones make a window of
about `shuffle_window` rows, the only rows in memory; a window's rows are bucketed by length into
micro-batches, which are then shuffled. The micro-batches of an epoch are numbered, and the order
depends on nothing but seed and epoch, so a position is two numbers.

An update takes `world_size * accumulate` consecutive micro-batches, of which rank r takes every
`world_size`-th from the r-th on: two processes, and one process that accumulates two, see the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from mgsa.base.errors import InputError
from mgsa.base.settings import Count
from mgsa.data.batch import Batch, RowColumns, pad_columns
from mgsa.data.dataset import Dataset
from mgsa.data.prefetch import prefetched

UPDATES_AHEAD = 4
"""Updates whose batches are made while the model is at work on those before."""

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


class TrainBatches:
    """The training split as an endless sequence of updates.

    Every row that is no longer than `max_length` appears exactly once an epoch. A batch costs its
    rows times its longest side, end of sentence included, and no more than `batch_tokens` unless it
    is a single row; nor has it more than `batch_sentences` rows.
    """

    def __init__(
        self,
        dataset: Dataset,
        *,
        batch_tokens: int,
        batch_sentences: int | None,
        seed: int,
        shuffle_window: int,
        granularities: Sequence[str],
        ngram_unit: str,
        max_length: int | None,
        links: bool = False,
    ) -> None:
        """Plan batches of the split `train`.

        Args:
            batch_tokens: the most subwords of a batch, padding counted, of the longer side.
            batch_sentences: the most pairs of a batch; `None`: any number.
            shuffle_window: rows that are shuffled and bucketed together, rounded up to row groups.
            granularities: what segments the batches need: `syntactic_1`, `ngram_2`, …
            ngram_unit: whether n-grams count `subword`s or `word`s.
            max_length: the most subwords of a side, end of sentence not counted; longer pairs are
                left out. `None`: no limit.
            links: whether batches need word alignments.

        Raises:
            InputError: the dataset lacks a granularity or word alignments, or no pair is short
                enough.
        """
        dataset.check_granularities(granularities)
        if links:
            dataset.check_links("train")
        self._dataset = dataset
        self._batch_tokens = batch_tokens
        self._batch_sentences = batch_sentences
        self._seed = seed
        self._shuffle_window = shuffle_window
        self._granularities = tuple(granularities)
        self._ngram_unit = ngram_unit
        self._max_length = max_length
        self._links = links
        self.num_too_long = _count_too_long(dataset, max_length)
        if self.num_too_long == dataset.num_rows("train"):
            raise InputError(
                f"expected training pairs of at most {max_length} subwords, found none",
                path=dataset.folder,
            )

    def num_micro_batches(self, epoch: int) -> int:
        """The micro-batches of an epoch; only lengths are read."""
        windows = self._windows(epoch)
        return sum(len(self._plan(epoch, place, groups)) for place, groups in enumerate(windows))

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
        while True:
            found = False
            for update in self._updates_of_epoch(position, rank, world_size, accumulate):
                found = True
                yield update
            if not found:
                raise InputError(
                    f"expected a position within epoch {position.epoch}, which has "
                    f"{self.num_micro_batches(position.epoch)} batches, got {position.micro_batch}",
                    path=self._dataset.folder,
                )
            position = Position(position.epoch + 1, 0)

    def _updates_of_epoch(
        self, position: Position, rank: int, world_size: int, accumulate: int
    ) -> Iterator[Update]:
        size = world_size * accumulate

        def update(group: Sequence[_MicroBatch], after: Position) -> Update:
            batches = {number: batch for number, _, batch in group}
            first = group[0].number
            return Update(
                batches=tuple(
                    (number, batches.get(number))
                    for number in range(first + rank, first + size, world_size)
                ),
                position_after=after,
                num_target_tokens=sum(micro_batch.num_target_tokens for micro_batch in group),
                end_of_epoch=after.micro_batch == 0,
            )

        group: list[_MicroBatch] = []
        for micro_batch in self._micro_batches(position, rank, world_size):
            if len(group) == size:
                yield update(group, Position(position.epoch, micro_batch.number))
                group = []
            group.append(micro_batch)
        if group:
            yield update(group, Position(position.epoch + 1, 0))

    def _micro_batches(
        self, position: Position, rank: int, world_size: int
    ) -> Iterator[_MicroBatch]:
        """The micro-batches from `position` to the end of its epoch, those of `rank` padded."""
        start = 0
        for place, groups in enumerate(self._windows(position.epoch)):
            plan = self._plan(position.epoch, place, groups)
            rest = list(enumerate(plan, start))[max(position.micro_batch - start, 0) :]
            start += len(plan)
            if not rest:
                continue
            columns = _read(
                self._dataset, "train", groups, self._granularities, self._ngram_unit, self._links
            )
            for number, rows in rest:
                tokens = int(columns.target.lengths[rows].sum()) + len(rows)
                mine = (number - position.micro_batch) % world_size == rank
                yield _MicroBatch(number, tokens, self._pad(columns.take(rows)) if mine else None)
            del columns  # before the next window is decoded

    def _pad(self, columns: RowColumns) -> Batch:
        return pad_columns(columns, self._granularities, ngram_unit=self._ngram_unit)

    def _windows(self, epoch: int) -> list[list[int]]:
        """The row groups of an epoch's windows."""
        num_groups = len(self._dataset.row_group_rows("train"))
        order = np.random.default_rng([self._seed, epoch]).permutation(num_groups)
        return _windows(self._dataset, "train", order.tolist(), self._shuffle_window)

    def _plan(self, epoch: int, place: int, groups: Sequence[int]) -> list[np.ndarray]:
        """The micro-batches of an epoch's window at `place`: rows by their place in the window."""
        lengths = self._dataset.lengths("train", groups)
        generator = np.random.default_rng([self._seed, epoch, place])
        order = generator.permutation(len(lengths))
        if self._max_length is not None:
            order = order[lengths[order].max(axis=1) <= self._max_length]
        batches = bucketed(lengths, order, self._batch_tokens, self._batch_sentences)
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
    remaining = dataset.num_rows(split) if limit is None else limit
    order = range(len(dataset.row_group_rows(split)))
    for groups in _windows(dataset, split, order, EVALUATION_WINDOW):
        if remaining <= 0:
            return
        columns = _read(dataset, split, groups, granularities, ngram_unit, links)
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


def _read(
    dataset: Dataset,
    split: str,
    groups: Sequence[int],
    granularities: Sequence[str],
    ngram_unit: str,
    links: bool,
) -> RowColumns:
    """The columns of some row groups that batches with these granularities need."""
    kinds = {name.partition("_")[0] for name in granularities}
    return dataset.columns(
        split,
        groups,
        words="ngram" in kinds and ngram_unit == "word",
        phrases="syntactic" in kinds,
        links=links,
    )


def _count_too_long(dataset: Dataset, max_length: int | None) -> int:
    if max_length is None:
        return 0
    return sum(
        int((dataset.lengths("train", [group]).max(axis=1) > max_length).sum())
        for group in range(len(dataset.row_group_rows("train")))
    )
