"""What a dataset says of itself: what made it, and what the text side needs to go on from it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any, Literal

from mgsa.base.errors import InputError
from mgsa.base.io import MANIFEST, read_json
from mgsa.base.settings import Positive, from_excerpt, read_yaml
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


@dataclass(frozen=True)
class Corpus:
    """What is read of `corpus.json`."""

    name: str


@dataclass(frozen=True)
class Languages:
    """What is read of the tokenised text's `languages.json`."""

    source: str
    target: str


@dataclass(frozen=True)
class Parser:
    """What is read of a parser folder's `parser.json`; a stanza package has the last two."""

    kind: str
    identity: str
    language: str | None = None
    package: str | None = None

    def __post_init__(self) -> None:
        if self.kind == "stanza" and not (self.language and self.package):
            raise ValueError("expected the language and package of stanza's models")


@dataclass(frozen=True)
class Aligner:
    """What is read of a folder of word links' `aligner.json`; `splits` have links."""

    kind: str
    deterministic: bool
    splits: list[str]


@dataclass(frozen=True)
class _Object:
    pass


def read_object(path: Path, cls: type[Any] = _Object) -> dict[str, Any]:
    """A JSON file that holds an object with the fields of the dataclass `cls`, and perhaps others.

    Raises:
        InputError: it is missing or malformed, or a field is missing or of another type.
    """
    content: dict[str, Any] = read_json(path)
    from_excerpt(cls, content, f"{path}: {path.stem}")
    return content


def parser_description(folder: Path) -> dict[str, Any]:
    """What a parser folder says of itself, less the hashes that its identity sums up.

    Raises:
        InputError: the folder is no parser.
    """
    content = read_object(folder / "parser.json", Parser)
    return {key: value for key, value in content.items() if key != "files"}


def library_versions(names: Sequence[str] = LIBRARIES) -> dict[str, str]:
    """The versions of the libraries that an artifact depends on, as far as they are installed."""
    installed = {}
    for name in names:
        try:
            installed[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue  # a dataset can be built from the text stages' outputs without their libraries
    return installed
