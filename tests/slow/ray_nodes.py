"""Nodes of a Ray cluster on this machine, started as `ray start` starts them on many.

A node is killed as a machine dies: all of its processes, at once.
"""

from __future__ import annotations

import os
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil
import pytest

from pipeline.parse.ray_parser import OBJECT_STORE_BYTES
from tests.running import free_port, wait_until

STARTS = 3
"""How often a node is started that Ray gives up: it gives none more than half a minute."""
Node = subprocess.Popen[bytes]
"""A running `ray start --block`."""


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
        for _ in range(STARTS):
            log = self.folder / f"node-{len(self.nodes)}.log"
            with log.open("wb") as said:
                node = subprocess.Popen(
                    [*command, *options],
                    cwd=self.folder,  # the project's code is not there
                    env=self.environment,
                    stdout=said,
                    stderr=said,
                    start_new_session=True,
                )
            self.nodes.append(node)
            if has_started(node, log):
                return node
        raise AssertionError(f"no node starts within the half minute that Ray gives it: {log}")

    def join(self, *options: str, inside: Sequence[str] = ()) -> Node:
        """Add a node that is not the head."""
        return self.add(f"--address={self.address}", *options, inside=inside)

    @contextmanager
    def access(self) -> Iterator[None]:
        """Have the cluster's token in the environment until the block ends."""
        with pytest.MonkeyPatch.context() as environment:
            for name in ("RAY_AUTH_MODE", "RAY_AUTH_TOKEN"):
                environment.setenv(name, self.environment[name])
            yield


def has_started(node: Node, log: Path) -> bool:
    """Whether a node runs, once it does or Ray has given it up."""
    started = "Ray runtime started"
    wait_until(
        lambda: started in log.read_text("utf-8") or node.poll() is not None,
        "the node did not start",
    )
    said = log.read_text("utf-8")
    assert started in said or "timed out during startup" in said, said
    return started in said


def kill_node(node: Node) -> None:
    """SIGKILL all processes of a node, if it is still there."""
    if node.poll() is None:
        below = psutil.Process(node.pid).children(recursive=True)
        os.killpg(node.pid, signal.SIGKILL)
        for worker in below:  # each has a group of its own
            with suppress(psutil.NoSuchProcess):
                worker.kill()
        node.wait()


def wait_for_workers(
    node: Node, wanted: int, work: subprocess.Popen[Any], *, busy: bool = False
) -> list[psutil.Process]:
    """At least so many workers of a node, at a task or idle, before `work` ends."""
    names = ("ray::parse",) if busy else ("ray::parse", "ray::IDLE")

    def enough() -> list[psutil.Process]:
        found = []
        for process in psutil.Process(node.pid).children(recursive=True):
            with suppress(psutil.NoSuchProcess):
                if process.name().startswith(names):
                    found.append(process)
        return found if len(found) >= wanted else []

    return wait_until(enough, "too few workers start", work)


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
        "RAY_memory_monitor_refresh_ms": "0",  # what else runs here takes memory too
    }
    cluster = RayNodes(folder, environment, free_port())
    try:
        head = ["--head", f"--port={cluster.port}", "--include-dashboard=false"]
        cluster.add(*head, f"--temp-dir={folder}", *options)
        yield cluster
    finally:
        for node in reversed(cluster.nodes):
            kill_node(node)
        shutil.rmtree(folder, ignore_errors=True)
