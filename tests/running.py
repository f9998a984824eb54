"""How long processes of tests may take, and whether one is still there."""

from __future__ import annotations

from pathlib import Path

PATIENCE = 300
"""Seconds that a busy machine may take to start a process, or to end one."""


def is_running(process: int) -> bool:
    """Whether there is such a process, that has not ended."""
    try:
        return "\nState:\tZ" not in Path(f"/proc/{process}/status").read_text("utf-8")
    except OSError:
        return False
