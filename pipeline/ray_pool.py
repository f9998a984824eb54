"""One function over a stream in chunks, on a Ray cluster, in order and in bounded memory.

As `pipeline.base.workers` has it for the processes of one machine. Here machines come and go: what
a lost worker had is given to another, so a chunk may be worked on twice, but counts once.
"""

from __future__ import annotations

import errno
import sys
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, Generic, TypeVar

from mgsa.base.errors import FailedError
from pipeline.base.workers import CHUNKS_AHEAD, WorkerDiedError, chunks
from pipeline.ray_cluster import check_head

T = TypeVar("T")
R = TypeVar("R")

LOSSES = 3
"""Workers that may be lost at one chunk, and in a row by one place before they started."""
NOTICE_SECONDS = 30
"""How long it is silent that the cluster has no room for a worker."""
START_SECONDS = 600
"""How long there may be no worker at all: a cluster may have to start a machine."""
_LOOK_SECONDS = 5


def map_chunks(
    function: Callable[[list[T]], R],
    items: Iterable[T],
    *,
    workers: int,
    chunk_size: int,
    gpu: bool,
    initializer: Callable[..., None] | None = None,
    initargs: tuple[Any, ...] = (),
) -> Iterator[R]:
    """As `pipeline.base.workers.map_chunks`, on the cluster that Ray is connected to.

    Args:
        workers: at most; the cluster runs as many as it has room for.
        gpu: whether a worker takes a GPU besides a CPU.

    Raises:
        WorkerDiedError: a chunk has lost `LOSSES` workers.
        FailedError: no worker could be started, a machine lacks what one needs, or the cluster is
            gone.
        Exception: whatever `items`, `initializer` or `function` raised.
    """
    if workers < 1 or chunk_size < 1:
        raise ValueError(f"expected at least 1 worker and 1 item a chunk: {workers}, {chunk_size}")
    pool: _Pool[T, R] = _Pool(function, workers, gpu, initializer, initargs)
    try:
        yield from pool.results(chunks(items, chunk_size))
    finally:
        pool.end()


class _Actor:
    """What runs on the cluster: one process that takes chunks, one after the other."""

    def __init__(self, initializer: Callable[..., None] | None, initargs: tuple[Any, ...]) -> None:
        self._initializer = initializer
        self._initargs = initargs

    def node(self) -> str:
        """The address of the machine."""
        import ray

        return str(ray.util.get_node_ip_address())

    def call(self, function: Callable[[list[T]], R], chunk: list[T]) -> R:
        """`function(chunk)`; what the initializer raises is the outcome of a chunk too."""
        if self._initializer is not None:
            self._initializer(*self._initargs)
            self._initializer = None
        return function(chunk)


@dataclass
class _Chunk(Generic[T, R]):
    """Items that go to a worker together, and what came of them."""

    number: int
    items: list[T]
    losses: int = 0
    done: bool = False
    result: R | None = None
    error: Exception | None = None


@dataclass
class _Worker(Generic[T, R]):
    """An actor as seen from here.

    Attributes:
        started: gives its machine when it has started.
        node: its machine; `None` until then.
        chunks: what it has, in the order in which it works, each with what will give the result.
        failed_starts: how many before it, in a row, were lost in its place before they started.
    """

    actor: Any
    started: Any
    failed_starts: int
    node: str | None = None
    chunks: deque[tuple[Any, _Chunk[T, R]]] = field(default_factory=deque)


