"""Results that come in batches, put in the order of what they are of."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TypeVar

T = TypeVar("T")


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
