"""What a dataset says of itself: what made it, and what the text side needs to go on from it."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any, Literal

from mgsa.base.errors import InputError
from mgsa.base.io import MANIFEST, read_json
from mgsa.base.settings import Positive, read_yaml
from pipeline.base.stage import SPLITS

LIBRARIES = ("mgsa", "numpy", "pyarrow", "sacremoses", "stanza", "subword-nmt")
"""Libraries whose version can show in a dataset."""

RECORDED_SECTIONS = (
    *("corpus", "tokenize", "parser", "parse"),
    *("bpe", "partition", "align", "dataset"),
)
"""Sections of the parameter file that a dataset depends on."""

INFERENCE_KEYS = {
    "tokenize": (),
    "parse": ("max_words",),
    "bpe": ("vocabulary_threshold",),
    "partition": ("levels", "boundaries"),
}
"""Sections by which raw text becomes rows at inference, with the keys that are read then."""

NOT_RECORDED = ("folder", "resources")
"""Keys that change no output: where files come from, which hashes know."""

CARD = "README.md"
FILES = (
    *(f"{split}{shard}.parquet" for split in SPLITS for shard in ("", "-?????")),
    *("vocab.json", "tags.json", "bpe.codes", "vocab.source", "vocab.target"),
    *("preprocessing.json", CARD, MANIFEST),
)
"""All that a dataset's folder holds."""


@dataclass(frozen=True)
class DatasetSettings:
    """How the artifact is laid out.

    A row group is what a reader decodes at once: larger ones compress better, smaller ones need
    less memory. A split of more than `shard_rows` rows is several files.
    """

    joint_vocabulary: bool
    row_group_rows: Positive
    shard_rows: Positive
    compression: Literal["zstd", "snappy", "none"]


def recorded_parameters(path: Path) -> dict[str, dict[str, Any]]:
    """The sections of a parameter file that a dataset depends on, less `NOT_RECORDED`.

    Raises:
        InputError: the file is missing or malformed, or lacks what inference needs.
    """
    content = read_yaml(path)
    for section, keys in INFERENCE_KEYS.items():
        if not isinstance(content.get(section), dict):
            raise InputError(f"{section}: missing section", path=path)
        for key in keys:
            if key not in content[section]:
                raise InputError(f"{section}.{key}: missing key", path=path)
    return {
        section: {k: v for k, v in content[section].items() if k not in NOT_RECORDED}
        for section in RECORDED_SECTIONS
        if section in content
    }


def read_object(path: Path, *keys: str) -> dict[str, Any]:
    """A JSON file that holds an object with these keys, and perhaps others.

    Raises:
        InputError: it is missing or malformed, or lacks a key.
    """
    content = read_json(path)
    if not isinstance(content, dict):
        raise InputError("expected an object of JSON", path=path)
    for key in keys:
        if key not in content:
            raise InputError(f"{key}: missing key", path=path)
    return content


def library_versions(names: Sequence[str] = LIBRARIES) -> dict[str, str]:
    """The versions of those libraries that are installed: text libraries may be missing."""
    versions = {}
    for name in names:
        with suppress(metadata.PackageNotFoundError):
            versions[name] = metadata.version(name)
    return versions
