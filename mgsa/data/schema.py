"""The dataset artifact: the columns of its Parquet files, and its manifest."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import pyarrow as pa
from annotated_types import Len

from mgsa.cli.errors import InputError
from mgsa.cli.files import read_json
from mgsa.cli.outputs import ManifestFile, sha256
from mgsa.cli.settings import Count, Language, from_excerpt

SCHEMA_VERSION = 3

VOCABULARY = "vocab.json"
TAGS = "tags.json"
LABELS = "labels.json"
PREPROCESSING = "preprocessing.json"
BPE_FILES = (
    *("bpe.codes", "bpe.codes.source", "bpe.codes.target"),
    *("vocab.source", "vocab.target"),
)
"""Codes of both sides or of each, and the counts of their subwords."""
CASE_FILES = ("truecase.source", "truecase.target")
"""The case of words, if it was learned."""

LONGEST = 2**15 - 1
"""Most subwords of a sentence: counts and positions are int16."""

UNKNOWN_TAG = "<unk>"
"""Tag 0: any tag that the training split lacks."""

_texts = pa.list_(pa.field("element", pa.string(), nullable=False))
_ids = pa.list_(pa.field("element", pa.int32(), nullable=False))
_counts = pa.list_(pa.field("element", pa.int16(), nullable=False))
_levels = pa.list_(pa.field("element", _counts, nullable=False))
_link = pa.struct([pa.field(side, pa.int16(), nullable=False) for side in ("source", "target")])

SCHEMA = pa.schema(
    [
        # Sentences as in the corpus, and as tokens separated by spaces.
        pa.field("source_text", pa.string(), nullable=False),
        pa.field("target_text", pa.string(), nullable=False),
        pa.field("source_tokens", pa.string(), nullable=False),
        pa.field("target_tokens", pa.string(), nullable=False),
        # Subwords without end of sentence; their number, which suffices to plan batches.
        pa.field("source_ids", _ids, nullable=False),
        pa.field("target_ids", _ids, nullable=False),
        pa.field("source_length", pa.int16(), nullable=False),
        pa.field("target_length", pa.int16(), nullable=False),
        pa.field("subwords_per_word", _counts, nullable=False),
        pa.field("target_subwords_per_word", _counts, nullable=False),
        # One list a level: lengths in subwords, which add up to source_length; tag ids.
        pa.field("phrase_lengths", _levels, nullable=False),
        pa.field("phrase_tags", _levels, nullable=False),
        # Word alignments as subword positions; null where there are none.
        pa.field("links", pa.list_(pa.field("element", _link, nullable=False)), nullable=True),
        # The test set that the pair is of; references besides the target text.
        pa.field("set", pa.string(), nullable=True),
        pa.field("references", _texts, nullable=True),
    ]
)

TEXTS = ("source_text", "target_text", "source_tokens", "target_tokens", "set", "references")
SUBWORDS_PER_WORD = {"source": "subwords_per_word", "target": "target_subwords_per_word"}


@dataclass(frozen=True)
class Kind:
    """A kind of dataset artifact."""

    name: str  #: `kind` in its manifest.
    description: str  #: its name in errors.
    version: int
    columns: pa.Schema
    #: columns of class ids, named by `labels.json`: int16, one a sentence (null for none), or list
    #: of int16, one a word.
    labels: tuple[str, ...] = ()


PAIRS = Kind("mgsa dataset", "a dataset", SCHEMA_VERSION, SCHEMA)


@dataclass(frozen=True)
class Split:
    """A split in the manifest: numbers of rows and of links, Parquet files in order."""

    rows: Count
    links: Count
    files: Annotated[tuple[str, ...], Len(1)]


@dataclass(frozen=True)
class Manifest:
    """`manifest.json` of an artifact.

    `identity` is its SHA-256, which covers those of all other files, `name` the corpus, `levels`
    the number of syntactic levels, `content` the whole JSON.
    """

    identity: str
    name: str
    source_language: Language
    target_language: Language
    levels: Count
    splits: dict[str, Split]
    files: dict[str, ManifestFile]
    content: dict[str, Any]

    @classmethod
    def read(cls, path: Path, kind: Kind = PAIRS) -> Manifest:
        """The manifest at `path`; an `InputError` if missing, malformed, or of another kind."""
        content = read_json(path)
        found = content.get("kind") if isinstance(content, dict) else None
        if found != kind.name:
            other = f", not of {found!r}" if found else ""
            raise InputError(f"expected the manifest of {kind.description}{other}", path=path)
        if (version := content.get("schema_version")) != kind.version:
            expected = f"expected {kind.description} of schema version {kind.version}"
            raise InputError(f"{expected}, got {version!r}", path=path)
        values = content | {"identity": sha256(path), "content": content}
        return from_excerpt(cls, values, f"{path}: manifest")

    @property
    def rows(self) -> dict[str, int]:
        """The number of rows of each split."""
        return {name: split.rows for name, split in self.splits.items()}
