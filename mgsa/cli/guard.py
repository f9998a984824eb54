"""The check of a command's inputs and outputs before any work: no foreign file is overwritten."""

import fcntl
import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from fnmatch import fnmatch
from glob import escape
from pathlib import Path

from mgsa.cli.errors import InputError
from mgsa.cli.files import PARTIAL, RANDOM_CHARACTERS, make_folder, partial_prefix

MARKERS = {
    "manifest.json": b'"sha256"',
    "corpus.json": b'"source_language"',
    "parser.json": b'"identity"',
    "text.json": b"",
    "aligner.json": b"",
    "vocab.source": b"",
}
"""Marker file of each command's output folder and bytes it must contain (a report may have the same
name). `mgsa translate --out` must not replace a file of a stage either, so all stand here."""


@dataclass(frozen=True)
class Output:
    """A path that a command writes."""

    path: Path
    #: for a folder, patterns of the paths written within it (`*` matches `/` too); `None` for a
    #: file.
    files: tuple[str, ...] | None = None
    is_json: bool = False  #: for a file, whether it may replace JSON only.
    shared: bool = False  #: whether other runs may write it at the same time.


@contextmanager
def guard(inputs: Sequence[Path], outputs: Sequence[Output]) -> Iterator[None]:
    """Check the outputs of a command, and lock them while it runs.

    An `InputError` is raised if an output overlaps another path, lies in an artifact, would replace
    foreign files in a folder, or is locked by another run.
    """
    for number, output in enumerate(outputs):
        others = [("other output", other.path) for other in outputs[:number]]
        for name, path in [*(("input", path) for path in inputs), *others]:
            if _overlap(output.path, path):
                message = f"expected an output apart from the {name} {path}"
                raise InputError(message, path=output.path)
    for output in outputs:
        _check_replaceable(output)
    with ExitStack() as locks:
        if _is_first_process():
            for output in (output for output in outputs if not output.shared):
                locks.enter_context(_locked(output.path))
        yield


def _overlap(one: Path, other: Path) -> bool:
    one, other = one.resolve(), other.resolve()
    return one.is_relative_to(other) or other.is_relative_to(one)


def _check_replaceable(output: Output) -> None:
    path = output.path
    for folder in path.resolve().parents:
        if any(_is_marker(folder / name) for name in MARKERS):
            message = f"expected an output outside {folder}, which another command wrote"
            raise InputError(message, path=path)
    if output.files is None:
        if path.is_dir():
            raise InputError("expected a file to write, found a folder", path=path)
        if output.is_json and path.is_file() and not path.read_bytes().startswith(b"{"):
            raise InputError("expected no file, or JSON to replace", path=path)
        return
    if path.exists() and not path.is_dir():
        raise InputError("expected a folder to write, found a file", path=path)
    names = [file.relative_to(path).as_posix() for file in path.rglob("*") if not file.is_dir()]
    found = sorted(name for name in names if PARTIAL not in name)
    for name in found:
        if not any(fnmatch(name, pattern) for pattern in output.files):
            message = f"expected a folder of this command's files alone, found {name}"
            raise InputError(message, path=path)
    mark = next((name for name in MARKERS if name in output.files), None)
    if found and mark and not _is_marker(path / mark):
        message = f"expected a folder that this command wrote, found {found[0]} and no {mark} of it"
        raise InputError(message, path=path)


def _is_marker(file: Path) -> bool:
    """Whether it is one of `MARKERS`."""
    return file.is_file() and MARKERS[file.name] in file.read_bytes()


def _is_first_process() -> bool:
    """Whether this process has rank 0, which writes the outputs of a distributed run."""
    ranks = ("RANK", "LOCAL_RANK", "NODE_RANK")
    return all(os.environ.get(name, "0") == "0" for name in ranks)


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Lock an output, and remove temporary files that a killed run left."""
    if path.exists() and not (path.is_file() or path.is_dir()):
        yield  # a device or a pipe
        return
    make_folder(path.parent)
    real = path.resolve()
    lock = real.with_name(f"{partial_prefix(real)}lock")
    try:
        file = lock.open("a")
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from error
    with file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise InputError("another run is writing it", path=path) from None
        except OSError:
            pass  # a file system without locks
        try:
            for stale in real.parent.glob(escape(partial_prefix(real)) + "?" * RANDOM_CHARACTERS):
                shutil.rmtree(stale) if stale.is_dir() else stale.unlink()
            yield
        finally:
            lock.unlink(missing_ok=True)
