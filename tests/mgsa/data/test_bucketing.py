"""Buckets are as full as the budget allows, and hold rows of like length."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from mgsa.data.bucketing import bucketed


def test_buckets_by_hand() -> None:
    lengths = np.array([[9, 3], [1, 1], [4, 4], [2, 5], [1, 2], [20, 1]])
    batches = bucketed(lengths, np.arange(6), 12)
    # Costs with end of sentence are 10, 2, 5, 6, 3, 21; 12 tokens hold rows 1 and 4 (2 x 3), rows 2
    # and 3 (2 x 6), row 0 alone, and row 5 although it is over the budget.
    assert [batch.tolist() for batch in batches] == [[1, 4], [2, 3], [0], [5]]


def test_rows_are_limited_too() -> None:
    lengths = np.array([[9, 3], [1, 1], [4, 4], [2, 5], [1, 2], [20, 1]])
    batches = bucketed(lengths, np.arange(6), 100, 2)
    assert [batch.tolist() for batch in batches] == [[1, 4], [2, 3], [0, 5]]
    assert [len(batch) for batch in bucketed(lengths, np.arange(6), 100, 1)] == [1] * 6


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