class _Pool(Generic[T, R]):
    """Chunks and workers, and which worker has which chunks."""

    def __init__(
        self,
        function: Callable[[list[T]], R],
        workers: int,
        gpu: bool,
        initializer: Callable[..., None] | None,
        initargs: tuple[Any, ...],
    ) -> None:
        import ray

        self._function = function
        self._num_workers = workers
        self._gpu = gpu
        self._initializer = initializer
        self._initargs = initargs
        # It is this pool that replaces a lost worker, as Ray would not say whose fault it was.
        self._remote = ray.remote(
            num_cpus=1, num_gpus=int(gpu), max_restarts=0, scheduling_strategy="SPREAD"
        )(_Actor)
        self._workers: list[_Worker[T, R]] = []
        self._places_lost = 0
        self._waiting: deque[_Chunk[T, R]] = deque()
        self._idle_since = time.monotonic()
        self._noticed = False
        self._head_seen = time.monotonic()

    def results(self, chunks: Iterator[list[T]]) -> Iterator[R]:
        """The results in the order of the chunks, which are read as results are taken."""
        pending: deque[_Chunk[T, R]] = deque()
        unread: Exception | None = None
        number = 0
        while True:
            try:
                for items in islice(chunks, CHUNKS_AHEAD * self._num_workers - len(pending)):
                    number += 1
                    pending.append(_Chunk(number, items))
                    self._waiting.append(pending[-1])
            except Exception as error:  # of `items`: chunks read before it come first
                unread = error
            if not pending:
                break
            while not pending[0].done:
                self._employ(len(pending))
                self._give_out()
                self._wait()
            chunk = pending.popleft()
            if chunk.error is not None:
                raise chunk.error
            yield chunk.result  # type: ignore[misc]
        if unread is not None:
            raise unread

    def end(self) -> None:
        """End all workers, if the cluster is still there: or else Ray would wait for its head."""
        import ray

        if self._workers and ray.is_initialized():
            with suppress(FailedError):
                check_head(patience=0)
                for worker in self._workers:
                    ray.kill(worker.actor)
        self._workers = []

    def _employ(self, wanted: int) -> None:
        """Have as many workers as there are places, or as can be of use."""
        wanted = min(wanted, self._num_workers)
        while len(self._workers) + self._places_lost < wanted:
            self._workers.append(self._start(failed_starts=0))

    def _start(self, failed_starts: int) -> _Worker[T, R]:
        actor = self._remote.remote(self._initializer, self._initargs)
        return _Worker(actor, actor.node.remote(), failed_starts)

    def _give_out(self) -> None:
        """Give chunks to those who have started, to all the first before any has the second."""
        for depth in range(CHUNKS_AHEAD):
            for worker in self._workers:
                if self._waiting and worker.node is not None and len(worker.chunks) == depth:
                    chunk = self._waiting.popleft()
                    worker.chunks.append(
                        (worker.actor.call.remote(self._function, chunk.items), chunk)
                    )

    def _wait(self) -> None:
        """Wait until a worker has started, finished a chunk or been lost; see to it."""
        import ray

        awaited = {}
        for worker in self._workers:
            if worker.node is None:
                awaited[worker.started] = worker
            elif worker.chunks:
                awaited[worker.chunks[0][0]] = worker
        ray.wait(list(awaited), timeout=_LOOK_SECONDS)
        # Of several, it gives the first: another would wait as long as that one is always ready.
        ready, _ = ray.wait(list(awaited), num_returns=len(awaited), timeout=0)
        # Without a head those that are there work on, and then Ray ends this process.
        if time.monotonic() - self._head_seen > _LOOK_SECONDS:
            check_head()
            self._head_seen = time.monotonic()
        for reference in ready:
            self._take(reference, awaited[reference])
        if any(worker.node is not None for worker in self._workers):
            self._idle_since = time.monotonic()
        else:
            self._check_patience()

    def _take(self, reference: Any, worker: _Worker[T, R]) -> None:
        import ray
        from ray.exceptions import RayError, RayTaskError

        try:
            value = ray.get(reference)
        except RayTaskError as error:
            if worker.node is None:
                self._lose(worker, error)
                return
            chunk = worker.chunks.popleft()[1]
            chunk.error = _raised(error, worker.node)
        except RayError as error:
            self._lose(worker, error)
            return
        else:
            if worker.node is None:
                worker.node = value
                return
            chunk = worker.chunks.popleft()[1]
            chunk.result = value
        chunk.done = True

    def _lose(self, worker: _Worker[T, R], error: Exception) -> None:
        """Put another worker in the place of a lost one, and give its chunks to the others."""
        import ray

        ray.kill(worker.actor)  # it may be out of reach only
        self._workers.remove(worker)
        chunks = [chunk for _, chunk in worker.chunks]
        if chunks:
            # The first is the one that it was at. Those behind it are not to blame.
            chunks[0].losses += 1
            if chunks[0].losses == LOSSES:
                chunk = chunks.pop(0)
                chunk.done = True
                chunk.error = WorkerDiedError(
                    errno.ECHILD,
                    f"{LOSSES} workers died at chunk {chunk.number}, the last one on "
                    f"{worker.node}: {_reason(error)}",
                    "ray",
                )
        self._waiting.extendleft(reversed(chunks))
        failed_starts = worker.failed_starts + 1 if worker.node is None else 0
        if failed_starts < LOSSES:
            self._workers.append(self._start(failed_starts))
            return
        self._places_lost += 1
        if not self._workers:
            raise FailedError(f"ray: no worker can start: {_reason(error)}")

    def _check_patience(self) -> None:
        """Say that there is no worker, in time, and give up in the end."""
        import ray

        waited = time.monotonic() - self._idle_since
        if waited < (START_SECONDS if self._noticed else NOTICE_SECONDS):
            return
        takes = "1 CPU and 1 GPU" if self._gpu else "1 CPU"
        free = ray.available_resources()
        cpus, gpus = free.get("CPU", 0), free.get("GPU", 0)
        state = (
            f"ray: no worker has started in {waited:.0f} s: each takes {takes}, and the cluster "
            f"has {cpus:.0f} CPUs and {gpus:.0f} GPUs free"
        )
        if self._noticed:
            raise FailedError(state)
        self._noticed = True
        print(state, file=sys.stderr)


def _raised(error: Any, node: str) -> Exception:
    """What a worker's function raised, as it was raised there."""
    cause: Exception = error.cause
    if isinstance(cause, ImportError):
        return FailedError(
            f"ray: {node}: {cause}: expected this project's libraries on every machine of the "
            "cluster (pip install '.[pipeline,ray]')"
        )
    cause.__cause__ = error  # which has the traceback
    return cause


def _reason(error: Exception) -> str:
    """What Ray knows of a death, less what it guesses."""
    lines = [line for line in str(error).splitlines() if line.strip()]
    return lines[-1].split(" Some common causes")[0].strip() if lines else type(error).__name__
