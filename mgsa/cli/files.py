"""Text and JSON files: read packed or not, written atomically."""

import bz2
import gzip
import io
import json
import lzma
import math
import os
import re
import secrets
import shutil
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from mgsa.cli.errors import InputError

PARTIAL = ".partial-"
"""Prefix of temporary files and folders, which lie beside their output."""
_SUFFIX = re.compile("[0-9a-f]{8}")
"""A temporary name's random end."""
_TEMPORARY = re.compile(rf"{re.escape(PARTIAL)}.{{1,100}}-([0-9a-f]{{8}}|lock)")
NOT_A_FILE = (FileNotFoundError, IsADirectoryError, NotADirectoryError)


_BYTE_ORDER_MARK = "\ufeff"


def open_to_write(path: Path, mode: str = "w") -> IO[Any]:
    r"""Open `path` for writing; text is UTF-8 with `\n` line ends."""
    return path.open(mode) if "b" in mode else path.open(mode, encoding="utf-8", newline="\n")


def partial_prefix(path: Path) -> str:
    """How the names of the temporary files and folders of output `path` begin."""
    return f"{PARTIAL}{path.name[:100]}-"  # file systems limit the length of names


def real_path(path: Path) -> Path:
    """The path without links; of links that lead to themselves, as far as they lead."""
    return Path(os.path.realpath(path))  # `Path.resolve` fails of them


def with_links(path: Path) -> list[Path]:
    """A file or folder, and the links below it, which lead to more of it."""
    return [path, *(inner for inner in path.rglob("*") if inner.is_symlink())]


def temporary_sibling(path: Path) -> Path:
    """A new name beside output `path`, of which nobody else has a file."""
    return path.with_name(partial_prefix(path) + secrets.token_hex(4))


def is_temporary(path: Path) -> bool:
    """Whether a path is, or lies in, a temporary file or folder of some output, or a lock."""
    return any(_TEMPORARY.fullmatch(part) for part in path.parts)


def temporary_siblings(path: Path) -> list[Path]:
    """The temporary files and folders of output `path` that are there."""
    prefix = partial_prefix(path)
    named = (other for other in path.parent.iterdir() if other.name.startswith(prefix))
    return [other for other in named if _SUFFIX.fullmatch(other.name.removeprefix(prefix))]


@contextmanager
def atomic_file(path: Path, mode: str = "w") -> Iterator[IO[Any]]:
    """Write `path` atomically: to a temporary sibling, renamed when the block succeeds.

    A symbolic link is replaced itself, as it may lead to DVC's cache; devices and pipes are written
    to directly. An `InputError` is raised if another program has written the file meanwhile.
    """
    if path.exists() and not path.is_file():
        with naming(path), open_to_write(path, mode) as file:
            yield file
        return
    make_folder(path.parent)
    temporary, before = temporary_sibling(path), _state(path)
    with naming(path):
        try:
            with open_to_write(temporary, mode) as file:
                yield file
                file.flush()
                os.fsync(file.fileno())
            if _state(path) != before:
                raise InputError("expected nobody else to write it meanwhile", path=path)
            if path.is_file() and not path.is_symlink() and path.stat().st_mode & 0o200:
                shutil.copymode(path, temporary)  # but of DVC's protected files
            temporary.replace(path)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise
        sync(path.parent)


def _state(path: Path) -> tuple[int, int, int] | None:
    """The file at a path, its size and its time in nanoseconds; `None` if there is none."""
    found = path.lstat() if os.path.lexists(path) else None
    return found and (found.st_ino, found.st_size, found.st_mtime_ns)


