"""The manifest of a dataset artifact: its version, languages, counts, and every file's hash."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mgsa.base.errors import InputError
from mgsa.base.io import ManifestFile, read_json, sha256
from mgsa.base.settings import Count, Language, from_excerpt
from mgsa.data.limits import Levels
from mgsa.data.schema import SCHEMA_VERSION


@dataclass(frozen=True)
class _Split:
    rows: Count
    links: Count
    files: tuple[str, ...]

    def __post_init__(self) -> None:
        if not self.files:
            raise ValueError("expected at least one file")


@dataclass(frozen=True)
class _Content:
    """What is read of a manifest."""

    name: str
    source_language: Language
    target_language: Language
    levels: Levels
    splits: dict[str, _Split]
    files: dict[str, ManifestFile]

    def __post_init__(self) -> None:
        names = Counter(name for split in self.splits.values() for name in split.files)
        for name, times in names.items():
            if times > 1:
                raise ValueError(f"splits: expected each file once, found {name!r} {times} times")


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
    files: dict[str, ManifestFile]
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
        if isinstance(kind := content.get("kind"), str):  # a model's and probing data's have one
            raise InputError(f"expected the manifest of a dataset, not of {kind!r}", path=path)
        version = content["schema_version"]
        if version != SCHEMA_VERSION:
            raise InputError(
                f"expected a dataset of schema version {SCHEMA_VERSION}, got {version!r}", path=path
            )
        where = f"{path}: manifest"
        found = from_excerpt(_Content, content, where)
        return cls(
            identity=sha256(path),
            name=found.name,
            source_language=found.source_language,
            target_language=found.target_language,
            levels=found.levels,
            rows={name: split.rows for name, split in found.splits.items()},
            links={name: split.links for name, split in found.splits.items()},
            shards={name: split.files for name, split in found.splits.items()},
            files=found.files,
            content=content,
        )
