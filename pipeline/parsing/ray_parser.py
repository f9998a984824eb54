"""Parsing on a Ray cluster: a running one, or one of this machine for the time of a block.

Ray runs what a lost node was at again on another; the code and, on a running cluster, the parser
are sent along.
"""

from __future__ import annotations

import logging
import os
import secrets
import signal
import socket
import sys
import tempfile
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager, redirect_stdout
from functools import cache, partial
from itertools import islice
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import mgsa
import pipeline
from mgsa.base.cli import Terminated
from mgsa.base.errors import FailedError, InputError
from mgsa.base.settings import RunConfig
from pipeline.parsing.parser_folder import FILE, read_parser_folder
from pipeline.parsing.stanza_parser import (
    Batch,
    ConstituencyParser,
    ParsedBatch,
    parse_each,
    parse_in_process,
)

LOSSES = 3
"""Workers that may be lost at one batch."""
NOTICE_SECONDS = 30
"""Seconds without a result until a note says how much of the cluster is free."""
CONNECT_SECONDS = 10
OBJECT_STORE_BYTES = 128 * 2**20
"""Of a cluster of this machine, in shared memory."""

# Read by Ray when it is imported, and by the processes that it starts.
_ENVIRONMENT = {
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_ENABLE_AUTO_CONNECT": "0",  # a lost cluster is not replaced by one of this machine
    "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",
    "GRPC_VERBOSITY": "ERROR",
}


@cache
def _load_sent(files: tuple[tuple[str, Any], ...], gpu: bool) -> ConstituencyParser:
    """The parser of a worker, from references to its files in the object store, by their paths."""
    import ray
    import torch

    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory(prefix="parser-") as folder:
        for name, content in files:
            file = Path(folder, name)
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(ray.get(content))
        return ConstituencyParser.load(Path(folder), gpu=gpu)


def _parse_with_sent(files: tuple[tuple[str, Any], ...], gpu: bool, batch: Batch) -> ParsedBatch:
    return parse_each(_load_sent(files, gpu), batch)


@contextmanager
def ray_parser(
    folder: Path, run: RunConfig
) -> Iterator[Callable[[Iterable[Batch]], Iterator[ParsedBatch]]]:
    """Give a function that parses batches on a cluster, in their order.

    Until the block ends, what is printed to stdout is lost, for there Ray prints.

    Raises:
        InputError: Ray is not installed, there is no cluster at `run.ray_address`, or this machine
            is to be the cluster and has no GPU.
        FailedError: no cluster could be started.
    """
    with _connected(run):
        import ray

        if run.ray_address is None:
            function = partial(parse_in_process, folder.resolve(), run.parse_gpu)
        else:
            names = (FILE, *read_parser_folder(folder).files)
            files = tuple((name, ray.put((folder / name).read_bytes())) for name in names)
            function = partial(_parse_with_sent, files, run.parse_gpu)
        task = ray.remote(
            num_cpus=1,
            num_gpus=int(run.parse_gpu),
            max_retries=LOSSES - 1,
            scheduling_strategy="SPREAD",
        )(parse)
        yield partial(_map, task, ray.put(function), run)


def parse(function: Callable[[Batch], ParsedBatch], batch: Batch) -> ParsedBatch:
    """The task, by whose name Ray shows its workers."""
    return function(batch)


def _map(task: Any, function: Any, run: RunConfig, batches: Iterable[Batch]) -> Iterator[Any]:
    """The results of a task for each batch, as many of which run at once as there are workers.

    Raises:
        FailedError: a batch has lost `LOSSES` workers.
        Exception: what the task raised, after the results before it.
    """
    import ray
    from ray.exceptions import RayError, RayTaskError

    batches = iter(batches)
    results: deque[Any] = deque()
    running: list[Any] = []
    noticed = False
    while True:
        for batch in islice(batches, run.workers - len(running)):
            results.append(task.remote(function, batch))
            running.append(results[-1])
        if not results:
            return
        if running:
            done, running = ray.wait(running, timeout=NOTICE_SECONDS)
            if not done and not noticed:
                noticed = True
                _notice(run)
        while results and results[0] not in running:
            try:
                yield ray.get(results.popleft())
            except RayTaskError as error:
                if isinstance(error.cause, ImportError):
                    raise FailedError(
                        f"ray: {error.cause}: expected this project's libraries on every machine "
                        "of the cluster (pip install '.[pipeline,ray]')"
                    ) from error
                raise error.cause from error
            except RayError as error:
                reason = f"workers died {LOSSES} times at one batch: {_last_line(error)}"
                raise FailedError(f"ray: {reason}") from None


