"""Every row once an epoch, within the budget, in an order that ranks share and stops keep."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from itertools import islice, pairwise
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mgsa.data.batch import Batch, make_batch
from mgsa.data.batching import (
    Position,
    TrainBatches,
    Update,
    bucketed,
    evaluation_batches,
    prefetched,
)
from mgsa.data.dataset import Dataset, open_dataset
from tests.stage_folders import random_dataset

ROWS, GROUP = 50, 7
GRANULARITIES = ("syntactic_1", "syntactic_2", "ngram_2")


def test_buckets_by_hand() -> None:
    lengths = np.array([[9, 3], [1, 1], [4, 4], [2, 5], [1, 2], [20, 1]])
    batches = bucketed(lengths, np.arange(6), 12)
    # Costs with end of sentence are 10, 2, 5, 6, 3, 21; 12 tokens hold rows 1 and 4 (2 x 3), rows 2
    # and 3 (2 x 6), row 0 alone, and row 5 although it is over the budget.
    assert [batch.tolist() for batch in batches] == [[1, 4], [2, 3], [0], [5]]


@given(
    st.lists(st.tuples(st.integers(1, 30), st.integers(1, 30)), min_size=1, max_size=40),
    st.integers(1, 200),
    st.none() | st.integers(1, 10),
)
def test_no_batch_could_take_the_next_row(
    pairs: list[tuple[int, int]], tokens: int, sentences: int | None
) -> None:
    lengths = np.array(pairs)
    batches = bucketed(lengths, np.arange(len(pairs)), tokens, sentences)
    assert max(map(len, batches)) <= (sentences or len(pairs))
    assert sorted(np.concatenate(batches).tolist()) == list(range(len(pairs)))
    for batch, following in pairwise(batches):
        costs = lengths[[*batch, following[0]]].max(axis=1) + 1
        assert costs.max() == costs[-1]
        assert len(costs) * costs[-1] > tokens or len(batch) == sentences


@pytest.fixture(scope="module")
def dataset(tmp_path_factory: pytest.TempPathFactory) -> Dataset:
    folder = tmp_path_factory.mktemp("batching") / "stages"
    return open_dataset(random_dataset(folder, ROWS, row_group_rows=GROUP))


def make(dataset: Dataset, **changes: Any) -> TrainBatches:
    settings = {"batch_tokens": 60, "batch_sentences": None, "seed": 1, "shuffle_window": 15}
    of_model = {"granularities": GRANULARITIES, "ngram_unit": "word"}
    return TrainBatches(dataset, **settings | of_model | changes)


ALONE = {"rank": 0, "world_size": 1, "accumulate": 1}


def epoch_of(batches: TrainBatches, position: Position, **shares: int) -> Iterator[Update]:
    """The updates from `position` to the end of its epoch."""
    for update in batches.updates(position, **ALONE | shares):
        yield update
        if update.position_after.micro_batch == 0:
            return


def rows_of(updates: list[Update]) -> list[list[int]]:
    """The rows of each micro-batch that is there."""
    return [batch.index.tolist() for u in updates for _, batch in u.batches if batch is not None]


anything = settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


@anything
@given(tokens=st.integers(5, 300), window=st.integers(1, 100), epoch=st.integers(0, 3))
def test_every_row_once_an_epoch_within_the_budget(
    dataset: Dataset, tokens: int, window: int, epoch: int
) -> None:
    batches = make(dataset, batch_tokens=tokens, shuffle_window=window)
    updates = list(epoch_of(batches, Position(epoch, 0), accumulate=3))
    rows = rows_of(updates)
    assert sorted(row for batch in rows for row in batch) == list(range(ROWS))
    assert len(rows) == batches.num_micro_batches(epoch)
    lengths = dataset.lengths("train")
    for batch in rows:
        cost = len(batch) * (lengths[batch].max() + 1)
        assert cost <= tokens or len(batch) == 1


def test_batches_hold_the_rows_that_their_index_says(dataset: Dataset) -> None:
    for update in epoch_of(make(dataset), Position(0, 0)):
        for _, batch in update.batches:
            assert batch is not None
            assert_rows(batch, dataset)
            assert update.num_target_tokens == batch.num_target_tokens


def assert_rows(batch: Batch, dataset: Dataset) -> None:
    """A batch holds the rows that its index says."""
    rows = list(dataset.rows("train", batch.index.tolist()))
    assert_same(batch, make_batch(rows, GRANULARITIES, ngram_unit="word"))


def assert_same(batch: Batch, other: Batch) -> None:
    for name in ("index", "source", "source_lengths", "target_input", "target_output"):
        assert torch.equal(getattr(batch, name), getattr(other, name)), name
    for name in ("segments", "phrase_lengths", "tags"):
        mine, its = getattr(batch, name), getattr(other, name)
        assert list(mine) == list(its)
        assert all(torch.equal(mine[key], its[key]) for key in mine), name


def test_micro_batches_are_numbered_and_positions_follow(dataset: Dataset) -> None:
    batches = make(dataset)
    count = batches.num_micro_batches(2)
    updates = list(epoch_of(batches, Position(2, 0), accumulate=2))
    assert [number for update in updates for number, _ in update.batches] == [
        *range(count + count % 2)
    ]
    positions = [Position(2, 2 * (place + 1)) for place in range(len(updates) - 1)]
    assert [update.position_after for update in updates] == [*positions, Position(3, 0)]
    # The last update of an epoch has places without a batch.
    (update,) = epoch_of(batches, Position(2, 0), accumulate=count + 3)
    assert [batch is None for _, batch in update.batches] == [False] * count + [True] * 3
    assert update.num_target_tokens == dataset.lengths("train")[:, 1].sum() + ROWS


@anything
@given(tokens=st.integers(20, 150), world_size=st.integers(1, 4), accumulate=st.integers(1, 3))
def test_ranks_share_what_one_process_accumulates(
    dataset: Dataset, tokens: int, world_size: int, accumulate: int
) -> None:
    batches = make(dataset, batch_tokens=tokens)
    start = Position(0, 0)
    alone = list(epoch_of(batches, start, accumulate=world_size * accumulate))
    ranks = [
        list(epoch_of(batches, start, rank=rank, world_size=world_size, accumulate=accumulate))
        for rank in range(world_size)
    ]
    assert {len(updates) for updates in ranks} == {len(alone)}
    for place, update in enumerate(alone):
        shares = [updates[place] for updates in ranks]
        assert {len(share.batches) for share in shares} == {accumulate}
        assert {share.num_target_tokens for share in shares} == {update.num_target_tokens}
        assert {share.position_after for share in shares} == {update.position_after}
        joined = dict(pair for share in shares for pair in share.batches)
        assert joined.keys() == dict(update.batches).keys()
        for number, batch in update.batches:
            mine = joined[number]
            assert (mine is None) == (batch is None)
            if mine is not None and batch is not None:
                assert_same(mine, batch)


@anything
@given(stop=st.integers(1, 20), accumulate=st.integers(1, 3), window=st.integers(1, 60))
def test_going_on_from_any_position_changes_nothing(
    dataset: Dataset, stop: int, accumulate: int, window: int
) -> None:
    batches = make(dataset, shuffle_window=window)
    alone = ALONE | {"accumulate": accumulate}
    whole = list(islice(batches.updates(Position(0, 0), **alone), stop + 10))
    again = make(dataset, shuffle_window=window)
    rest = islice(again.updates(whole[stop - 1].position_after, **alone), 10)
    for mine, its in zip(rest, whole[stop:], strict=True):
        assert mine.position_after == its.position_after
        assert mine.num_target_tokens == its.num_target_tokens
        assert rows_of([mine]) == rows_of([its])
        assert [n for n, _ in mine.batches] == [n for n, _ in its.batches]


def test_seed_and_epoch_choose_the_order(dataset: Dataset) -> None:
    def order(seed: int, epoch: int) -> list[list[int]]:
        return rows_of(list(epoch_of(make(dataset, seed=seed), Position(epoch, 0))))

    assert order(1, 0) == order(1, 0)
    assert order(1, 0) != order(2, 0)
    assert order(1, 0) != order(1, 1)


@pytest.mark.parametrize("limit", [None, 1, 10, ROWS, ROWS + 5])
def test_evaluation_takes_the_first_rows_once(dataset: Dataset, limit: int | None) -> None:
    batches = evaluation_batches(
        dataset,
        "train",
        batch_tokens=60,
        granularities=GRANULARITIES,
        ngram_unit="word",
        limit=limit,
    )
    rows = []
    for batch in batches:
        rows += batch.index.tolist()
        assert_rows(batch, dataset)
    assert sorted(rows) == list(range(min(ROWS, limit or ROWS)))


def prefetching() -> int:
    return sum(thread.name.startswith("prefetch") for thread in threading.enumerate())


@given(st.lists(st.integers()), st.integers(1, 5))
def test_prefetching_changes_no_item(items: list[int], ahead: int) -> None:
    assert list(prefetched(iter(items), ahead=ahead)) == items
    assert prefetching() == 0


def test_an_error_comes_after_the_items_before_it() -> None:
    def items() -> Iterator[int]:
        yield 1
        raise ValueError("the second is broken")

    read = prefetched(items(), ahead=5)
    assert next(read) == 1
    with pytest.raises(ValueError, match="the second is broken"):
        next(read)


def test_the_thread_ends_when_its_reader_is_closed() -> None:
    read = prefetched(iter(range(1000)), ahead=2)
    next(read)
    read.close()  # type: ignore[attr-defined]
    assert prefetching() == 0
