"""Tar archives: what was asked for is unpacked, within bounds, and nothing else."""

from __future__ import annotations

import shutil
import tarfile
import zlib
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NoReturn, Self

from mgsa.base.errors import InputError

_MAX_MEMBERS = 100_000
"""Of an archive: some time goes to each, wanted or not."""
_MAX_NAME_BYTES = 1 << 16
"""Of the name of a member, and of whatever else is said of it: it is read at once."""
_MAX_UNFOLDING = 100
"""How many times as large as the archive what nobody asked for may be: text is ten times."""
_SPARSE = "a file with holes"
"""Text has none, and what tarfile makes of them depends on much that an archive says."""
_DAMAGE = (tarfile.TarError, EOFError, zlib.error, ValueError, TypeError, RecursionError)
"""What tarfile raises: the last three where it takes for granted that headers are well-formed."""


def unpack(archive: Path, members: Collection[str], folder: Path, *, max_bytes: int) -> int:
    """Unpack `members` of a tar archive, compressed or not, to `folder`; their size in bytes.

    Nothing else is unpacked, and only regular files that stay inside of `folder`.

    Raises:
        InputError: the archive is damaged, has sparse members, or unfolds to far more than it is
            large; a member is missing or no plain file, or they take more than `max_bytes`.
    """
    wanted = set(members)
    for name in wanted:
        if not (folder / name).resolve().is_relative_to(folder.resolve()):
            raise InputError(f"unsafe member: {name}", path=archive)
    size = 0
    most = max_bytes + _MAX_UNFOLDING * archive.stat().st_size
    with _naming_damage(archive), tarfile.open(archive, "r|*", tarinfo=_Member) as tar:
        for member in _members(tar, archive, most):
            name = member.name.removeprefix("./")
            if name not in wanted:
                continue
            if not member.isreg():
                raise InputError(f"expected a plain file: {name}", path=archive)
            size += member.size
            if size > max_bytes:
                raise InputError(f"expected at most {max_bytes:,} bytes of text", path=archive)
            # Written here, not by `tar.extract`: its data filter came with Python 3.11.4.
            content = tar.extractfile(member)
            assert content is not None  # it is a plain file
            target = folder / name
            target.parent.mkdir(parents=True, exist_ok=True)
            with content, target.open("wb") as file:
                shutil.copyfileobj(content, file)
            wanted.remove(name)
            if not wanted:
                break
    if wanted:
        raise InputError(f"no member {min(wanted)}", path=archive)
    return size


@contextmanager
def _naming_damage(archive: Path) -> Iterator[None]:
    try:
        yield
    except InputError:
        raise
    except _DAMAGE as error:
        raise InputError(f"damaged archive: {error}", path=archive) from None


def _members(tar: tarfile.TarFile, archive: Path, most: int) -> Iterator[tarfile.TarInfo]:
    """The members of an archive, which may unfold to `most` bytes."""
    for number, member in enumerate(tar, start=1):
        if number > _MAX_MEMBERS:
            raise InputError(f"expected at most {_MAX_MEMBERS:,} members", path=archive)
        if member.size < 0:
            raise tarfile.ReadError(f"a member of {member.size:,} bytes")
        if any(key.startswith("GNU.sparse.") for key in member.pax_headers):
            raise tarfile.ReadError(_SPARSE)
        yield member
        # Whatever of it was not asked for is unfolded next, to be passed over.
        if member.offset_data + member.size > most:
            raise InputError(f"expected at most {most:,} bytes, unpacked", path=archive)
        # tarfile would remember each of them, and all that is said of all, to the end.
        tar.members.clear()  # type: ignore[attr-defined]
        tar.pax_headers = {}


class _Member(tarfile.TarInfo):
    """A member, or what an archive says of the next one: a long name may fill the memory."""

    @classmethod
    def frombuf(cls, buf: bytes | bytearray, encoding: str, errors: str) -> Self:
        """The header of a member."""
        member = super().frombuf(buf, encoding, errors)
        if member.type == tarfile.GNUTYPE_SPARSE:
            raise tarfile.ReadError(_SPARSE)
        if not member.isfile() and not 0 <= member.size <= _MAX_NAME_BYTES:
            raise tarfile.ReadError(f"{member.size:,} bytes about a member")
        return member

    def _refuse_sparse(self, *_: Any) -> NoReturn:
        """Called before the list of holes is read, which may fill the memory."""
        raise tarfile.ReadError(_SPARSE)

    # What tarfile calls for each way in which a pax header may tell of holes.
    _proc_gnusparse_00 = _proc_gnusparse_01 = _proc_gnusparse_10 = _refuse_sparse
