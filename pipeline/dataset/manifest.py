"""What a dataset says of itself: what made it, and what the text side needs to go on from it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from types import UnionType
from typing import Any, Literal

from mgsa.base.errors import InputError
from mgsa.base.io import MANIFEST, read_json
from mgsa.base.settings import Positive, read_yaml
from pipeline.base.stage import SECTIONS, SPLITS

LIBRARIES = ("mgsa", "numpy", "pyarrow", "sacremoses", "stanza", "subword-nmt")
"""Libraries whose version can show in a dataset."""

RECORDED_SECTIONS = SECTIONS[: SECTIONS.index("dataset") + 1]
"""Sections of the parameter file that a dataset depends on."""

INFERENCE_SECTIONS = ("tokenize", "parse", "bpe", "partition")
"""Sections that say how a sentence becomes a row, in training and at inference alike."""

NOT_RECORDED = frozenset(
    {"workers", "executor", "ray_address", "folder", "resources", "timeout", "retries"}
)
"""Keys that change no output: what does the work, and how files are fetched, which hashes know."""

FILES = (
    *(f"{split}{shard}.parquet" for split in SPLITS for shard in ("", "-?????")),
    *("vocab.json", "tags.json", "bpe.codes", "vocab.source", "vocab.target"),
    *("preprocessing.json", "README.md", MANIFEST),
)
"""All that a dataset's folder holds."""

_KINDS: Mapping[type | UnionType, str] = {
    str: "text",
    bool: "true or false",
    list: "a list",
    int | float: "a number",
}


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


def recorded_parameters(path: Path) -> dict[str, Any]:
    """The sections of a parameter file that a dataset depends on, less keys that change no output.

    Raises:
        InputError: the file is missing or malformed, or lacks what inference needs.
    """
    content = read_yaml(path)
    for section in INFERENCE_SECTIONS:
        if section not in content:
            raise InputError(f"{section}: missing section", path=path)
    return {
        section: _recorded(content[section]) for section in RECORDED_SECTIONS if section in content
    }


def _recorded(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _recorded(inner) for key, inner in value.items() if key not in NOT_RECORDED}
    return value


def preprocessing(
    parameters: Mapping[str, Any], languages: Mapping[str, str], parser: Mapping[str, Any]
) -> dict[str, Any]:
    """What turns raw text into rows like those of the dataset, beside its BPE files and tags."""
    return {
        "source_language": languages["source"],
        "target_language": languages["target"],
        **{section: parameters[section] for section in INFERENCE_SECTIONS},
        "parser": dict(parser),
    }


def read_object(path: Path, keys: Mapping[str, type | UnionType]) -> dict[str, Any]:
    """A JSON file that holds an object with at least these keys, and values of these types.

    Raises:
        InputError: it is missing or malformed, or lacks one of `keys`.
    """
    content = read_json(path)
    if not isinstance(content, dict):
        raise InputError("expected an object", path=path)
    for key, kind in keys.items():
        if key not in content:
            raise InputError(f"expected the key {key!r}", path=path)
        if not isinstance(content[key], kind):
            raise InputError(f"{key}: expected {_KINDS[kind]}", path=path)
    return content


def parser_description(folder: Path) -> dict[str, Any]:
    """What a parser folder says of itself, less the hashes that its identity sums up.

    Raises:
        InputError: the folder is no parser.
    """
    content = read_object(folder / "parser.json", {"kind": str, "identity": str})
    if content["kind"] == "stanza":
        read_object(folder / "parser.json", {"language": str, "package": str})
    return {key: value for key, value in content.items() if key != "files"}


def aligner_description(folder: Path) -> dict[str, Any]:
    """What a folder of word links says of itself.

    Raises:
        InputError: the folder is no output of the stage `align`.
    """
    keys = {"kind": str, "deterministic": bool, "splits": list}
    return read_object(folder / "aligner.json", keys)


def library_versions(names: Sequence[str] = LIBRARIES) -> dict[str, str]:
    """The versions of the libraries that an artifact depends on, as far as they are installed."""
    installed = {}
    for name in names:
        try:
            installed[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue  # a dataset can be built from the text stages' outputs without their libraries
    return installed
