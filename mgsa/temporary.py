"""Temporary files and folders beside an output, and what killed processes left of theirs.

A temporary name is locked by its process, and a lock ends with the process, however that ends: what
nobody has locked is left over. Where a file system has no locks, all is left as it is.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from glob import escape
from pathlib import Path

PREFIX = ".partial-"
_LONGEST_NAME = 100
"""Characters of an output's name that are in a temporary one: the system bounds both."""


@contextmanager
def temporary_file(path: Path) -> Iterator[Path]:
    """A new file beside `path`, which nobody takes for left over while the block runs."""

    def make() -> str:
        descriptor, name = tempfile.mkstemp(prefix=_prefix(path), dir=path.parent)
        os.close(descriptor)
        return name

    with _locked(path, make) as temporary:
        yield temporary


@contextmanager
def temporary_folder(path: Path) -> Iterator[Path]:
    """A new folder beside `path`, which nobody takes for left over while the block runs."""
    with _locked(path, lambda: tempfile.mkdtemp(prefix=_prefix(path), dir=path.parent)) as folder:
        yield folder


@contextmanager
def _locked(path: Path, make: Callable[[], str]) -> Iterator[Path]:
    """What `make` makes beside `path`, locked; what is left of earlier ones is removed."""
    for old in path.parent.glob(f"{escape(_prefix(path))}*"):
        _remove_unless_held(old)
    while True:
        name = make()
        # Another process may look at it before it is locked, and remove it: then once more.
        with suppress(FileNotFoundError, BlockingIOError):
            descriptor = os.open(name, os.O_RDONLY)
            try:
                _lock(descriptor)
                there = os.path.samestat(os.fstat(descriptor), Path(name).stat())
            except BaseException:
                os.close(descriptor)
                raise
            if there:
                break
            os.close(descriptor)
    try:
        yield Path(name)
    finally:
        os.close(descriptor)


def _remove_unless_held(path: Path) -> None:
    with suppress(OSError):  # it is held, gone, or another user's
        descriptor = os.open(path, os.O_RDONLY)
        try:
            if not _lock(descriptor):
                return
            if path.is_dir():
                shutil.rmtree(path, ignore_errors=True)
            else:
                path.unlink()
        finally:
            os.close(descriptor)


def _lock(descriptor: int) -> bool:
    """Lock an open file; whether the file system can.

    Raises:
        BlockingIOError: another process has locked it.
    """
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise
    except OSError:
        return False
    return True


def _prefix(path: Path) -> str:
    return f"{PREFIX}{path.name[:_LONGEST_NAME]}-"
