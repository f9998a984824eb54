"""The files that the manifest of an artifact lists: written down there, and checked against it.

An artifact is what its manifest says, and no more: a file that it does not list has no business in
a folder that teams share and open, whatever the file is.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import Any

from mgsa.errors import InputError
from mgsa.files import sha256
from mgsa.settings import Count, from_excerpt

MANIFEST = "manifest.json"


def describe_files(folder: Path) -> dict[str, dict[str, Any]]:
    """Size in bytes and SHA-256 of every file of a folder, by name, as a manifest lists them."""
    return {
        path.name: {"bytes": path.stat().st_size, "sha256": sha256(path)}
        for path in sorted(folder.iterdir())
    }


@dataclass(frozen=True)
class _File:
    bytes: Count
    sha256: str


@dataclass(frozen=True)
class _Files:
    files: dict[str, _File]

    def __post_init__(self) -> None:
        for name in self.files:
            names = {PurePosixPath(name).name, PureWindowsPath(name).name}
            if name in ("", ".", "..") or names != {name}:
                raise ValueError(f"files: expected names of files in the folder, got {name!r}")


def listed_files(content: Mapping[str, Any], where: str) -> dict[str, tuple[int, str]]:
    """The files that a manifest lists: size in bytes and SHA-256, by name.

    Raises:
        InputError: `content`, which errors name by `where`, is no such manifest; a name may be a
            path that leads out of the folder.
    """
    found = from_excerpt(_Files, content, where).files
    return {name: (file.bytes, file.sha256) for name, file in found.items()}


def check_files(folder: Path, files: Mapping[str, tuple[int, str]], *, verify: bool) -> None:
    """Check that the files of a folder are those that its manifest lists.

    Hidden files, such as those that desktops leave, are never read and may lie there.

    Args:
        files: size in bytes and SHA-256 of each, by name.
        verify: whether to compare the SHA-256 too, which reads every file.

    Raises:
        InputError: one is missing, truncated or altered, or there is one more.
    """
    for name, (size, digest) in files.items():
        path = folder / name
        if not path.is_file():
            raise InputError("no such file, but the manifest lists it", path=path)
        found = path.stat().st_size
        if found != size:
            raise InputError(f"expected {size} bytes as in the manifest, found {found}", path=path)
        if verify and sha256(path) != digest:
            raise InputError("its SHA-256 is not the manifest's: the file was altered", path=path)
    for path in sorted(folder.iterdir()):
        if path.name not in files and path.name != MANIFEST and not path.name.startswith("."):
            raise InputError(f"expected no file that {MANIFEST} does not list", path=path)
