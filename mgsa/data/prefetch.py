"""An iterator that is read ahead in a thread, so that decoding hides behind the model's work."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

T = TypeVar("T")


def prefetched(items: Iterator[T], *, ahead: int) -> Iterator[T]:
    """Yield `items` in their order, up to `ahead` of which a thread has made before they are due.

    An error of `items` is raised where it would have been. The thread ends when the iterator is
    used up, closed, or no longer held by anybody.
    """
    pool = ThreadPoolExecutor(1, thread_name_prefix="prefetch")
    end = object()
    waiting = deque(pool.submit(next, items, end) for _ in range(ahead))
    try:
        while (item := waiting.popleft().result()) is not end:
            waiting.append(pool.submit(next, items, end))
            yield item  # type: ignore[misc]
    finally:
        pool.shutdown(cancel_futures=True)
