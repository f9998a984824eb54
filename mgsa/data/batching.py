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

import numpy as np

from mgsa.base.errors import InputError
from mgsa.base.settings import Count
from mgsa.data.artifact import Dataset
from mgsa.data.batch import Batch, RowColumns, pad_columns
from mgsa.data.bucketing import bucketed
from mgsa.data.limits import MAX_WINDOW_VALUES
from mgsa.data.needs import check_granularities, check_links, needed_columns
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


@dataclass(frozen=True)
class _MicroBatch:
    number: int
    num_target_tokens: int
    batch: Batch | None


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
            shuffle_window: rows that are shuffled and bucketed together, rounded up to row groups;
                fewer of them if they are so long that memory would not hold them.
            granularities: what segments the batches need: `syntactic_1`, `ngram_2`, …
            ngram_unit: whether n-grams count `subword`s or `word`s.
            max_length: the most subwords of a side, end of sentence not counted; longer pairs are
                left out. `None`: no limit.
            links: whether batches need word alignments.

        Raises:
            InputError: the dataset lacks a granularity or word alignments, or no pair is short
                enough.
        """
        check_granularities(dataset, granularities)
        if links:
            check_links(dataset, "train")
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
        first = position.micro_batch
        group: list[_MicroBatch] = []
        for micro_batch in self._micro_batches(position, rank, world_size):
            if len(group) == size:
                after = Position(position.epoch, micro_batch.number)
                yield _update(group, range(first + rank, first + size, world_size), after)
                first, group = micro_batch.number, []
            group.append(micro_batch)
        if group:
            after = Position(position.epoch + 1, 0)
            yield _update(group, range(first + rank, first + size, world_size), after)

    def _micro_batches(
        self, position: Position, rank: int, world_size: int
    ) -> Iterator[_MicroBatch]:
        """The micro-batches from `position` to the end of its epoch, those of `rank` padded."""
        number = 0
        for place, groups in enumerate(self._windows(position.epoch)):
            plan = self._plan(position.epoch, place, groups)
            skipped = max(position.micro_batch - number, 0)
            number += min(skipped, len(plan))
            if skipped < len(plan):
                # A call of its own, so that a window is let go before the next one is decoded.
                yield from self._window(groups, plan[skipped:], number, position, rank, world_size)
                number += len(plan) - skipped

    def _window(
        self,
        groups: Sequence[int],
        plan: Sequence[np.ndarray],
        number: int,
        position: Position,
        rank: int,
        world_size: int,
    ) -> Iterator[_MicroBatch]:
        columns = needed_columns(
            self._dataset, "train", groups, self._granularities, self._ngram_unit, self._links
        )
        for at, rows in enumerate(plan, start=number):
            tokens = int(columns.target.lengths[rows].sum()) + len(rows)
            mine = (at - position.micro_batch) % world_size == rank
            batch = self._pad(columns.take(rows)) if mine else None
            yield _MicroBatch(at, tokens, batch)

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
    check_granularities(dataset, granularities)
    remaining = dataset.num_rows(split) if limit is None else limit
    order = range(len(dataset.row_group_rows(split)))
    for groups in _windows(dataset, split, order, EVALUATION_WINDOW):
        if remaining <= 0:
            return
        columns = needed_columns(dataset, split, groups, granularities, ngram_unit, links)
        lengths = np.stack([columns.source.lengths, columns.target.lengths], axis=1)
        for rows in bucketed(lengths, np.arange(min(remaining, len(columns))), batch_tokens):
            yield pad_columns(columns.take(rows), granularities, ngram_unit=ngram_unit)
        remaining -= len(columns)


def _windows(dataset: Dataset, split: str, order: Sequence[int], num_rows: int) -> list[list[int]]:
    """The row groups of a split, in `order`, those together that are in memory together.

    A window ends with the row group with which it has `num_rows`, or as many values as it may.
    """
    all_rows, all_values = dataset.row_group_rows(split), dataset.row_group_values(split)
    windows: list[list[int]] = []
    rows, values = num_rows, 0
    for group in order:
        if rows >= num_rows or values >= MAX_WINDOW_VALUES:
            windows.append([])
            rows = values = 0
        windows[-1].append(group)
        rows += int(all_rows[group])
        values += int(all_values[group])
    return windows


def _count_too_long(dataset: Dataset, max_length: int | None) -> int:
    if max_length is None:
        return 0
    return sum(
        int((dataset.lengths("train", [group]).max(axis=1) > max_length).sum())
        for group in range(len(dataset.row_group_rows("train")))
    )


def _update(group: Sequence[_MicroBatch], numbers: range, after: Position) -> Update:
    """An update of one rank, whose micro-batches have these `numbers`."""
    batches = {micro_batch.number: micro_batch.batch for micro_batch in group}
    return Update(
        batches=tuple((number, batches.get(number)) for number in numbers),
        position_after=after,
        num_target_tokens=sum(micro_batch.num_target_tokens for micro_batch in group),
        end_of_epoch=after.micro_batch == 0,
    )
