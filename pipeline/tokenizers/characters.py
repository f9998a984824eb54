"""Characters as tokens: each with the marks on it; a blank of the text is `▁`."""

from __future__ import annotations

from collections.abc import Sequence

import regex

from pipeline.tokenizers.spacing import NOTHING, Protected

BLANK = "▁"


class Characters:
    """Text to characters and back, in any language."""

    def __init__(self, protected: Protected = NOTHING) -> None:
        self._token = regex.compile("|".join(filter(None, (protected.pattern, r"\X"))))

    def tokenize(self, text: str) -> list[str]:
        """The characters of a clean sentence."""
        return [match[0].replace(" ", BLANK) for match in self._token.finditer(text)]

    def detokenize(self, tokens: Sequence[str]) -> str:
        """The sentence of `tokens`."""
        return "".join(tokens).replace(BLANK, " ").strip()
