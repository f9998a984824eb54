"""The folder that the parser stage writes: stanza models, and `parser.json` about them.

The identity of a parser is the digest of its kind, language, package and model files, so that what
was parsed with it can be told from what another one parsed.
"""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import asdict, dataclass
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import Annotated, Literal

from annotated_types import Predicate

from mgsa.base.errors import InputError
from mgsa.base.io import read_json, sha256, write_json
from mgsa.base.settings import Language, from_excerpt

FILE = "parser.json"

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
"""A name of a file or folder in stanza's layout: it leads nowhere else."""

Kind = Literal["stanza", "trees", "none"]
Package = Annotated[str, Predicate(lambda name: NAME.fullmatch(name) is not None)]


@dataclass(frozen=True)
class _Content:
    """What is read of `parser.json`."""

    kind: Kind
    language: Language
    package: Package | None
    files: dict[str, str]
    identity: str

    def __post_init__(self) -> None:
        for name in self.files:
            posix, windows = PurePosixPath(name), PureWindowsPath(name)
            if windows.anchor or windows.as_posix() != name or {"", ".", ".."} & {*posix.parts}:
                raise ValueError(f"files: expected paths within the folder, got {name!r}")


@dataclass(frozen=True)
class ParserFolder:
    """What `parser.json` says.

    Attributes:
        kind: `stanza`; or, where nothing parses, `trees` if ready-made trees come with the corpus,
            `none` if there are none.
        package: the name of the models in stanza's layout, or `None` without models.
        files: the SHA-256 of every file of the folder, by its path within.
    """

    kind: Kind
    language: str
    package: str | None
    files: dict[str, str]

    @property
    def identity(self) -> str:
        """The digest of all of it."""
        return hashlib.sha256(json.dumps(asdict(self), sort_keys=True).encode()).hexdigest()


def write_parser_folder(
    folder: Path, *, kind: Kind, language: str, package: str | None
) -> ParserFolder:
    """Record what lies in `folder` in its `parser.json`."""
    files = {name: sha256(folder / name) for name in _files_in(folder)}
    parser = ParserFolder(kind, language, package, files)
    write_json(folder / FILE, {**asdict(parser), "identity": parser.identity})
    return parser


def read_parser_folder(folder: Path) -> ParserFolder:
    """What lies in `folder`, after every file was compared with its recorded SHA-256.

    Hidden files, such as those that desktops leave, are never read and may lie there.

    Raises:
        InputError: no parser's folder, or a file is missing or is not the one that was recorded, or
            there is one more.
    """
    path = folder / FILE
    found = from_excerpt(_Content, read_json(path), f"{path}: parser")
    parser = ParserFolder(found.kind, found.language, found.package, found.files)
    if found.identity != parser.identity:
        raise InputError("the identity does not fit the rest of the file", path=path)
    for name, recorded in parser.files.items():
        file = folder / name
        if not file.is_file():
            raise InputError(f"no such file, but {FILE} records it", path=file)
        if sha256(file) != recorded:
            raise InputError(f"its SHA-256 is not the one that {FILE} records", path=file)
    for name in _files_in(folder):
        if name not in parser.files and not Path(name).name.startswith("."):
            raise InputError(f"expected no file that {FILE} does not record", path=folder / name)
    return parser


def _files_in(folder: Path) -> list[str]:
    """The paths within a folder of its files, but for the one that records them."""
    paths = sorted(path for path in folder.rglob("*") if path.is_file())
    return [path.relative_to(folder).as_posix() for path in paths if path != folder / FILE]
