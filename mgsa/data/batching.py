"""Token-budget batches in an order that seed and epoch fix, from any position on.

An epoch shuffles the dataset's row groups and cuts them into windows of about `shuffle_window`
rows, the only rows in memory. A window is bucketed by length into micro-batches, which are then
shuffled. Micro-batches of an epoch are numbered, so a position is (epoch, micro-batch).

An update takes `world_size * accumulate` consecutive micro-batches, rank r every `world_size`-th
from the r-th on: two processes see the same as one process that accumulates two.
"""

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import KW_ONLY, dataclass
from itertools import islice
from typing import TypeVar

import numpy as np

from mgsa.cli.settings import Count
from mgsa.config import NO_PHRASE_NOISE, PhraseNoise
from mgsa.data.batch import Batch, RowColumns, pad_columns
from mgsa.data.dataset import Dataset
from mgsa.data.phrase_noise import with_phrase_noise

T = TypeVar("T")

Resegment = Callable[[RowColumns, int], RowColumns]
"""Segments rows of the training split anew for an epoch: the same at every call."""

SPLIT = "train"
UPDATES_AHEAD = 4
EVALUATION_WINDOW = 20_000
"""Rows that are sorted by length together where the order of batches is irrelevant."""


@dataclass(frozen=True)
class Position:
    """The next micro-batch of an epoch."""

    epoch: Count
    micro_batch: Count


MicroBatch = tuple[int, int, Batch | None]
"""Number in its epoch, target tokens, and the batch if it is this rank's."""


@dataclass(frozen=True)
class Update:
    """The data of one update of the weights.

    `batches` are this rank's with their numbers in the epoch, equally many on every rank, `None`
    beyond the end of the epoch; `num_target_tokens` is of all ranks, `EOS` included.
    """

    batches: tuple[tuple[int, Batch | None], ...]
    position_after: Position
    num_target_tokens: int


