"""Windows and which of them are whole: against slices of each position."""

from __future__ import annotations

import torch
from hypothesis import given
from hypothesis import strategies as st

from mgsa.attention.ngrams import whole_windows, windows

sizes = st.integers(1, 4)
lengths = st.integers(1, 6)


@given(length=lengths, size=sizes)
def test_a_window_holds_the_positions_up_to_its_own(length: int, size: int) -> None:
    x = torch.arange(1.0, 2 * length + 1).view(1, length, 2)
    found = windows(x, size)
    assert found.shape == (1, length, 2 * size)
    for end in range(length):
        expected = [x[0, p] if p >= 0 else torch.zeros(2) for p in range(end - size + 1, end + 1)]
        assert found[0, end].equal(torch.cat(expected))


@given(length=lengths, size=sizes)
def test_the_last_window_is_made_alone(length: int, size: int) -> None:
    x = torch.randn(3, 2, length, 5)
    assert windows(x, size, last=True).equal(windows(x, size)[..., -1:, :])


@given(kept=st.lists(st.booleans(), min_size=1, max_size=6), size=sizes)
def test_a_window_is_whole_if_each_of_its_positions_is_there(kept: list[bool], size: int) -> None:
    x = torch.zeros(1, len(kept), 2)
    found = whole_windows(torch.tensor(kept).view(1, 1, 1, -1), x, size)[0, 0, 0].tolist()
    assert found == [
        end >= size - 1 and all(kept[end - size + 1 : end + 1]) for end in range(len(kept))
    ]
    without_mask = whole_windows(None, x, size)[0, 0, 0].tolist()
    assert without_mask == [end >= size - 1 for end in range(len(kept))]
