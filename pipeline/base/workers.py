"""One function over a stream in chunks, on several processes, in order and in bounded memory."""

from __future__ import annotations

import errno
import multiprocessing
import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from itertools import chain, islice
from typing import Any, TypeVar

T = TypeVar("T")
R = TypeVar("R")

CHUNKS_AHEAD = 2
"""Chunks given out per worker: one at work, one waiting, so that no worker idles."""
CHUNK_CHARACTERS = 1 << 24
"""A chunk of text ends with the item that reaches so many, which sentences never do: among 16,384
of them it takes a thousand characters in each."""

# A worker is forked from a server that is a fresh interpreter, never from this process: a fork
# would copy locks that a thread of ours may hold (torch, OpenMP and progress bars have threads).
# The first worker costs about 0.15 s, later ones 0.03 s; they import what their function needs.
_START_METHOD = "forkserver"


class WorkerDiedError(ChildProcessError):
    """A worker process was ended from outside: killed, or out of memory."""


def map_chunks(
    function: Callable[[list[T]], R],
    items: Iterable[T],
    *,
    workers: int,
    chunk_size: int,
    characters: Callable[[T], int] | None = None,
    initializer: Callable[..., None] | None = None,
    initargs: tuple[Any, ...] = (),
) -> Iterator[R]:
    """Yield `function(chunk)` for the `chunks` of some items, in the order of the items.

    Only a few chunks per worker are in flight: `items` is read as results are taken. Results and
    errors are the same for any number of workers: what comes before the first error is yielded
    first, then the error is raised as it was in the worker.

    Args:
        function: a function of a module (workers import it by name); takes a list, never empty.
        items: sent to workers by pickle; read in this process only.
        workers: processes. With 1, or if all items fit one chunk, the work is done in this one.
        chunk_size: items a call; large enough that the work outweighs the sending.
        characters: how long an item is, if that bounds a chunk too.
        initializer: called once in every process that works, before its first chunk.
        initargs: its arguments.

    Raises:
        WorkerDiedError: a worker was killed.
        Exception: whatever `items`, `initializer` or `function` raised.
    """
    if workers < 1 or chunk_size < 1:
        raise ValueError(f"expected at least 1 worker and 1 item a chunk: {workers}, {chunk_size}")
    given = chunks(items, chunk_size, characters)
    first = list(islice(given, 2 if workers > 1 else 0))
    given = chain(first, given)
    if len(first) > 1:
        yield from _map_in_pool(function, given, workers, initializer, initargs)
        return
    for number, chunk in enumerate(given):
        if number == 0 and initializer is not None:
            initializer(*initargs)
        yield function(chunk)


def _map_in_pool(
    function: Callable[[list[T]], R],
    given: Iterator[list[T]],
    workers: int,
    initializer: Callable[..., None] | None,
    initargs: tuple[Any, ...],
) -> Iterator[R]:
    pool = ProcessPoolExecutor(
        workers,
        mp_context=multiprocessing.get_context(_START_METHOD),
        initializer=_start_worker,
        initargs=(initializer, initargs),
    )
    pending: deque[Future[R]] = deque()
    unread: Exception | None = None
    try:
        while True:
            try:
                for chunk in islice(given, CHUNKS_AHEAD * workers - len(pending)):
                    pending.append(pool.submit(_call, function, chunk))
            except BrokenProcessPool:
                raise
            except Exception as error:  # of `items`: chunks read before it come first
                unread = error
            if not pending:
                break
            yield pending.popleft().result()
        if unread is not None:
            raise unread
    except BrokenProcessPool:
        raise WorkerDiedError(
            errno.ECHILD, "a worker process was killed (out of memory?)", "workers"
        ) from None
    finally:
        pool.shutdown(cancel_futures=True)


def chunks(
    items: Iterable[T], size: int, characters: Callable[[T], int] | None = None
) -> Iterator[list[T]]:
    """Runs of `size` items, the last of which may be shorter, as may those of very long items.

    Args:
        characters: how long an item is, if a chunk is to end where it has `CHUNK_CHARACTERS` too.
    """
    chunk: list[T] = []
    length = 0
    for item in items:
        chunk.append(item)
        length += characters(item) if characters is not None else 0
        if len(chunk) == size or length >= CHUNK_CHARACTERS:
            yield chunk
            chunk, length = [], 0
    if chunk:
        yield chunk


_failure: Exception | None = None
"""In a worker: what its initializer raised. The pool itself would only say that it broke."""


def _start_worker(initializer: Callable[..., None] | None, initargs: tuple[Any, ...]) -> None:
    global _failure
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to answer
    threading.Thread(target=_leave_with_parent, daemon=True).start()
    try:
        if initializer is not None:
            initializer(*initargs)
    except Exception as error:
        _failure = error


def _leave_with_parent() -> None:
    """End this worker when its parent is gone: a killed parent can't tell its pool to stop."""
    parent = multiprocessing.parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)


def _call(function: Callable[[list[T]], R], chunk: list[T]) -> R:
    if _failure is not None:
        raise _failure
    return function(chunk)
