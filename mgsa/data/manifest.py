"""The manifest of a dataset artifact: its version, languages, counts, and every file's hash."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mgsa.data.schema import SCHEMA_VERSION
from mgsa.errors import InputError
from mgsa.files import read_json, sha256
from mgsa.listed_files import listed_files


@dataclass(frozen=True)
class Manifest:
    """What `manifest.json` says of an artifact.

    Attributes:
        identity: SHA-256 of the manifest, which holds those of all other files.
        name: of the corpus.
        levels: how many levels of syntactic partition every row has.
        rows: the sentence pairs of every split.
        links: the links between subwords of every split, all pairs together.
        shards: the names of every split's Parquet files, in their order.
        files: size in bytes and SHA-256 of every other file.
        content: the whole of it.
    """

    identity: str
    name: str
    source_language: str
    target_language: str
    levels: int
    rows: dict[str, int]
    links: dict[str, int]
    shards: dict[str, tuple[str, ...]]
    files: dict[str, tuple[int, str]]
    content: dict[str, Any]

    @classmethod
    def read(cls, path: Path) -> Manifest:
        """Read a manifest.

        Raises:
            InputError: it is missing, malformed, or of another version.
        """
        content = read_json(path)
        if not isinstance(content, dict) or "schema_version" not in content:
            raise InputError("expected the manifest of a dataset", path=path)
        version = content["schema_version"]
        if version != SCHEMA_VERSION:
            raise InputError(
                f"expected a dataset of schema version {SCHEMA_VERSION}, got {version!r}", path=path
            )
        try:
            if not all(split["files"] for split in content["splits"].values()):
                raise ValueError("splits: expected at least one file of each")
            return cls(
                identity=sha256(path),
                name=str(content["name"]),
                source_language=content["source_language"],
                target_language=content["target_language"],
                levels=int(content["levels"]),
                rows={name: int(split["rows"]) for name, split in content["splits"].items()},
                links={name: int(split["links"]) for name, split in content["splits"].items()},
                shards={
                    name: tuple(str(file) for file in split["files"])
                    for name, split in content["splits"].items()
                },
                files=listed_files(content),
                content=content,
            )
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise InputError(f"malformed manifest: {error!r}", path=path) from None