def bucketed(
    lengths: np.ndarray, order: np.ndarray, batch_tokens: int, batch_sentences: int | None = None
) -> list[np.ndarray]:
    """Batches of rows of similar length, as (rows,) indices.

    Args:
        lengths: (n, 2) subwords of source and target.
        order: (rows,) the rows to use; breaks ties of length.
        batch_tokens: most subwords of a batch with padding, unless it is a single row.
        batch_sentences: most rows of a batch; `None`: unlimited.
    """
    source, target = lengths[order].astype(np.int64).T
    longer = np.maximum(source, target)
    # Rows whose longer sides are equal are sorted by the shorter.
    ranking = np.lexsort((target, source, longer))
    order, costs = order[ranking], longer[ranking] + 1
    limit = batch_sentences or len(order)
    batches = []
    start = 0
    while start < len(order):
        # Costs ascend, so a batch costs its number of rows times the last one's.
        most = costs[start : start + max(min(batch_tokens // int(costs[start]), limit), 1)]
        totals = most * np.arange(1, len(most) + 1)
        size = max(int(np.searchsorted(totals, batch_tokens, side="right")), 1)
        batches.append(order[start : start + size])
        start += size
    return batches


@dataclass(frozen=True)
class TrainBatches:
    """The training split as an endless sequence of updates, every row once an epoch."""

    dataset: Dataset
    _: KW_ONLY
    #: the most that a batch's rows times its longest side (with `EOS`) may be, unless it is a
    #: single row.
    batch_tokens: int
    batch_sentences: int | None  #: most pairs of a batch; `None`: unlimited.
    seed: int
    shuffle_window: int  #: rows that are shuffled and bucketed together, rounded up to row groups.
    granularities: Sequence[str]  #: as in `mgsa.data.batch.make_batch`.
    ngram_unit: str  #: as in `mgsa.data.batch.make_batch`.
    links: bool = False  #: whether batches need word alignments.
    #: makes the segmentation of each epoch. Batches are planned by the dataset's own; they get
    #: larger by what it adds.
    resegment: Resegment | None = None
    phrase_noise: PhraseNoise = NO_PHRASE_NOISE

    def num_micro_batches(self, epoch: int) -> int:
        """Micro-batches of an epoch; reads lengths only."""
        windows = enumerate(self._windows(epoch))
        return sum(len(self._plan(epoch, number, groups)) for number, groups in windows)

    def updates(
        self, position: Position, *, rank: int, world_size: int, accumulate: int
    ) -> Iterator[Update]:
        """The updates from `position` on, without end; skipped windows are not decoded."""
        updates = self._updates(position, rank, world_size, accumulate)
        return prefetched(updates, ahead=UPDATES_AHEAD)

    def _updates(
        self, position: Position, rank: int, world_size: int, accumulate: int
    ) -> Iterator[Update]:
        size = world_size * accumulate
        micro_batches: Iterator[MicroBatch] = iter(())
        following: list[MicroBatch] = []
        while True:
            if not following:
                micro_batches = self._micro_batches(position, rank, world_size)
                following = list(islice(micro_batches, size))
            group, following = following, list(islice(micro_batches, size))
            batches = {number: batch for number, _, batch in group}
            first, end = position.micro_batch, position.micro_batch + size
            here, next_epoch = Position(position.epoch, end), Position(position.epoch + 1, 0)
            position = here if following else next_epoch
            yield Update(
                batches=tuple((n, batches.get(n)) for n in range(first + rank, end, world_size)),
                position_after=position,
                num_target_tokens=sum(tokens for _, tokens, _ in group),
            )

    def _micro_batches(
        self, position: Position, rank: int, world_size: int
    ) -> Iterator[MicroBatch]:
        """The micro-batches from `position` to the end of its epoch."""
        extra = _extra_columns(self.granularities, self.ngram_unit, links=self.links)
        is_noisy = "phrase_lengths" in extra and self.phrase_noise != NO_PHRASE_NOISE
        if self.resegment or is_noisy:
            extra = list({*extra, "subwords_per_word"})
        start = 0
        for window, groups in enumerate(self._windows(position.epoch)):
            plan = self._plan(position.epoch, window, groups)
            rest = list(enumerate(plan, start))[max(position.micro_batch - start, 0) :]
            start += len(plan)
            if not rest:
                continue
            columns = self.dataset.columns(SPLIT, groups, extra)
            for number, rows in rest:
                is_own = (number - position.micro_batch) % world_size == rank
                targets = columns.target.lengths[rows]
                if self.resegment:  # other ranks' rows too: their tokens count
                    part = self.resegment(columns.take(rows), position.epoch)
                    targets = part.target.lengths
                elif is_own:
                    part = columns.take(rows)
                if is_own and is_noisy:
                    noise, epoch = self.phrase_noise, position.epoch
                    part = with_phrase_noise(part, noise, seed=self.seed, epoch=epoch)
                batch = None
                if is_own:
                    batch = pad_columns(part, self.granularities, ngram_unit=self.ngram_unit)
                yield number, int(targets.sum()) + len(rows), batch
            del columns  # before the next window is decoded

    def _windows(self, epoch: int) -> list[list[int]]:
        num_groups = len(self.dataset.row_group_rows(SPLIT))
        order = np.random.default_rng([self.seed, epoch]).permutation(num_groups)
        return _windows(self.dataset, SPLIT, order.tolist(), self.shuffle_window)

    def _plan(self, epoch: int, window: int, groups: Sequence[int]) -> list[np.ndarray]:
        """The micro-batches of a window, as indices of its rows."""
        lengths = self.dataset.lengths(SPLIT, groups)
        generator = np.random.default_rng([self.seed, epoch, window])
        order = generator.permutation(len(lengths))
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
    """The first `limit` rows of a split (`None`: all), bucketed by length within large windows."""
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
    """Row groups, in `order`, cut into windows of at least `num_rows` rows."""
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
    """The columns besides the ids that batches need."""
    kinds = {name.partition("_")[0] for name in granularities}
    return [
        *(["subwords_per_word"] if "ngram" in kinds and ngram_unit == "word" else []),
        *(["phrase_lengths", "phrase_tags"] if "syntactic" in kinds else []),
        *(["links"] if links else []),
    ]


def prefetched(items: Iterator[T], *, ahead: int) -> Iterator[T]:
    """Yield `items`, computed up to `ahead` in advance by a thread."""
    pool = ThreadPoolExecutor(1, thread_name_prefix="prefetch")
    end = object()
    waiting = deque(pool.submit(next, items, end) for _ in range(ahead))
    try:
        while (item := waiting.popleft().result()) is not end:
            waiting.append(pool.submit(next, items, end))
            yield item  # type: ignore[misc]
    finally:
        pool.shutdown(cancel_futures=True)
