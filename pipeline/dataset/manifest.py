"""Provenance of a dataset, and the preprocessing settings that inference needs."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any, Literal

from mgsa.base.io import MANIFEST, read_json
from mgsa.base.settings import Count, InputPath, Language, Positive, from_excerpt, read_yaml
from pipeline.base.stage import SPLITS
from pipeline.partition import PartitionSettings

LIBRARIES = ("mgsa", "numpy", "pyarrow", "sacremoses", "stanza", "subword-nmt")
"""Libraries whose version can show in a dataset."""

RECORDED_SECTIONS = (
    *("corpus", "tokenize", "parser", "parse"),
    *("bpe", "partition", "align", "dataset"),
)
"""Sections of the parameter file that a dataset depends on."""

INFERENCE_SECTIONS = ("tokenize", "parse", "bpe", "partition")
"""Those that `preprocessing.json` has too, for raw text becomes rows by them."""

NOT_RECORDED = ("codes", "folder", "resources", "vocabulary")
"""Keys that name places: what is there shows in hashes of files."""

CARD = "README.md"
PREPROCESSING = "preprocessing.json"
FILES = (
    *(f"{split}{shard}.parquet" for split in SPLITS for shard in ("", "-?????")),
    *("vocab.json", "tags.json", "bpe.codes", "vocab.source", "vocab.target"),
    *(PREPROCESSING, CARD, MANIFEST),
)
"""All that a dataset's folder holds."""


@dataclass(frozen=True)
class DatasetSettings:
    """Layout of the artifact.

    Readers decode a row group at once: larger ones compress better, smaller ones need less memory.
    Splits of more than `shard_rows` rows are sharded. Ids of subwords and tags begin with those of
    `vocabulary`, a model or dataset, if there is one.
    """

    vocabulary: InputPath | None
    joint_vocabulary: bool
    row_group_rows: Positive
    shard_rows: Positive
    compression: Literal["zstd", "snappy", "none"]


@dataclass(frozen=True)
class _Parser:
    kind: str
    identity: str


@dataclass(frozen=True)
class _Parse:
    max_words: Positive


@dataclass(frozen=True)
class _Bpe:
    vocabulary_threshold: Count


@dataclass(frozen=True)
class Preprocessing:
    """The fields of `preprocessing.json` that encoding raw text needs."""

    source_language: Language
    target_language: Language
    parser: _Parser
    parse: _Parse
    bpe: _Bpe
    partition: PartitionSettings

    @classmethod
    def read(cls, folder: Path) -> Preprocessing:
        """Read it from a dataset or a model."""
        path = folder / PREPROCESSING
        return from_excerpt(cls, read_json(path), f"{path}: preprocessing")


def recorded_parameters(path: Path) -> dict[str, dict[str, Any]]:
    """The parameter sections a dataset depends on, less `NOT_RECORDED`."""
    content = read_yaml(path)
    return {
        section: recorded(content[section])
        for section in RECORDED_SECTIONS
        if isinstance(content.get(section), dict)
    }


def recorded(section: Mapping[str, Any]) -> dict[str, Any]:
    """A section less `NOT_RECORDED`."""
    return {key: value for key, value in section.items() if key not in NOT_RECORDED}


def library_versions(*more: str) -> dict[str, str]:
    """Versions of the installed ones among `LIBRARIES` and `more`."""
    versions = {}
    for name in (*LIBRARIES, *more):
        with suppress(metadata.PackageNotFoundError):
            versions[name] = metadata.version(name)
    return versions
