"""Outputs that appear whole or not at all: temporary name in the same folder, flush, rename."""

from __future__ import annotations

import errno
import hashlib
import io
import json
import os
import shutil
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO, Any

from mgsa.errors import InputError
from mgsa.temporary import temporary_file, temporary_folder

NO_FILE = (FileNotFoundError, IsADirectoryError, NotADirectoryError)
"""What reading a path raises that is no file's."""
NO_ROOM = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
"""A full disk, a used-up quota, a file as large as one may be."""


class _NamedFile(io.FileIO):
    """A file that errors of writing name; the system doesn't say what it had no room for."""

    def write(self, data: Any) -> int:
        try:
            return super().write(data)
        except OSError as error:
            raise OSError(error.errno, error.strerror, os.fspath(self.name)) from None


def open_to_write(path: Path, mode: str = "w") -> IO[Any]:
    """Open `path` for writing (`w`, `a`, `x`; with `b` in bytes): an `OSError` names the file.

    Text is UTF-8 with `\\n` line ends.
    """
    buffered = io.BufferedWriter(_NamedFile(path, mode.replace("b", "")))
    return buffered if "b" in mode else io.TextIOWrapper(buffered, encoding="utf-8", newline="\n")


@contextmanager
def replacing_file(path: Path, mode: str = "w") -> Iterator[IO[Any]]:
    """Open a temporary sibling of `path` for writing; it becomes `path` when the block ends well.

    Text is UTF-8 with `\\n` line ends. When the block raises, `path` is left as it was and the
    temporary file is removed. A symbolic link is replaced itself, for it may lead to DVC's cache; a
    device or a pipe is written to.
    """
    if path.is_dir():
        raise InputError("expected a file to write, found a folder", path=path)
    if path.exists() and not path.is_file():
        with open_to_write(path, mode) as file:
            yield file
        return
    _make_folder(path.parent)
    with ExitStack() as stack:
        with _naming_instead(path):
            temporary = stack.enter_context(temporary_file(path))
        try:
            with _naming(path, temporary):
                with open_to_write(temporary, mode) as file:
                    yield file
                    file.flush()
                    os.fsync(file.fileno())
                temporary.chmod(0o666 & ~_umask())
                temporary.replace(path)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise
    _sync_folder(path.parent)


@contextmanager
def replacing_folder(path: Path) -> Iterator[Path]:
    """Give a temporary sibling folder to fill; it becomes `path` when the block ends well.

    A folder that stands at `path` is replaced as a whole. When the block raises, `path` is left as
    it was and the temporary folder is removed.
    """
    if path.exists() and not path.is_dir():
        raise InputError("expected a folder to write, found a file", path=path)
    _make_folder(path.parent)
    with ExitStack() as stack:
        with _naming_instead(path):
            temporary = stack.enter_context(temporary_folder(path))
        try:
            with _naming(path, temporary):
                yield temporary
                for file in temporary.rglob("*"):
                    if file.is_file():
                        with file.open("rb") as opened:
                            os.fsync(opened.fileno())
                temporary.chmod(0o777 & ~_umask())
                _replace_folder(path, temporary)
        except BaseException:
            shutil.rmtree(temporary, ignore_errors=True)
            raise
    _sync_folder(path.parent)


def _make_folder(path: Path) -> None:
    try:
        path.mkdir(parents=True, exist_ok=True)
    except (FileExistsError, NotADirectoryError) as error:
        raise InputError("expected a folder, found a file", path=error.filename) from None


def _replace_folder(path: Path, new: Path) -> None:
    if not path.exists():
        new.replace(path)
        return
    with temporary_folder(path) as retired:
        path.replace(retired)  # an empty folder may be replaced, a filled one may not
        try:
            new.replace(path)
        except BaseException:
            retired.replace(path)
            raise
        shutil.rmtree(retired)


@contextmanager
def _naming(path: Path, temporary: Path) -> Iterator[None]:
    """Name what an `OSError` is about by where it would have stood: `temporary` is to be `path`.

    Where there is no room, and nobody said for what (other libraries don't), it was for `path`.
    """
    try:
        yield
    except OSError as error:
        # A failed copy names its source first, and only then what could not be written.
        for name in (error.filename2, error.filename):
            if isinstance(name, str) and Path(name).is_relative_to(temporary):
                place = path / Path(name).relative_to(temporary)
                raise OSError(error.errno, error.strerror, str(place)) from error
        if error.filename is None and error.errno in NO_ROOM:
            raise OSError(error.errno, error.strerror, str(path)) from error
        raise


@contextmanager
def _naming_instead(path: Path) -> Iterator[None]:
    """Name `path` in an `OSError`, whose temporary file nobody has heard of."""
    try:
        yield
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from error


def write_json(path: Path, content: Any) -> None:
    """Write `content` as indented UTF-8 JSON, atomically."""
    with replacing_file(path) as file:
        json.dump(content, file, ensure_ascii=False, indent=2)
        file.write("\n")


def no_file(path: Path) -> InputError:
    """What to raise for a path that reading found to be no file's."""
    found = "expected a file, found a folder" if path.is_dir() else "no such file"
    return InputError(found, path=path)


def read_json(path: Path) -> Any:
    """Read a JSON file; a missing or malformed one is an `InputError` naming the file."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except NO_FILE:
        raise no_file(path) from None
    except UnicodeDecodeError as error:
        raise not_utf_8(error, path=path) from None
    except json.JSONDecodeError as error:
        message = f"expected JSON: {error.msg} at column {error.colno}"
        raise InputError(message, path=path, line=error.lineno) from None
    except RecursionError as error:
        raise InputError(f"expected JSON: {error}", path=path) from None


def read_lines(path: Path) -> Iterator[str]:
    """Yield the lines of a UTF-8 text file, without line ends, as they are read.

    Only `\\n` ends a line: U+2028, form feeds and the like are characters of the text, as they are
    to every tool that counts lines.

    Raises:
        InputError: the file is missing, or a line is not UTF-8.
    """
    try:
        file = path.open("rb")
    except NO_FILE:
        raise no_file(path) from None
    with file:
        for number, line in enumerate(file, start=1):
            try:
                yield line.removesuffix(b"\n").decode("utf-8")
            except UnicodeDecodeError as error:
                raise not_utf_8(error, path=path, line=number) from None


def not_utf_8(
    error: UnicodeDecodeError, *, path: str | os.PathLike[str], line: int = 1
) -> InputError:
    """What to raise for bytes that are not UTF-8: it names their line, and the place in it.

    Args:
        line: of the file, on which the bytes that were to be decoded start.
    """
    before = error.object[: error.start]
    place = len(before) - (before.rfind(b"\n") + 1) + 1
    return InputError(
        f"expected UTF-8 text: {error.reason} at byte {place}",
        path=path,
        line=line + before.count(b"\n"),
    )


def sha256(path: Path) -> str:
    """Hexadecimal SHA-256 of a file's bytes."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _sync_folder(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
