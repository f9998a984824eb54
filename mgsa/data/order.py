"""Results that come in batches, put in the order of what they are of, a window at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import TypeVar

S = TypeVar("S")
T = TypeVar("T")


def in_windows(
    items: Iterable[S],
    size: int,
    work: Callable[[int, list[S]], Iterable[Sequence[tuple[int, T]]]],
) -> Iterator[list[tuple[int, T]]]:
    """The batches of every window, with places in all of `items`.

    Args:
        size: of a window, all of which is in memory.
        work: from the place of a window's first item, and its items, to batches of results with
            their places in the window.
    """
    stream = iter(items)
    first = 0
    while window := list(islice(stream, size)):
        for batch in work(first, window):
            yield [(first + place, item) for place, item in batch]
        first += len(window)


def in_order(batches: Iterable[Sequence[tuple[int, T]]]) -> Iterator[T]:
    """The items by their places, 0, 1, …, each as soon as all those before it are there."""
    waiting: dict[int, T] = {}
    place = 0
    for batch in batches:
        waiting.update(batch)
        while place in waiting:
            yield waiting.pop(place)
            place += 1
    assert not waiting, "a place is missing"
