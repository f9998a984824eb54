"""Words and punctuation by Unicode: rules that are right for any script."""

from __future__ import annotations

from collections.abc import Sequence

import regex

from pipeline.formats.text_settings import NOTHING, Protected
from pipeline.tokenizers.spacing import Spacing

_LETTER = r"[\p{L}\p{M}\p{N}\p{Cf}\p{Co}_]"
_LINK = r"[[\p{P}\p{S}--[\p{Ps}\p{Pe}\p{Pi}\p{Pf}\p{Terminal_Punctuation}]]||[.,:’]]"
"""Characters within a word: apostrophes, hyphens, the point of a number."""
_TOKEN = regex.compile(rf"{_LETTER}+(?:{_LINK}+{_LETTER}+)*|(?!\s)\X", regex.V1)


class Words:
    """Text to words and punctuation and back."""

    def __init__(self, language: str, protected: Protected = NOTHING) -> None:
        self._spacing = Spacing(language, protected=protected)

    def tokenize(self, text: str) -> list[str]:
        """The tokens of a clean sentence."""
        return self._spacing.undoable(text, _TOKEN.findall(text))

    def detokenize(self, tokens: Sequence[str]) -> str:
        """The sentence of `tokens`."""
        return self._spacing.join(tokens)
