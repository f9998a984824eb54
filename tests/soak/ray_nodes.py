"""Nodes of a Ray cluster on this machine, started as `ray start` starts them on many.

A node's processes are a group of their own, so it is killed as a machine dies: at once, all of it.
"""

from __future__ import annotations

import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil
import pytest

from pipeline.ray_cluster import OBJECT_STORE_BYTES
from tests.running import PATIENCE


@dataclass(frozen=True)
class Node:
    """A running `ray start --block`."""

    process: subprocess.Popen[bytes]

    def kill(self) -> None:
        """SIGKILL all of its processes, if it is still there."""
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()


@dataclass
class RayNodes:
    """A cluster: its head, and nodes that come and go."""

    folder: Path
    environment: dict[str, str]
    port: int
    nodes: list[Node] = field(default_factory=list)

    @property
    def address(self) -> str:
        """Of its head, for `ray.init`."""
        return f"127.0.0.1:{self.port}"

    def add(self, *options: str, inside: Sequence[str] = ()) -> Node:
        """Start a node with these options of `ray start`, by the command `inside`, if any."""
        command = [*inside, sys.executable, "-m", "ray.scripts.scripts", "start", "--block"]
        command += ["--disable-usage-stats", f"--object-store-memory={OBJECT_STORE_BYTES}"]
        with (self.folder / f"node-{len(self.nodes)}.log").open("wb") as log:
            process = subprocess.Popen(
                [*command, *options],
                cwd=self.folder,  # the project's code is not there
                env=self.environment,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        self.nodes.append(Node(process))
        started = f"node-{len(self.nodes) - 1}.log"
        deadline = time.monotonic() + PATIENCE
        while "Ray runtime started" not in (self.folder / started).read_text("utf-8"):
            assert process.poll() is None, (self.folder / started).read_text("utf-8")
            assert time.monotonic() < deadline, "the node did not start"
            time.sleep(0.1)
        return self.nodes[-1]

    @contextmanager
    def access(self) -> Iterator[None]:
        """Have the cluster's token in the environment until the block ends."""
        with pytest.MonkeyPatch.context() as environment:
            for name in ("RAY_AUTH_MODE", "RAY_AUTH_TOKEN"):
                environment.setenv(name, self.environment[name])
            yield

    def join(self, *options: str, inside: Sequence[str] = ()) -> Node:
        """Add a node that is not the head."""
        return self.add(f"--address={self.address}", *options, inside=inside)


def wait_for_actors(
    of: subprocess.Popen[Any], wanted: int, work: subprocess.Popen[str]
) -> list[psutil.Process]:
    """At least so many actors below a process, which are there before `work` ends."""
    deadline = time.monotonic() + PATIENCE
    while len(found := _actors(of)) < wanted:
        assert work.poll() is None, work.communicate()
        assert time.monotonic() < deadline, "too few actors start"
        time.sleep(0.05)
    return found


def _actors(of: subprocess.Popen[Any]) -> list[psutil.Process]:
    found = []
    for process in psutil.Process(of.pid).children(recursive=True):
        with suppress(psutil.NoSuchProcess):
            if process.name().startswith("ray::_Actor"):
                found.append(process)
    return found


def free_port() -> int:
    """A port that nobody listens at."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


@contextmanager
def ray_head(*options: str) -> Iterator[RayNodes]:
    """A cluster of a head with these options of `ray start`; it asks for a token.

    Its processes and files are gone when the block ends.
    """
    # The default folder of pytest is too long: sockets lie in it.
    folder = Path(tempfile.mkdtemp(prefix="ray", dir="/tmp"))
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    environment |= {
        "RAY_AUTH_MODE": "token",
        "RAY_AUTH_TOKEN": secrets.token_hex(32),
    }
    cluster = RayNodes(folder, environment, free_port())
    try:
        cluster.add(
            "--head",
            f"--port={cluster.port}",
            f"--temp-dir={folder}",
            "--include-dashboard=false",
            *options,
        )
        yield cluster
    finally:
        for node in reversed(cluster.nodes):
            node.kill()
        shutil.rmtree(folder, ignore_errors=True)
