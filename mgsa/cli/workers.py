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
from contextlib import contextmanager
from functools import partial
from itertools import chain, islice
from multiprocessing.connection import Connection
from typing import Any, TypeVar

from mgsa.cli.errors import FailedError

T = TypeVar("T")
R = TypeVar("R")

CHUNKS_AHEAD = 2
"""Chunks given out per worker: one at work, one waiting, so that no worker idles."""
KILLED = "workers: a worker process was killed (out of memory?)"


def map_chunks(
    function: Callable[[list[T]], R],
    items: Iterable[T],
    *,
    workers: int,
    chunk_size: int,
    fork: bool = False,
) -> Iterator[R]:
    """Yield `function(chunk)` for the `chunks` of `items`, in order.

    Only a few chunks per worker are in flight. One worker, or items of a single chunk, need no
    other process. Chunks are pickled, and the function but for `fork`: then workers share all that
    this process has in memory, such as a model.

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
    pool = _pool(function, workers, fork=fork)
    pending: deque[Future[R]] = deque()
    try:
        while True:
            for chunk in islice(given, CHUNKS_AHEAD * workers - len(pending)):
                pending.append(_submit(pool, chunk))
            if not pending:
                return
            yield pending.popleft().result()
    except BrokenProcessPool:
        raise FailedError(KILLED) from None
    finally:
        # Not waiting: a generator may be closed by any thread, the pool's own too.
        pool.shutdown(wait=False, cancel_futures=True)


@contextmanager
def forked(function: Callable[[], R]) -> Iterator[Callable[[], R]]:
    """Run `function` in a process that shares this one's memory; a call in the block waits for it.

    The process ends with the block at the latest.

    Raises:
        FailedError: the process was killed.
        Exception: whatever `function` raised.
    """
    context = multiprocessing.get_context("fork")
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=_send, args=(function, sender))
    process.start()
    sender.close()

    def result() -> R:
        try:
            found: R | Exception = receiver.recv()
        except EOFError:
            raise FailedError(KILLED) from None
        if isinstance(found, Exception):
            raise found
        return found

    try:
        yield result
    finally:
        process.kill()


def _send(function: Callable[[], Any], sender: Connection) -> None:
    try:
        _depend_on_parent()
        found = function()
    except Exception as error:
        found = error
    sender.send(found)


def _pool(function: Callable[[list[T]], R], workers: int, *, fork: bool) -> ProcessPoolExecutor:
    """Processes whose `_work` is a function.

    They are forked from a server that is a fresh interpreter: a fork of this process copies locks
    that a thread of ours may hold (OpenMP and progress bars have threads).
    """
    context = multiprocessing.get_context("fork" if fork else "forkserver")
    start = partial(_start_worker, function)
    return ProcessPoolExecutor(workers, mp_context=context, initializer=start)


def _submit(pool: ProcessPoolExecutor, chunk: list[Any]) -> Future[Any]:
    try:
        return pool.submit(_work, chunk)
    except (OSError, EOFError, RuntimeError) as error:
        # The system refused a process or a thread: workers that have begun would wait for ever.
        for process in multiprocessing.active_children():
            process.kill()
        if isinstance(error, EOFError):  # of the server that forks
            raise FailedError("workers: the system refused another process") from None
        raise


def chunks(items: Iterable[T], size: int) -> Iterator[list[T]]:
    """Lists of `size` items; the last may be shorter."""
    items = iter(items)
    while chunk := list(islice(items, size)):
        yield chunk


_function: Callable[[Any], Any]


def _start_worker(function: Callable[[Any], Any]) -> None:
    global _function  # noqa: PLW0603, a worker has this one
    _function = function
    try:
        _depend_on_parent()
    except RuntimeError as refused:  # another thread
        _function = partial(_fail, refused)


def _fail(error: Exception, _chunk: Any) -> None:
    raise error


def _depend_on_parent() -> None:
    """Leave Ctrl-C to the parent, and leave with it; end by SIGTERM, whatever the parent does."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    threading.Thread(target=_leave_with_parent, daemon=True).start()


def _work(chunk: list[Any]) -> Any:
    return _function(chunk)


def _leave_with_parent() -> None:
    """Exit when the parent is gone: a killed parent can't stop its pool."""
    parent = multiprocessing.parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)
