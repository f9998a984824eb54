"""The check of a command's inputs and outputs before any work: no foreign file is overwritten."""

import errno
import fcntl
import os
import shutil
import stat
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal

from mgsa.cli.errors import InputError
from mgsa.cli.files import make_folder, partial_prefix, real_path, temporary_siblings, with_links
from mgsa.cli.outputs import (
    MANIFEST,
    Running,
    check_own,
    is_report,
    kind_of,
    write_manifest,
    writing,
)
from mgsa.cli.provenance import Digests

Form = Literal["file", "edited file", "report", "folder", "growing folder"]


@dataclass(frozen=True)
class Output:
    """A path that a command writes.

    A folder is replaced only if its manifest says that it has this kind, that the command itself
    wrote it and, but for one that grows, that no file of it is new or altered. A report is replaced
    if the command wrote it; an edited file is checked by the command itself. Any other file is
    anybody's.
    """

    path: Path
    form: Form
    kind: str = ""  #: of a folder.
    shared: bool = False  #: whether other runs may write it at the same time.


@contextmanager
def guard(
    command: str,
    inputs: Sequence[Path],
    outputs: Sequence[Output],
    made_of: Digests = MappingProxyType({}),
    settings: Mapping[str, Any] = MappingProxyType({}),
) -> Iterator[None]:
    """Check the outputs of the command of this name, and lock them while it runs.

    Their manifests record `made_of` and `settings`.

    An `InputError` is raised if an output overlaps another path, lies in an artifact, would replace
    foreign files in a folder, or is locked by another run.
    """
    for path in inputs:
        if path.is_file() and is_stdout(path.stat()):
            raise InputError("expected an input apart from stdout", path=path)
    read = [("input", place) for path in inputs for place in with_links(path)]
    for number, output in enumerate(outputs):
        others = [("other output", other.path) for other in outputs[:number]]
        for name, path in [*read, *others]:
            if overlap(output.path, path):
                message = f"expected an output apart from the {name} {path}"
                raise InputError(message, path=output.path)
    for output in outputs:
        _check_replaceable(output, command)
    kinds = {real_path(output.path): output.kind for output in outputs if output.kind}
    with writing(Running(command, kinds, dict(made_of), dict(settings))), ExitStack() as stack:
        if _is_first_process():
            for output in (output for output in outputs if not output.shared):
                stack.enter_context(_locked(output.path))
                if output.form == "growing folder" and not kind_of(output.path):
                    make_folder(output.path)
                    write_manifest(output.path, {"kind": output.kind})
                    stack.callback(_remove_if_empty, output.path)
        yield


def _remove_if_empty(folder: Path) -> None:
    """Remove a growing folder that holds no more than its manifest."""
    if [path.name for path in folder.iterdir()] == [MANIFEST]:
        shutil.rmtree(folder)


def is_stdout(status: os.stat_result) -> bool:
    """Whether a file is the one that stdout is written to: it would be read without end."""
    return stat.S_ISREG(status.st_mode) and os.path.samestat(status, os.fstat(1))


def overlap(one: Path, other: Path) -> bool:
    """Whether two paths are one, or one lies in the other, without links."""
    one, other = real_path(one), real_path(other)
    return one.is_relative_to(other) or other.is_relative_to(one)


def check_outside_outputs(path: Path) -> None:
    """Raise an `InputError` if a path lies in a folder that a command wrote."""
    for folder in real_path(path).parents:
        if kind_of(folder) is not None:
            message = f"expected an output outside {folder}, which another command wrote"
            raise InputError(message, path=path)


def _check_replaceable(output: Output, command: str) -> None:
    path = output.path
    if real_path(path).is_symlink():
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), str(path))
    check_outside_outputs(path)
    if "folder" in output.form:
        _check_folder(output, command)
    elif path.is_dir():
        raise InputError("expected a file to write, found a folder", path=path)
    elif path.is_file() and path.stat().st_size:
        if output.form == "report" and not is_report(path, command):
            message = f"expected no file, or a report of {command} to replace"
            raise InputError(message, path=path)
        if output.form == "file":
            message = "expected no file: what is there can't be told from one of yours"
            raise InputError(message, path=path)


def _check_folder(output: Output, command: str) -> None:
    path = output.path
    if path.exists() and not path.is_dir():
        raise InputError("expected a folder to write, found a file", path=path)
    if output.form == "folder" and path.resolve().is_mount():
        raise InputError("expected a folder that can be replaced, found a mount", path=path)
    if output.form == "folder" and Path.cwd().is_relative_to(path.resolve()):
        raise InputError("expected another folder to replace than the current one", path=path)
    check_own(path, output.kind, command, whole=output.form == "folder")


def _is_first_process() -> bool:
    """Whether this process has rank 0, which writes the outputs of a distributed run.

    A rank counts beside what its launcher sets, torchrun or Lightning Fabric: one alone is left
    over from another program.
    """
    launchers = {"RANK": "TORCHELASTIC_RUN_ID", "LOCAL_RANK": "MASTER_PORT"}
    ranks = {name: os.environ.get(name, "0") for name, by in launchers.items() if by in os.environ}
    for name, rank in ranks.items():
        if not rank.isdecimal():
            raise InputError(f"{name}: expected the number of a process, got {rank}")
    return {*ranks.values()} <= {"0"}


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Lock an output, and remove temporary files that a killed run left."""
    if path.exists() and not (path.is_file() or path.is_dir()):
        yield  # a device or a pipe
        return
    make_folder(path.parent)
    real = real_path(path)
    lock = real.with_name(f"{partial_prefix(real)}lock")
    try:
        file = lock.open("a")
    except OSError as error:
        in_the_way = lock if lock.exists() else path  # another user's lock
        raise OSError(error.errno, error.strerror, str(in_the_way)) from error
    with file:
        if os.fstat(file.fileno()).st_size:
            raise InputError("expected an empty file, as locks of commands are", path=lock)
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise InputError("another run is writing it", path=path) from None
        except OSError:
            pass  # a file system without locks
        try:
            for stale in temporary_siblings(real):
                with suppress(PermissionError):  # another user's
                    shutil.rmtree(stale) if stale.is_dir() else stale.unlink()
            yield
        finally:
            lock.unlink(missing_ok=True)
