"""An iterator that is read ahead in a thread, so that decoding hides behind the model's work."""

from __future__ import annotations

import queue
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Generic, TypeVar

T = TypeVar("T")

_PATIENCE = 0.1
"""Seconds after which the thread looks again whether anybody still reads."""


@dataclass(frozen=True)
class _End(Generic[T]):
    """The last thing in the queue: why there is no more."""

    error: BaseException | None


def prefetched(items: Iterator[T], *, ahead: int) -> Iterator[T]:
    """Yield `items` in their order, up to `ahead` of which a thread has made before they are due.

    An error of `items` is raised where it would have been. The thread ends when the iterator is
    used up, closed, or no longer held by anybody.
    """
    ready: queue.Queue[T | _End[T]] = queue.Queue(maxsize=ahead)
    unread = threading.Event()

    def put(item: T | _End[T]) -> bool:
        while not unread.is_set():
            try:
                ready.put(item, timeout=_PATIENCE)
            except queue.Full:
                continue
            return True
        return False

    def fill() -> None:
        try:
            for item in items:
                if not put(item):
                    return
        except BaseException as error:
            put(_End(error))
        else:
            put(_End(None))

    thread = threading.Thread(target=fill, name="prefetch", daemon=True)
    thread.start()
    try:
        while not isinstance(item := ready.get(), _End):
            yield item
        if item.error is not None:
            raise item.error
    finally:
        unread.set()
        thread.join()
