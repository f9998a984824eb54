"""Processes of tests: how long they may take, whether one is still there, where it may listen."""

from __future__ import annotations

import socket
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

T = TypeVar("T")

PATIENCE = 300
"""Seconds that a busy machine may take to start a process, or to end one."""


def wait_until(condition: Callable[[], T], otherwise: str, *processes: subprocess.Popen[Any]) -> T:
    """What the condition gives, once it holds; no process may end before."""
    deadline = time.monotonic() + PATIENCE
    while not (found := condition()):
        for process in processes:
            assert process.poll() is None, process.communicate()
        assert time.monotonic() < deadline, otherwise
        time.sleep(0.02)
    return found


def is_running(process: int) -> bool:
    """Whether there is such a process, that has not ended."""
    try:
        return "\nState:\tZ" not in Path(f"/proc/{process}/status").read_text("utf-8")
    except OSError:
        return False


def free_port() -> int:
    """A port of this machine that nobody listens at."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return int(listener.getsockname()[1])
