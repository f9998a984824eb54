"""Outputs that say what wrote them: folders by their manifest, reports by a key.

A manifest is `manifest.json`: the `kind` of the folder, the command that it was `written_by`, what
it was `made_of` and with which `settings`, size and SHA-256 of its `files`, and what a kind has
beside.
"""

import hashlib
import json
import os
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from mgsa.cli.errors import InputError
from mgsa.cli.files import (
    is_temporary,
    is_utf_8,
    make_folder,
    naming,
    read_json,
    real_path,
    sync,
    temporary_sibling,
    write_json,
)

MANIFEST = "manifest.json"
CARD = "README.md"
WRITTEN_BY = "written_by"
"""Key of a manifest; of a report, with a list, which DVC takes for no metric: command, digest of
what it reports, origin."""

MADE_OF, SETTINGS = "made_of", "settings"
"""Keys of a manifest: see `mgsa.cli.provenance`."""


class Running(NamedTuple):
    """The running command, of which its outputs tell."""

    command: str
    kinds: Mapping[Path, str]  #: of the folders that it writes, by resolved path.
    made_of: Mapping[str, Sequence[str]]  #: for their manifests.
    settings: Mapping[str, Any]  #: likewise.


_NOTHING = Running("", {}, {}, {})
_running: ContextVar[Running] = ContextVar("_running", default=_NOTHING)


@contextmanager
def writing(running: Running) -> Iterator[None]:
    """Have outputs say in the block what wrote them."""
    token = _running.set(running)
    try:
        yield
    finally:
        _running.reset(token)


def recorded_settings() -> Mapping[str, Any]:
    """Sections by which the running command and those before it make its outputs."""
    return _running.get().settings


def report_content(metrics: Mapping[str, Any]) -> dict[str, Any]:
    """The content of a report: `metrics`, and the command that wrote them."""
    command, _, made_of, settings = _running.get()
    told = [command, digest(metrics), digest([made_of, settings])]
    return {WRITTEN_BY: told, **metrics} if command else {**metrics}


def origin_of(folder: Path) -> str | None:
    """The identity of the run that wrote a folder, which its report has too."""
    manifest = manifest_of(folder) or {}
    made_of = manifest.get(MADE_OF)
    return digest([made_of, manifest.get(SETTINGS)]) if made_of else None


def digest(content: Any) -> str:
    """SHA-256 of content of JSON, which tells that nobody has changed it."""
    return hashlib.sha256(json.dumps(content).encode()).hexdigest()


def write_report(path: Path, metrics: Mapping[str, Any]) -> None:
    """Write `report_content`, atomically."""
    write_json(path, report_content(metrics))


def is_report(path: Path, command: str) -> bool:
    """Whether the JSON file `path` says that `command` wrote it, and nobody has changed it."""
    try:
        content = read_json(path)
    except InputError:
        return False
    written_by = content.pop(WRITTEN_BY, None) if isinstance(content, dict) else None
    return isinstance(written_by, list) and written_by[:2] == [command, digest(content)]


@contextmanager
def atomic_folder(path: Path) -> Iterator[Path]:
    """Write the folder `path` atomically: a temporary sibling is renamed when the block succeeds.

    A folder at `path`, or at the target of the link `path`, is replaced as a whole. Files get the
    mode of the umask. One that the running command writes gets a manifest, if it has none.
    """
    given, path = path, real_path(path)
    make_folder(path.parent)
    temporary = temporary_sibling(path)
    with naming(given):
        try:
            temporary.mkdir()
            yield temporary
            command, kinds, *_ = _running.get()
            kind = kinds.get(path)
            if kind is not None:
                check_own(given, kind, command)  # somebody may have put a file there meanwhile
                if not (temporary / MANIFEST).exists():
                    write_manifest(temporary, {"kind": kind})
            mode = temporary.stat().st_mode & 0o666
            for inner in temporary.rglob("*"):
                if inner.is_file() and not inner.is_symlink():
                    inner.chmod(mode)
                    sync(inner)
            _replace_folder(path, temporary)
        except BaseException:
            shutil.rmtree(temporary, ignore_errors=True)
            raise
        sync(path.parent)


def _replace_folder(path: Path, new: Path) -> None:
    """Rename `new` to `path`; an old folder is restored on failure."""
    old = temporary_sibling(path)
    if path.exists():
        path.replace(old)
    try:
        new.replace(path)
    except BaseException:
        if old.exists():
            old.replace(path)
        raise
    shutil.rmtree(old, ignore_errors=True)


