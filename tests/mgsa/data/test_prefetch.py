"""Reading ahead changes neither the items nor when an error comes; it ends with its reader."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mgsa.data.prefetch import prefetched


def prefetching() -> int:
    return sum(thread.name.startswith("prefetch") for thread in threading.enumerate())


@given(st.lists(st.integers()), st.integers(1, 5))
def test_the_items_are_the_same(items: list[int], ahead: int) -> None:
    assert list(prefetched(iter(items), ahead=ahead)) == items
    assert prefetching() == 0


def test_an_error_comes_after_the_items_before_it() -> None:
    def items() -> Iterator[int]:
        yield 1
        yield 2
        raise ValueError("the third is broken")

    read = prefetched(items(), ahead=5)
    assert [next(read), next(read)] == [1, 2]
    with pytest.raises(ValueError, match="the third is broken"):
        next(read)


def test_no_more_than_so_many_are_made_ahead() -> None:
    made: list[int] = []

    def items() -> Iterator[int]:
        for item in range(100):
            made.append(item)
            yield item

    read = prefetched(items(), ahead=3)
    assert next(read) == 0
    deadline = time.monotonic() + 10
    while len(made) < 4 and time.monotonic() < deadline:
        time.sleep(0.01)
    time.sleep(0.05)
    assert made == [0, 1, 2, 3]
    read.close()  # type: ignore[attr-defined]


@pytest.mark.parametrize("read_first", [0, 1])
def test_the_thread_ends_when_its_reader_is_closed(read_first: int) -> None:
    read = prefetched(iter(range(1000)), ahead=2)
    for _ in range(read_first):
        next(read)
    read.close()  # type: ignore[attr-defined]
    assert prefetching() == 0
