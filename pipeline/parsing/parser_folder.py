"""The folder that the parser stage writes: stanza models, and `parser.json` about them.

The identity of a parser is the digest of its kind, language, package and model files, so that what
was parsed with it can be told from what another one parsed.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

from mgsa.errors import InputError
from mgsa.files import read_json, sha256, write_json

FILE = "parser.json"

Kind = Literal["stanza", "trees", "none"]


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
    files = {
        path.relative_to(folder).as_posix(): sha256(path)
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name != FILE
    }
    parser = ParserFolder(kind, language, package, files)
    write_json(folder / FILE, {**asdict(parser), "identity": parser.identity})
    return parser


def read_parser_folder(folder: Path) -> ParserFolder:
    """What lies in `folder`, after every file was compared with its recorded SHA-256.

    Raises:
        InputError: no parser's folder, or a file is missing or is not the one that was recorded.
    """
    path = folder / FILE
    content = read_json(path)
    parser = _parsed(content, path)
    if content.get("identity") != parser.identity:
        raise InputError("the identity does not fit the rest of the file", path=path)
    for name, recorded in parser.files.items():
        file = folder / name
        if not file.is_file():
            raise InputError(f"no such file, but {FILE} records it", path=file)
        if sha256(file) != recorded:
            raise InputError(f"its SHA-256 is not the one that {FILE} records", path=file)
    return parser


def _parsed(content: Any, path: Path) -> ParserFolder:
    match content:
        case {
            "kind": "stanza" | "trees" | "none" as kind,
            "language": str(language),
            "package": str() | None as package,
            "files": dict(files),
        } if all(_is_within(name) and isinstance(value, str) for name, value in files.items()):
            return ParserFolder(kind, language, package, files)
    raise InputError("expected what the parser stage writes", path=path)


def _is_within(name: Any) -> bool:
    """Whether it names a file within a folder: the files are read, and copied, by these names."""
    return isinstance(name, str) and not Path(name).is_absolute() and ".." not in Path(name).parts
