"""A function mapped over a stream in chunks by a process pool, in order and in bounded memory.

Not joblib: its generator reads all input ahead, however slowly results are taken.
"""

import multiprocessing
import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from itertools import chain, islice
from typing import TypeVar

from mgsa.cli.errors import FailedError

T = TypeVar("T")
R = TypeVar("R")

CHUNKS_AHEAD = 2
"""Chunks given out per worker: one at work, one waiting, so that no worker idles."""


def map_chunks(
    function: Callable[[list[T]], R], items: Iterable[T], *, workers: int, chunk_size: int
) -> Iterator[R]:
    """Yield `function(chunk)` for the `chunks` of `items`, in order.

    Only a few chunks per worker are in flight. One worker, or items of a single chunk, need no
    other process. Function and items are pickled.

    Raises:
        FailedError: a worker was killed.
        Exception: whatever `items` or `function` raised.
    """
    given = chunks(items, chunk_size)
    first = list(islice(given, 2 if workers > 1 else 0))
    given = chain(first, given)
    if len(first) < 2:
        yield from map(function, given)
        return
    # A worker is forked from a server that is a fresh interpreter: a fork of this process would
    # copy locks that a thread of ours may hold (torch, OpenMP and progress bars have threads).
    context = multiprocessing.get_context("forkserver")
    pool = ProcessPoolExecutor(workers, mp_context=context, initializer=_start_worker)
    pending: deque[Future[R]] = deque()
    try:
        while True:
            for chunk in islice(given, CHUNKS_AHEAD * workers - len(pending)):
                pending.append(pool.submit(function, chunk))
            if not pending:
                return
            yield pending.popleft().result()
    except BrokenProcessPool:
        raise FailedError("workers: a worker process was killed (out of memory?)") from None
    finally:
        # Not waiting: a generator may be closed by any thread, the pool's own too.
        pool.shutdown(wait=False, cancel_futures=True)


def chunks(items: Iterable[T], size: int) -> Iterator[list[T]]:
    """Lists of `size` items; the last may be shorter."""
    items = iter(items)
    while chunk := list(islice(items, size)):
        yield chunk


def _start_worker() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to answer
    threading.Thread(target=_leave_with_parent, daemon=True).start()


def _leave_with_parent() -> None:
    """Exit when the parent is gone: a killed parent can't stop its pool."""
    parent = multiprocessing.parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)
