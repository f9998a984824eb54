"""A Ray cluster for the time of a block: one that is running, or one on this machine alone.

Ray is an extra, and speaks a lot: of its deaths and waits this project says itself what matters.
Nothing here needs the network, beyond the cluster's own.
"""

from __future__ import annotations

import contextlib
import logging
import os
import secrets
import signal
import socket
import subprocess
import sys
import tempfile
import textwrap
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import mgsa
import pipeline
from mgsa.base.cli import Terminated
from mgsa.base.errors import FailedError, InputError

ANSWER_SECONDS = 60
"""How long a cluster may take to answer. Ray itself would try for many minutes."""
HEAD_SECONDS = 30
"""How long the cluster's head may be out of reach. After 180 Ray ends the process, at length."""
OBJECT_STORE_BYTES = 128 * 2**20
"""Of a cluster on this machine, in shared memory: it holds results until they are taken."""

# Read by Ray when it is imported, and by the processes that it starts.
_ENVIRONMENT = {
    "RAY_USAGE_STATS_ENABLED": "0",  # nothing is reported to anyone
    "RAY_ENABLE_AUTO_CONNECT": "0",  # a lost cluster is not replaced by one of this machine
    "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",  # what a later version will do is not said
    "RAY_gcs_rpc_server_reconnect_timeout_s": "180",  # who looks for the head says so long before
    "GRPC_VERBOSITY": "ERROR",
}

# Prints what is at the bottom of what was raised: on top of it Ray says that it could not connect.
_PROBE = """
import sys
import ray
try:
    ray.init(sys.argv[1], logging_level="CRITICAL", log_to_driver=False)
except Exception as error:
    while cause := error.__cause__ or error.__context__:
        error = cause
    sys.exit(f"{error}")
"""


@contextlib.contextmanager
def connected(address: str | None, *, workers: int, gpu: bool) -> Iterator[None]:
    """Have Ray connected to the cluster at `address` until the block ends.

    This project's code goes along: workers run what this process runs, whatever their machine has.
    Until the block ends, what is printed to stdout is lost, for there Ray prints.

    Args:
        address: as `ray.init` takes it on a machine of the cluster (`auto`, `HOST:PORT`); `None`:
            one is started on this machine, with as many CPUs as there are workers, and ended.
        workers: how many there are to be.
        gpu: whether each takes a GPU.

    Raises:
        InputError: Ray is not installed, there is no cluster at `address`, or it is to be this
            machine, which has no GPU.
        FailedError: no cluster could be started.
    """
    for name, value in _ENVIRONMENT.items():
        os.environ.setdefault(name, value)
    ray = _import_ray()
    logging.getLogger("ray").addHandler(logging.NullHandler())  # or Python prints what it warns of
    handler = signal.getsignal(signal.SIGTERM)
    with contextlib.ExitStack() as until_end:
        until_end.enter_context(
            contextlib.redirect_stdout(until_end.enter_context(Path(os.devnull).open("w")))
        )
        if address is None:
            folder = until_end.enter_context(
                tempfile.TemporaryDirectory(prefix="ray-", ignore_cleanup_errors=True)
            )
            options = _options_here(folder, workers)
        else:
            _check_answers(address)
            options = {"address": address}
        until_end.callback(ray.shutdown)
        try:
            with _leaving_as_told():
                ray.init(
                    **options,
                    runtime_env={
                        "py_modules": [str(Path(one.__path__[0])) for one in (mgsa, pipeline)],
                        "excludes": ["**/__pycache__/**"],
                    },
                    logging_level=logging.CRITICAL,
                    log_to_driver=False,
                )
        except Exception as error:
            where = "on this machine" if address is None else f"at {address}"
            raise FailedError(f"ray: no cluster {where}: {_in_short(str(error))}") from error
        finally:
            signal.signal(signal.SIGTERM, handler)  # Ray has put in its own
        if gpu and address is None and ray.cluster_resources().get("GPU", 0) < 1:
            raise InputError("parse.gpu: expected false, as there is no GPU to be used")
        with _leaving_as_told():
            yield


@contextlib.contextmanager
def _leaving_as_told() -> Iterator[None]:
    """Raise what a SIGTERM does as it is.

    Ray's compiled code makes it an error of the system; while Ray starts, its own handler exits.
    """
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


def check_head(patience: float = HEAD_SECONDS) -> None:
    """Check that the head of the cluster can be reached, or can again within so many seconds.

    Raises:
        FailedError: it can't.
    """
    import ray

    address = ray.get_runtime_context().gcs_address
    deadline = time.monotonic() + patience
    while True:
        try:
            _connect(address, seconds=HEAD_SECONDS / 6)
            return
        except OSError as error:
            if time.monotonic() >= deadline:
                why = error.strerror or str(error)
                raise FailedError(f"ray: the cluster is gone: {address}: {why}") from error
        time.sleep(1)


def _connect(address: str, *, seconds: float) -> None:
    """Connect to HOST:PORT and hang up.

    Raises:
        ValueError: that is no address.
        OSError: nobody listens there.
    """
    place = urlsplit(f"//{address}")
    socket.create_connection((place.hostname, place.port), timeout=seconds).close()


def _import_ray() -> Any:
    try:
        import ray
    except ModuleNotFoundError as error:
        if error.name != "ray":
            raise
        raise InputError(
            "parse.executor: ray is not installed: expected processes, or Ray beside this project "
            "(pip install '.[ray]')"
        ) from None
    return ray


def _options_here(folder: str, workers: int) -> dict[str, Any]:
    """Options of `ray.init` for a cluster of one's own, whose files go to `folder`."""
    # A port of this machine is open to all its users, and whoever may connect may run code, so Ray
    # wants a token of them. One that it makes itself would stay in the home folder.
    os.environ.setdefault("RAY_AUTH_TOKEN", secrets.token_hex(32))
    return {
        "address": "local",
        "num_cpus": workers,
        "include_dashboard": False,
        "object_store_memory": OBJECT_STORE_BYTES,
        "_temp_dir": folder,
    }


def _check_answers(address: str) -> None:
    """Check that there is a cluster at `address`, in a time that is bounded."""
    if address != "auto":
        try:
            _connect(address, seconds=ANSWER_SECONDS / 6)
        except (ValueError, OSError) as error:
            why = getattr(error, "strerror", None) or str(error)
            raise _no_cluster(address, why) from None
    # What listens there may be no Ray, or one that doesn't take us. Ray tries on then, where no
    # signal and no other thread can stop it, so it tries in a process of its own first.
    try:
        probe = subprocess.run(
            [sys.executable, "-c", _PROBE, address],
            capture_output=True,
            text=True,
            timeout=ANSWER_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise _no_cluster(address, f"no answer within {ANSWER_SECONDS} s") from None
    if probe.returncode != 0:
        raise _no_cluster(address, _in_short(probe.stderr))


def _no_cluster(address: str, why: str) -> InputError:
    return InputError(f"parse.ray_address: expected a Ray cluster at {address}: {why}")


def _in_short(text: str) -> str:
    """The last line, cut where it becomes a manual."""
    lines = [line for line in text.splitlines() if line.strip()]
    return textwrap.shorten(lines[-1], 240, placeholder=" …") if lines else "no reason given"