def make_folder(path: Path) -> None:
    """Make a folder and its parents; an `InputError` is raised if one of them is a file."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except (FileExistsError, FileNotFoundError, NotADirectoryError) as error:
        is_link = Path(error.filename).is_symlink()
        if isinstance(error, FileNotFoundError) and not is_link:
            raise
        found = "a link that leads nowhere" if is_link else "a file"
        raise InputError(f"expected a folder, found {found}", path=error.filename) from None


@contextmanager
def naming(path: Path) -> Iterator[None]:
    """Name `path` in an `OSError` that names no file (a full disk) or a temporary one."""
    try:
        yield
    except OSError as error:
        partial = PARTIAL in f"{error.filename}{error.filename2}"  # a copy's target comes second
        if error.errno is not None and (not error.filename or partial):
            raise OSError(error.errno, error.strerror, str(path)) from error
        raise


def sync(path: Path) -> None:
    """fsync a file or a folder."""
    descriptor = os.open(path, os.O_RDONLY)
    os.fsync(descriptor)
    os.close(descriptor)


def write_json(path: Path, content: Any) -> None:
    """Write `content` as indented UTF-8 JSON, atomically."""
    with atomic_file(path) as file:
        dump_json(content, file)


def dump_json(content: Any, file: IO[str]) -> None:
    """Write indented JSON and a line end to an open file; names that aren't UTF-8 are escaped."""
    text = json.dumps(content, ensure_ascii=False, indent=2)
    file.write(text.encode("utf-8", "backslashreplace").decode() + "\n")


def no_file(path: Path) -> InputError:
    """The `InputError` for one of `NOT_A_FILE`."""
    message = "expected a file, found a folder" if path.is_dir() else "no such file"
    return InputError(message, path=path)


def _open_zstd(file: IO[bytes]) -> io.BufferedReader:
    import pyarrow as pa

    return io.BufferedReader(pa.input_stream(file, compression="zstd"))


_UNPACKERS: dict[bytes, tuple[str, Callable[[IO[bytes]], Any] | None]] = {
    rb"\x1f\x8b": ("gzip", gzip.open),
    rb"\xfd7zXZ\x00": ("xz", lzma.open),
    rb"BZh[1-9](1AY&SY|\x17rE8P\x90)": ("bzip2", bz2.open),
    rb"\x28\xb5\x2f\xfd": ("zstd", _open_zstd),
    rb"PK\x03\x04": ("zip", None),
    rb"\x04\x22\x4d\x18": ("lz4", None),
    rb"7z\xbc\xaf\x27\x1c": ("7z", None),
}
"""Format and opener of a packed file, by its first bytes; `None`: it cannot be unpacked here."""


@contextmanager
def open_to_read(path: Path) -> Iterator[Any]:
    """Open a file's bytes, unpacked if they are gzip's, xz's, bzip2's or zstd's, to be peeked into.

    An `InputError` is raised if the file is missing, or where it is damaged.
    """
    try:
        file = path.open("rb")
    except NOT_A_FILE:
        raise no_file(path) from None
    with file:
        start = file.peek(10)
        packed = next((one for magic, one in _UNPACKERS.items() if re.match(magic, start)), None)
        if packed is None:
            yield file
            return
        name, unpack = packed
        if unpack is None:
            expected = "expected a file that is packed by gzip, xz, bzip2 or zstd, or by none"
            raise InputError(f"{expected}, found {name}", path=path)
        try:
            with unpack(file) as unpacked:
                yield unpacked
        except (EOFError, zlib.error, lzma.LZMAError, OSError) as error:
            raise InputError(f"damaged {name} file: {error}", path=path) from None


def read_text(path: Path) -> str:
    """The whole of a UTF-8 text file without a byte order mark; errors as of `read_lines`."""
    with open_to_read(path) as file:
        content = file.read()
    try:
        return str(content, "utf-8").removeprefix(_BYTE_ORDER_MARK)
    except UnicodeDecodeError as error:
        raise not_utf_8(error, path=path) from None


def read_json(
    path: Path,
    object_hook: Callable[[dict[str, Any]], Any] | None = None,
    *,
    finite: bool = False,
) -> Any:
    """The content of a JSON file; an `InputError` if it is missing or not UTF-8, or as below."""
    return parse_json(read_text(path), path, object_hook, finite=finite)


