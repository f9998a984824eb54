"""What an artifact says of how its text became rows, so that other text can become rows alike."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from mgsa.base.io import read_json
from mgsa.base.settings import Count, Language, Positive, from_excerpt


@dataclass(frozen=True)
class _Parse:
    max_words: Positive


@dataclass(frozen=True)
class _Bpe:
    vocabulary_threshold: Count


@dataclass(frozen=True)
class _Partition:
    levels: Count
    boundaries: str


@dataclass(frozen=True)
class _Parser:
    kind: str
    identity: str


@dataclass(frozen=True)
class Preprocessing:
    """What an artifact says of how its text became rows.

    Attributes:
        source_language, target_language: their codes.
        parse: sentences of more than `max_words` get a flat tree.
        bpe: a subword that occurs less often than `vocabulary_threshold` is split further.
        partition: the levels of the syntactic partition, and whether their boundaries are `parsed`,
            or `shuffled` in an experiment with wrong phrases.
        parser: which one made the trees; its kind is `stanza`, or `trees` where they came with the
            corpus, or `none` where all are flat.
    """

    source_language: Language
    target_language: Language
    parse: _Parse
    bpe: _Bpe
    partition: _Partition
    parser: _Parser

    @classmethod
    def read(cls, path: Path) -> Preprocessing:
        """Read a `preprocessing.json`.

        Raises:
            InputError: it is missing, or lacks something.
        """
        return from_excerpt(cls, read_json(path), f"{path}: preprocessing")

    @property
    def languages(self) -> tuple[str, str]:
        """Of the source and of the target."""
        return self.source_language, self.target_language
