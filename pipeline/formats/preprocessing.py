"""`preprocessing.json`: the settings by which an artifact's rows came from raw text."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from mgsa.cli.files import read_json
from mgsa.cli.settings import Count, Language, Positive, from_excerpt
from pipeline.formats.phrases import PartitionSettings
from pipeline.formats.text_settings import PREPROCESSING, TextSettings


@dataclass(frozen=True)
class _Parser:
    kind: str
    identity: str


@dataclass(frozen=True)
class _Parse:
    max_words: Positive


@dataclass(frozen=True)
class Segmentation:
    """The part of the section `bpe` that inference needs."""

    vocabulary_threshold: Count
    unit: Literal["bpe", "word"]


@dataclass(frozen=True)
class Preprocessing:
    """The fields of `preprocessing.json` that encoding raw text needs."""

    source_language: Language
    target_language: Language
    tokenize: TextSettings
    parser: _Parser
    parse: _Parse
    bpe: Segmentation
    partition: PartitionSettings

    @classmethod
    def read(cls, folder: Path) -> Preprocessing:
        """Read it from a dataset or a model."""
        path = folder / PREPROCESSING
        return from_excerpt(cls, read_json(path), f"{path}: preprocessing")
