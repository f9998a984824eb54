"""Characters as tokens: each with the marks on it; a blank of the text is `▁`."""

from __future__ import annotations

from collections.abc import Sequence

import regex

from pipeline.formats.text_settings import NOTHING, Protected

BLANK = "▁"
_CHARACTER = regex.compile(r"\X")


class Characters:
    """Text to characters and back, in any language."""

    def __init__(self, protected: Protected = NOTHING) -> None:
        self._protected = protected

    def tokenize(self, text: str) -> list[str]:
        """The characters of a clean sentence."""
        tokens, place = list[str](), 0
        for start, end in [*self._protected.spans(text), (len(text), len(text))]:
            tokens += [*_CHARACTER.findall(text[place:start]), text[start:end]]
            place = end
        return [token.replace(" ", BLANK) for token in tokens if token]

    def detokenize(self, tokens: Sequence[str]) -> str:
        """The sentence of `tokens`."""
        return "".join(tokens).replace(BLANK, " ").strip()
