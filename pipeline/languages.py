"""The languages of a corpus, as its `corpus.json` has them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from mgsa.base.io import read_json
from mgsa.base.settings import Language, from_excerpt


@dataclass(frozen=True)
class _Content:
    """What is read of `corpus.json`."""

    source_language: Language
    target_language: Language


def read_languages(corpus: Path) -> dict[str, str]:
    """The language code of each side of a corpus.

    Raises:
        InputError: `corpus.json` is missing or malformed, or lacks a language.
    """
    path = corpus / "corpus.json"
    found = from_excerpt(_Content, read_json(path), f"{path}: corpus")
    return {"source": found.source_language, "target": found.target_language}
