"""Text files as their lines, which end with `\\n` alone."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path


def lines(path: Path) -> list[str]:
    return path.read_text("utf-8").split("\n")[:-1]


def write_lines(path: Path, lines: Iterable[object]) -> None:
    """Write a file, and the folders that it lies in."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8", newline="\n")
