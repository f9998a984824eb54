"""Rows are worked on in batches of like length, and results come in the order of the rows."""

from __future__ import annotations

from collections.abc import Sequence
from unittest.mock import patch

from hypothesis import given
from hypothesis import strategies as st

from mgsa.data.batch import Row
from mgsa.decoding.batches import in_batches


@given(
    lengths=st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), max_size=30),
    batch_tokens=st.integers(1, 40),
    window=st.integers(1, 12),
    pairs=st.booleans(),
)
def test_every_row_has_its_result_and_no_batch_is_too_large(
    lengths: list[tuple[int, int]], batch_tokens: int, window: int, pairs: bool
) -> None:
    rows = [Row(n, [5] * s, [6] * t, [1] * s, [], []) for n, (s, t) in enumerate(lengths)]

    def work(members: Sequence[Row]) -> list[str]:
        longest = max(max(len(row.source), len(row.target) if pairs else 0) for row in members)
        assert len(members) == 1 or len(members) * (longest + 1) <= batch_tokens
        return [f"{row.index}: done" for row in members]

    done: list[int] = []
    with patch("mgsa.decoding.batches.EVALUATION_WINDOW", window):
        results = in_batches(
            rows,
            work,
            lambda row: f"{row.index}: nothing",
            batch_tokens=batch_tokens,
            pairs=pairs,
            advance=done.append,
        )
        assert list(results) == [
            f"{n}: done" if source else f"{n}: nothing" for n, (source, _) in enumerate(lengths)
        ]
    assert sum(done) == len(rows)
