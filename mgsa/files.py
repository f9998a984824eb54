"""Outputs that appear whole or not at all: temporary name in the same folder, flush, rename."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from mgsa.errors import InputError

_TEMPORARY_PREFIX = ".partial-"


@contextmanager
def replacing_file(path: Path, mode: str = "w") -> Iterator[IO[Any]]:
    """Open a temporary sibling of `path` for writing; it becomes `path` when the block ends well.

    Text is UTF-8 with `\\n` line ends. When the block raises, `path` is left as it was and the
    temporary file is removed.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    encoding, newline = (None, None) if "b" in mode else ("utf-8", "\n")
    descriptor, name = tempfile.mkstemp(prefix=_TEMPORARY_PREFIX, dir=path.parent)
    temporary = Path(name)
    try:
        with os.fdopen(descriptor, mode, encoding=encoding, newline=newline) as file:
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
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = Path(tempfile.mkdtemp(prefix=_TEMPORARY_PREFIX, dir=path.parent))
    try:
        yield temporary
        for file in temporary.rglob("*"):
            if file.is_file():
                with file.open("rb") as opened:
                    os.fsync(opened.fileno())
        temporary.chmod(0o777 & ~_umask())
        if path.exists():
            retired = Path(tempfile.mkdtemp(prefix=_TEMPORARY_PREFIX, dir=path.parent))
            path.replace(retired)  # an empty folder may be replaced, a filled one may not
            temporary.replace(path)
            shutil.rmtree(retired)
        else:
            temporary.replace(path)
    except BaseException:
        shutil.rmtree(temporary, ignore_errors=True)
        raise
    _sync_folder(path.parent)


def write_json(path: Path, content: Any) -> None:
    """Write `content` as indented UTF-8 JSON, atomically."""
    with replacing_file(path) as file:
        json.dump(content, file, ensure_ascii=False, indent=2)
        file.write("\n")


def read_json(path: Path) -> Any:
    """Read a JSON file; a missing or malformed one is an `InputError` naming the file."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise InputError("no such file", path=path) from None
    except UnicodeDecodeError as error:
        raise InputError(f"expected UTF-8 text: {error.reason}", path=path) from None
    except (json.JSONDecodeError, RecursionError) as error:
        line = error.lineno if isinstance(error, json.JSONDecodeError) else None
        raise InputError(f"expected JSON: {error}", path=path, line=line) from None


def read_lines(path: Path) -> Iterator[str]:
    """Yield the lines of a UTF-8 text file, without line ends, as they are read.

    Only `\\n` ends a line: U+2028, form feeds and the like are characters of the text, as they are
    to every tool that counts lines.

    Raises:
        InputError: the file is missing, or a line is not UTF-8.
    """
    try:
        file = path.open("rb")
    except (FileNotFoundError, IsADirectoryError):
        raise InputError("no such file", path=path) from None
    with file:
        for number, line in enumerate(file, start=1):
            try:
                yield line.removesuffix(b"\n").decode("utf-8")
            except UnicodeDecodeError as error:
                raise InputError(
                    f"expected UTF-8 text, byte {error.start + 1} of the line is not: "
                    f"{error.reason}",
                    path=path,
                    line=number,
                ) from None


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