def parse_json(
    text: str,
    path: Path,
    object_hook: Callable[[dict[str, Any]], Any] | None = None,
    *,
    finite: bool = False,
    line: int | None = None,
) -> Any:
    """The content of JSON, a whole file or a line of it.

    An `InputError` is raised if it is malformed or has a key twice and, where `finite` is asked
    for, if a number of it is infinite or none.
    """

    def with_keys(pairs: list[tuple[str, Any]]) -> Any:
        content = dict(pairs)
        if len(content) < len(pairs):
            raise InputError("expected each key once", path=path, line=line)
        return object_hook(content) if object_hook else content

    def number(digits: str) -> float:
        if not math.isfinite(value := float(digits)):
            found = f"{digits[:20]}… of {len(digits)} characters" if digits[20:] else digits
            raise InputError(f"expected finite numbers, found {found}", path=path)
        return value

    def whole_number(digits: str) -> int:
        return int(digits) if number(digits) else 0

    parse: dict[str, Any] = {
        "parse_constant": number,
        "parse_float": number,
        "parse_int": whole_number,
    }
    try:
        return json.loads(text, object_pairs_hook=with_keys, **(parse if finite else {}))
    except InputError:
        raise
    except json.JSONDecodeError as error:
        message = f"expected JSON: {error.msg} at column {error.colno}"
        raise InputError(message, path=path, line=(line or 1) - 1 + error.lineno) from None
    except (RecursionError, ValueError) as error:  # too deep, or a number of thousands of digits
        raise InputError(f"expected JSON: {error}", path=path, line=line) from None


def read_lines(path: Path) -> Iterator[str]:
    r"""Yield the lines of a UTF-8 text file, packed or not, without their ends.

    Only `\n` and `\r\n` end a line: U+2028, form feeds and the like are characters of it. A byte
    order mark is skipped. An `InputError` is raised if the file is missing or damaged, or a line is
    not UTF-8.
    """
    with open_to_read(path) as file:
        for number, line in enumerate(file, start=1):
            try:
                text = line.removesuffix(b"\n").removesuffix(b"\r").decode("utf-8")
            except UnicodeDecodeError as error:
                raise not_utf_8(error, path=path, line=number) from None
            yield text.removeprefix(_BYTE_ORDER_MARK) if number == 1 else text


def not_utf_8(
    error: UnicodeDecodeError, *, path: str | os.PathLike[str], line: int = 1
) -> InputError:
    """The `InputError` for bytes that are not UTF-8; the bytes start on `line` of the file."""
    before = error.object[: error.start]
    byte = len(before) - (before.rfind(b"\n") + 1) + 1
    utf_16 = line == 1 and error.object.startswith((b"\xff\xfe", b"\xfe\xff"))
    found = "found UTF-16" if utf_16 else f"{error.reason} at byte {byte}"
    return InputError(
        f"expected UTF-8 text: {found}",
        path=path,
        line=line + before.count(b"\n"),
    )


def named_paths(words: Sequence[str], flag: str) -> dict[str, Path]:
    """Paths by name: `NAME=PATH`, or a path alone, named by its last part."""
    paths: dict[str, Path] = {}
    for word in words:
        name, separator, path = word.partition("=")
        if not separator or os.path.exists(word):  # noqa: PTH110, which takes too long ones
            name, path = Path(os.path.abspath(word)).name, word  # noqa: PTH100, it keeps links
        if not path:
            raise InputError(f"{flag} {word}: expected a path")
        if name in paths or not name:
            taken = f", {name} is taken" if name else ""
            raise InputError(f"{flag} {word}: expected another name{taken}")
        if not is_utf_8(name):
            raise InputError(f"{flag} {word}: expected a name in UTF-8")
        paths[name] = Path(path)
    return paths


def is_utf_8(name: str) -> bool:
    """Whether a name of the command line, whose bytes may be any, can be written to a file."""
    return not any("\ud800" <= character <= "\udfff" for character in name)
