"""Parsing on a Ray cluster: a running one, or a temporary one on this machine.

Code and parser are shipped with the tasks; Ray reruns the tasks of a lost node.
"""

import logging
import os
import secrets
import signal
import socket
import tempfile
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager, redirect_stdout
from functools import cache, partial
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import mgsa
import pipeline
from mgsa.cli.errors import FailedError, InputError
from mgsa.cli.run import Terminated
from mgsa.cli.workers import chunks
from mgsa.run_config import RunConfig
from pipeline.constituency.parser_folder import read_parser_folder
from pipeline.constituency.stanza_parser import (
    BATCH_SENTENCES,
    Batch,
    ConstituencyParser,
    ParsedBatch,
    parse_each,
)
from pipeline.formats.trees import PARSER

LOSSES = 3
"""Workers that may be lost at one batch."""
CONNECT_SECONDS = 10
OBJECT_STORE_BYTES = 128 * 2**20
"""Object store of a cluster on this machine, in shared memory."""

# Read by Ray when it is imported, and by the processes that it starts.
_ENVIRONMENT = {
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",
    "GRPC_VERBOSITY": "ERROR",
}

Files = tuple[tuple[str, Any], ...]
"""A parser's files: their paths, and references to their bytes in Ray's object store."""


@contextmanager
def ray_parser(
    folder: Path, run: RunConfig
) -> Iterator[Callable[[Iterable[list[str]]], Iterator[ParsedBatch]]]:
    """Yield a function that parses batches on a cluster, in order.

    Ray prints to stdout, which is discarded until the block ends.

    Raises:
        InputError: Ray is not installed, there is no cluster at `run.ray_address`, or it has no GPU
            and `run.parse_gpu` asks for one.
        FailedError: no cluster could be started.
    """
    with connected(run):
        import ray

        names = (PARSER, *read_parser_folder(folder).files)
        files = tuple((name, ray.put((folder / name).read_bytes())) for name in names)
        options = {"num_cpus": 1, "num_gpus": int(run.parse_gpu), "max_retries": LOSSES - 1}
        task = ray.remote(scheduling_strategy="SPREAD", **options)(parse)
        yield partial(map_batches, partial(task.remote, files, run.parse_gpu), workers=run.workers)


def parse(files: Files, gpu: bool, batch: Batch) -> ParsedBatch:
    """Parse a batch in a worker, which caches the parser."""
    return parse_each(_load(files, gpu), batch)


@cache
def _load(files: Files, gpu: bool) -> ConstituencyParser:
    import ray
    import torch

    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory(prefix="parser-") as folder:
        for name, content in files:
            file = Path(folder, name)
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(ray.get(content))
        return ConstituencyParser.load(Path(folder), gpu=gpu)


def map_batches(
    submit: Callable[[Batch], Any], sentences: Iterable[list[str]], *, workers: int
) -> Iterator[ParsedBatch]:
    """Yield the results of the tasks that `submit` starts, one for each batch, in order.

    Raises:
        FailedError: a batch has lost `LOSSES` workers, or a machine lacks a library.
        Exception: raised by a task, after the results before it.
    """
    import ray
    from ray.exceptions import RayError, RayTaskError

    results: deque[Any] = deque()
    running: list[Any] = []
    try:
        for batch in chunks(sentences, BATCH_SENTENCES):
            if len(running) == workers:
                _, running = ray.wait(running)
            results.append(submit(batch))
            running.append(results[-1])
            while results[0] not in running:
                yield ray.get(results.popleft())
        while results:
            yield ray.get(results.popleft())
    except RayTaskError as error:
        if isinstance(error.cause, ImportError):
            raise FailedError(
                f"ray: {error.cause}: expected this project's libraries on every machine of the "
                "cluster (pip install '.[pipeline,ray]')"
            ) from error
        raise error.cause from error
    except RayError as error:
        reason = f"workers died {LOSSES} times at one batch: {_last_line(error)}"
        raise FailedError(f"ray: {reason}") from None


@contextmanager
def connected(run: RunConfig) -> Iterator[None]:
    """Connect Ray to a cluster and ship this project's code; errors as `ray_parser`."""
    os.environ.update(_ENVIRONMENT | dict(os.environ))
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
            # Who may connect to its port may run code, so Ray wants a token of all users.
            os.environ.setdefault("RAY_AUTH_TOKEN", secrets.token_hex(32))
            temporary = tempfile.TemporaryDirectory(prefix="ray-", ignore_cleanup_errors=True)
            options = {"address": "local", "num_cpus": run.workers, "include_dashboard": False}
            options["_temp_dir"] = until_end.enter_context(temporary)
            options["object_store_memory"] = OBJECT_STORE_BYTES
        elif run.ray_address != "auto":
            _check_listens(run.ray_address)
        until_end.callback(ray.shutdown)
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
        if run.parse_gpu and not ray.cluster_resources().get("GPU"):
            raise InputError("run.parse_gpu: expected false, as there is no GPU to be used")
        try:
            yield
        except SystemError as error:  # what Ray makes of a SIGTERM
            if isinstance(error.__cause__, Terminated):
                raise error.__cause__ from None
            raise


def _check_listens(address: str) -> None:
    """Fail fast if nothing listens at HOST:PORT; Ray would retry for many minutes."""
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
