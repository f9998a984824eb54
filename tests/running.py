"""Processes of tests: how long they may take, whether one is still there, where it may listen."""

from __future__ import annotations

import socket
from pathlib import Path

PATIENCE = 300
"""Seconds that a busy machine may take to start a process, or to end one."""


def is_running(process: int) -> bool:
    """Whether there is such a process, that has not ended."""
    try:
        return "\nState:\tZ" not in Path(f"/proc/{process}/status").read_text("utf-8")
    except OSError:
        return False


def free_port() -> int:
    """A port of this machine that nobody listens at."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]
