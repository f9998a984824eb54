"""Lists of different lengths in one array behave like lists of lists."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from mgsa.data.ragged import Ragged

lists = st.lists(st.lists(st.integers(0, 99), max_size=5), min_size=1, max_size=6)


@given(lists, st.data())
def test_taken_lists_are_the_lists(rows: list[list[int]], data: st.DataObject) -> None:
    taken = data.draw(st.lists(st.integers(0, len(rows) - 1), max_size=8))
    ragged = Ragged.of(rows).take(np.array(taken, dtype=np.int64))
    assert [ragged[i].tolist() for i in range(len(ragged))] == [rows[i] for i in taken]
    assert ragged.flat().tolist() == [number for i in taken for number in rows[i]]
    assert ragged.positions().tolist() == [place for i in taken for place in range(len(rows[i]))]