def sha256(path: Path) -> str:
    """Hexadecimal SHA-256 of a file's bytes."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


@dataclass(frozen=True)
class ManifestFile:
    """A manifest's entry for a file."""

    bytes: int
    sha256: str


def write_manifest(folder: Path, content: Mapping[str, Any]) -> None:
    """Write the manifest of a folder that is complete: `content`, what wrote it, and its files."""
    command, _, made_of, settings = _running.get()
    written_by = {WRITTEN_BY: command, MADE_OF: made_of, SETTINGS: settings} if command else {}
    write_json(folder / MANIFEST, {**content, **written_by, "files": describe_files(folder)})


def kind_of(folder: Path) -> str | None:
    """The kind that `manifest_of` a folder names."""
    manifest = manifest_of(folder)
    return None if manifest is None else str(manifest["kind"])


def manifest_of(folder: Path) -> dict[str, Any] | None:
    """The manifest of a folder; `None` if it has none, or one of no command."""
    if not (folder / MANIFEST).is_file():
        return None
    try:
        content = read_json(folder / MANIFEST)
    except InputError:
        return None
    named = isinstance(content, dict) and str(content.get("kind")).startswith("mgsa ")
    return content if named and isinstance(content.get("files"), dict) else None


def files_below(folder: Path) -> list[str]:
    """The relative paths of a folder's files and links, without those of killed runs.

    An `OSError` is raised if a folder in it can't be listed.
    """

    def fail(error: OSError) -> None:
        raise error

    names: list[str] = []
    for parent, folders, files in os.walk(folder, onerror=fail) if folder.exists() else ():
        inner = Path(parent)
        paths = [inner / name for name in (*files, *folders)]
        names += [
            p.relative_to(folder).as_posix() for p in paths if p.is_symlink() or not p.is_dir()
        ]
    return sorted(name for name in names if not is_temporary(Path(name)))


def foreign_file(folder: Path, manifest: Mapping[str, Any]) -> str | None:
    """A file of `folder` that its manifest has not, or otherwise; `None` if there is none."""
    for name in files_below(folder):
        path, known = folder / name, manifest["files"].get(name)
        if name != MANIFEST and not (
            path.is_file() and isinstance(known, dict) and known.get("sha256") == sha256(path)
        ):
            return name
    return None


def check_own(folder: Path, kind: str, command: str, *, whole: bool = True) -> None:
    """Raise an `InputError` unless a folder is empty, or all of it is of this kind and command.

    If it is not `whole`, files may be new or altered.
    """
    if not (files := files_below(folder)):
        return
    manifest, expected = manifest_of(folder), f"{kind} of {command}"
    writer = manifest and manifest.get(WRITTEN_BY, "an earlier version")
    found = f"{manifest['kind']} of {writer}" if manifest else files[0]
    if found != expected:
        message = f"expected no folder, or {expected} to replace, found {found}"
        raise InputError(message, path=folder)
    if manifest and whole and (name := foreign_file(folder, manifest)):
        message = f"expected this command's files as it wrote them, found {name}, new or altered"
        raise InputError(message, path=folder)


def describe_files(folder: Path) -> dict[str, dict[str, Any]]:
    """The manifest's `files`: size in bytes and SHA-256 of every file below a folder, by path."""
    return {
        path.relative_to(folder).as_posix(): {"bytes": path.stat().st_size, "sha256": sha256(path)}
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path != folder / MANIFEST
    }


def check_file(path: Path, size: object, hexdigest: object) -> None:
    """Raise an `InputError` if a file that a manifest lists is missing, truncated or altered.

    A `hexdigest` of `None` is not compared.
    """
    if not path.is_file():
        raise InputError(f"no such file, but {MANIFEST} lists it", path=path)
    found = path.stat().st_size
    if found != size:
        raise InputError(f"expected {size} bytes as in {MANIFEST}, found {found}", path=path)
    if hexdigest is not None and sha256(path) != hexdigest:
        raise InputError("expected the file as its command wrote it", path=path)


def check_files(folder: Path, files: Mapping[str, ManifestFile], *, verify: bool) -> None:
    """Compare a folder's files with its manifest; `verify` reads every file for its SHA-256.

    An `InputError` is raised if one is missing, truncated or altered, or another one is there that
    is not hidden. The card may be edited.
    """
    if not is_utf_8(str(folder)):  # safetensors and pyarrow take no other
        raise InputError("expected a name in UTF-8", path=folder)
    for name, file in files.items():
        if name != CARD:
            check_file(folder / name, file.bytes, file.sha256 if verify else None)
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if path.is_file() and name not in {*files, MANIFEST} and not path.name.startswith("."):
            raise InputError(f"expected no file that {MANIFEST} does not list", path=path)