def _notice(run: RunConfig) -> None:
    import ray

    takes = "1 CPU and 1 GPU" if run.parse_gpu else "1 CPU"
    free = ray.available_resources()
    print(
        f"ray: no result in {NOTICE_SECONDS} s: each worker takes {takes}, and the cluster has "
        f"{free.get('CPU', 0):.0f} CPUs and {free.get('GPU', 0):.0f} GPUs free",
        file=sys.stderr,
    )


@contextmanager
def _connected(run: RunConfig) -> Iterator[None]:
    """Have Ray connected to a cluster, to which this project's code goes along."""
    for name, value in _ENVIRONMENT.items():
        os.environ.setdefault(name, value)
    try:
        import ray
    except ModuleNotFoundError as error:
        if error.name != "ray":
            raise
        raise InputError(
            "run.executor: ray is not installed: expected processes, or Ray beside this project "
            "(pip install '.[ray]')"
        ) from None
    logging.getLogger("ray").addHandler(logging.NullHandler())  # or Python prints what it warns of
    handler = signal.getsignal(signal.SIGTERM)
    with ExitStack() as until_end:
        nowhere = until_end.enter_context(Path(os.devnull).open("w"))
        until_end.enter_context(redirect_stdout(nowhere))
        options: dict[str, Any] = {"address": run.ray_address}
        if run.ray_address is None:
            options = _options_here(until_end, run.workers)
        elif run.ray_address != "auto":
            _check_listens(run.ray_address)
        until_end.callback(ray.shutdown)
        until_end.enter_context(_leaving_as_terminated())
        try:
            ray.init(
                **options,
                runtime_env={
                    "py_modules": [str(Path(one.__path__[0])) for one in (mgsa, pipeline)],
                    "excludes": ["**/__pycache__/**"],
                },
                logging_level=logging.CRITICAL,
                log_to_driver=False,
            )
        except (OSError, RuntimeError, ValueError) as error:
            if run.ray_address is not None:
                raise _no_cluster(run.ray_address, _last_line(error)) from error
            raise FailedError(f"ray: no cluster on this machine: {_last_line(error)}") from error
        finally:
            signal.signal(signal.SIGTERM, handler)  # Ray has put in its own
        if run.parse_gpu and run.ray_address is None and not ray.cluster_resources().get("GPU"):
            raise InputError("run.parse_gpu: expected false, as there is no GPU to be used")
        yield


@contextmanager
def _leaving_as_terminated() -> Iterator[None]:
    """Raise `Terminated` on a SIGTERM, of which Ray makes a `SystemError` or an exit."""
    try:
        yield
    except SystemExit as error:
        if error.code == signal.SIGTERM:
            raise Terminated from error
        raise
    except SystemError as error:
        if isinstance(error.__cause__, Terminated):
            raise error.__cause__ from None
        raise


def _options_here(until_end: ExitStack, workers: int) -> dict[str, Any]:
    """Options of `ray.init` for a cluster of this machine."""
    # Who may connect to its port may run code, so Ray wants a token of all users of the machine.
    os.environ.setdefault("RAY_AUTH_TOKEN", secrets.token_hex(32))
    folder = tempfile.TemporaryDirectory(prefix="ray-", ignore_cleanup_errors=True)
    return {
        "address": "local",
        "num_cpus": workers,
        "include_dashboard": False,
        "object_store_memory": OBJECT_STORE_BYTES,
        "_temp_dir": until_end.enter_context(folder),
    }


def _check_listens(address: str) -> None:
    """Check that someone listens at HOST:PORT, for which Ray would look for many minutes."""
    place = urlsplit(f"//{address}")
    try:
        socket.create_connection((place.hostname, place.port), timeout=CONNECT_SECONDS).close()
    except (ValueError, OSError) as error:
        raise _no_cluster(address, getattr(error, "strerror", None) or str(error)) from None


def _no_cluster(address: str, why: str) -> InputError:
    return InputError(f"run.ray_address: expected a Ray cluster at {address}: {why}")


def _last_line(error: Exception) -> str:
    lines = [line for line in str(error).splitlines() if line.strip()]
    return lines[-1].split(" Some common causes")[0].strip() if lines else type(error).__name__
