"""How text becomes tokens: settings of `tokenize`, as tokenised text and artifacts record them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from operator import itemgetter
from pathlib import Path
from typing import Literal

import regex

from mgsa.cli.errors import InputError
from mgsa.cli.files import read_json
from mgsa.cli.settings import Language, from_excerpt, read_yaml

PREPROCESSING = "preprocessing.json"
"""The file of an artifact."""
TEXT = "text.json"
"""The file of tokenised text."""

TokenizerKind = Literal["moses", "penn", "spacy", "characters", "none"]


class Protected:
    """Patterns of what stays one token."""

    def __init__(self, patterns: Sequence[str] = ()) -> None:
        self._patterns = [regex.compile(pattern) for pattern in patterns]

    def spans(self, text: str) -> list[tuple[int, int]]:
        """Where it stands in a text, from the left; of two at a place the first pattern's."""
        spans: list[tuple[int, int]] = []
        place = 0
        while found := [span for p in self._patterns if (span := _first_span(p, text, place))]:
            spans.append(min(found, key=itemgetter(0)))
            place = spans[-1][1]
        return spans

    def covers(self, token: str) -> bool:
        """Whether a token is such a one."""
        return any(pattern.fullmatch(token) for pattern in self._patterns)


NOTHING = Protected()


def _first_span(pattern: regex.Pattern[str], text: str, place: int) -> tuple[int, int] | None:
    """The first match at or after a place that is not empty."""
    return next((match.span() for match in pattern.finditer(text, place) if match[0]), None)


@dataclass(frozen=True)
class TextSettings:
    """How text becomes tokens."""

    source: TokenizerKind  #: tokeniser of each side; `none`: its text is tokens already.
    target: TokenizerKind  #: tokeniser of each side; `none`: its text is tokens already.
    #: whose punctuation Moses' rules make plain. References keep theirs, so a target is best left
    #: alone.
    normalize: Literal["source", "target", "both", "none"]
    #: `truecase`: that which words have inside of sentences, learned on the training split.
    case: Literal["kept", "lower", "truecase"]
    protected: tuple[str, ...]  #: patterns of what stays one token.

    def __post_init__(self) -> None:
        for pattern in self.protected:
            try:
                regex.compile(pattern)
            except regex.error as error:
                raise ValueError(f"protected: {pattern!r}: {error}") from None


def text_settings(params: Path) -> TextSettings:
    """The text settings of a parameter file."""
    return from_excerpt(TextSettings, read_yaml(params).get("tokenize"), f"{params}: tokenize")


@dataclass(frozen=True)
class RecordedText:
    """Languages and settings of tokenised text."""

    source_language: Language
    target_language: Language
    tokenize: TextSettings

    def language(self, side: str) -> str:
        """The language of a side."""
        return self.source_language if side == "source" else self.target_language


def read_text_settings(folder: Path) -> RecordedText:
    """Read `text.json` of tokenised text, or what an artifact records.

    Raises:
        InputError: the folder is neither, or the file is malformed.
    """
    path = next((p for p in (folder / TEXT, folder / PREPROCESSING) if p.is_file()), None)
    if path is None:
        message = "expected tokenised text, a dataset or a model"
        raise InputError(f"{message}: neither {TEXT} nor {PREPROCESSING} is there", path=folder)
    return from_excerpt(RecordedText, read_json(path), f"{path}: text")
