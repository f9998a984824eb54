"""Outputs that appear whole or not at all: temporary name in the same folder, flush, rename."""

from __future__ import annotations

import errno
import hashlib
import io
import json
import os
import shutil
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO, Any

from mgsa.errors import InputError
from mgsa.temporary import temporary_file, temporary_folder

NO_FILE = (FileNotFoundError, IsADirectoryError, NotADirectoryError)
"""What reading a path raises that is no file's."""
NO_ROOM = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
"""A full disk, a used-up quota, a file as large as one may be."""

MAX_LINE_BYTES = 1 << 20
"""A longer line is no sentence, tree or entry, but a file of another kind; to read it would cost
memory in proportion to its size."""
MAX_JSON_BYTES = 16 << 20
"""Manifests, settings and reports are far smaller. JSON of text and numbers takes some twelve times
its size in memory, so a larger file is not read."""
MAX_JSON_PARTS = 200_000
"""Lists and sections of JSON; of nothing else (`[[],[],…`) it would take thirty times its size."""
MAX_DEPTH = 50
"""Sections and lists within each other, in JSON and YAML: what reads them may recurse."""


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
        dump_json(content, file)


def dump_json(content: Any, file: IO[str]) -> None:
    """Write `content` as indented JSON to an open file."""
    json.dump(content, file, ensure_ascii=False, indent=2)
    file.write("\n")


def no_file(path: Path) -> InputError:
    """What to raise for a path that reading found to be no file's."""
    found = "expected a file, found a folder" if path.is_dir() else "no such file"
    return InputError(found, path=path)


def read_text(path: Path, kind: str, *, max_bytes: int) -> str:
    """The whole of a UTF-8 text file, which errors say is to be of this kind.

    Raises:
        InputError: it is missing, larger than `max_bytes`, or not UTF-8.
    """
    try:
        with path.open("rb") as file:
            data = file.read(max_bytes + 1)
    except NO_FILE:
        raise no_file(path) from None
    if len(data) > max_bytes:
        raise InputError(f"expected {kind} of at most {max_bytes:,} bytes", path=path)
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise not_utf_8(error, path=path) from None


def read_json(path: Path, *, max_bytes: int = MAX_JSON_BYTES) -> Any:
    """Read a JSON file.

    Raises:
        InputError: it is missing, malformed, larger than `max_bytes`, nested too deeply or in too
            many parts; or it holds what neither a number nor text can be here: thousands of digits,
            half of a character.
    """
    text = read_text(path, "JSON", max_bytes=max_bytes)
    # Brackets within text count too, of which there are few: to tell them apart is to read it all.
    if text.count("[") + text.count("{") > MAX_JSON_PARTS:
        message = f"expected JSON of at most {MAX_JSON_PARTS:,} lists and sections"
        raise InputError(message, path=path)
    try:
        content = json.loads(text)
        if "\\ud" in text or "\\uD" in text:
            json.dumps(content, ensure_ascii=False).encode("utf-8")
    except UnicodeEncodeError as error:
        half = error.object[error.start]
        raise InputError(f"expected text, found half of a character: {half!r}", path=path) from None
    except json.JSONDecodeError as error:
        message = f"expected JSON: {error.msg} at column {error.colno}"
        raise InputError(message, path=path, line=error.lineno) from None
    except (ValueError, RecursionError) as error:
        raise InputError(f"expected JSON: {error}", path=path) from None
    _check_depth(content, path)
    return content


def _check_depth(content: Any, path: Path) -> None:
    outer = [content]
    for _ in range(MAX_DEPTH + 1):
        inner = (part for whole in outer for part in _parts(whole))
        outer = [part for part in inner if isinstance(part, dict | list)]
        if not outer:
            return
    raise InputError(f"expected JSON of at most {MAX_DEPTH} levels", path=path)


def _parts(content: Any) -> Iterable[Any]:
    match content:
        case dict():
            return content.values()
        case list():
            return content
    return ()


def read_lines(path: Path, *, max_bytes: int | None = None) -> Iterator[str]:
    """Yield the lines of a UTF-8 text file, without line ends, as they are read.

    Only `\\n` ends a line: U+2028, form feeds and the like are characters of the text, as they are
    to every tool that counts lines.

    Raises:
        InputError: the file is missing or larger than `max_bytes`, or a line is not UTF-8 or
            endless.
    """
    try:
        file = path.open("rb")
    except NO_FILE:
        raise no_file(path) from None
    with file:
        if max_bytes is not None and os.fstat(file.fileno()).st_size > max_bytes:
            raise InputError(f"expected at most {max_bytes:,} bytes", path=path)
        number = 0
        while line := file.readline(MAX_LINE_BYTES + 1):
            number += 1
            if len(line) > MAX_LINE_BYTES:
                raise endless_line(path=path, line=number)
            try:
                yield line.removesuffix(b"\n").decode("utf-8")
            except UnicodeDecodeError as error:
                raise not_utf_8(error, path=path, line=number) from None


def endless_line(*, path: str | os.PathLike[str], line: int) -> InputError:
    """What to raise for a line of more than `MAX_LINE_BYTES`."""
    return InputError(f"expected lines of at most {MAX_LINE_BYTES:,} bytes", path=path, line=line)


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
