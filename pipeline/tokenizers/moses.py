"""Moses' tokens by sacremoses: rules, and abbreviations that keep their period.

Results are sacremoses's, five times as fast: a substitution is skipped if the text lacks a
character that each match contains.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import Any

from sacremoses import MosesTokenizer
from sacremoses.corpus import NonbreakingPrefixes

from pipeline.formats.text_settings import NOTHING, Protected
from pipeline.tokenizers.spacing import Spacing

LANGUAGES = frozenset(NonbreakingPrefixes().available_langs.values()) - {"zh", "yue"}
"""Languages whose abbreviations Moses knows, and not English ones in their place."""


class MosesText:
    """Text to tokens and back, by the rules of one language."""

    def __init__(self, language: str, protected: Protected = NOTHING) -> None:
        """`language` is one of `LANGUAGES`."""
        self._tokenizer = _Tokenizer(language)
        self._spacing = Spacing(language, protected=protected)

    def tokenize(self, text: str) -> list[str]:
        """The tokens of a clean sentence."""
        return self._spacing.undoable(text, self._tokenizer.tokenize(text, escape=False))

    def detokenize(self, tokens: Sequence[str]) -> str:
        """The sentence of `tokens`."""
        return self._spacing.join(tokens)


class _Needing:
    """A pattern that first looks for a character that each match contains."""

    def __init__(self, needed: str, pattern: re.Pattern[str]) -> None:
        self._needed = needed
        self._pattern = pattern

    def sub(self, substitution: str, text: str) -> str:
        return self._pattern.sub(substitution, text) if self._needed in text else text


class _Spaces:
    r"""The pattern `\s+`, faster; it strips the text too, as the tokeniser does later."""

    def sub(self, _: str, text: str) -> str:
        return " ".join(text.split())


def _needing(needed: str, *rules: tuple[Any, str]) -> list[tuple[Any, str]]:
    return [(_Needing(needed, pattern), substitution) for pattern, substitution in rules]


class _Tokenizer(MosesTokenizer):  # type: ignore[misc]  # has no types
    """The same rules, with sets for membership tests."""

    DEDUPLICATE_SPACE = _Spaces(), " "
    COMMA_SEPARATE_1, COMMA_SEPARATE_2, COMMA_SEPARATE_3 = _needing(
        ",",
        MosesTokenizer.COMMA_SEPARATE_1,
        MosesTokenizer.COMMA_SEPARATE_2,
        MosesTokenizer.COMMA_SEPARATE_3,
    )
    ENGLISH_SPECIFIC_APOSTROPHE = _needing("'", *MosesTokenizer.ENGLISH_SPECIFIC_APOSTROPHE)
    FR_IT_SPECIFIC_APOSTROPHE = _needing("'", *MosesTokenizer.FR_IT_SPECIFIC_APOSTROPHE)
    NONBREAKING_PREFIXES: Collection[str]
    WORD_WITH_PERIOD = re.compile(r"\S\.(?!\S)")

    def __init__(self, language: str) -> None:
        super().__init__(language)
        self._letters = frozenset(self.IsAlpha)
        self.NONBREAKING_PREFIXES = frozenset(self.NONBREAKING_PREFIXES)

    def isanyalpha(self, text: str) -> bool:
        return not self._letters.isdisjoint(text)

    def handles_nonbreaking_prefixes(self, text: str) -> str:
        """Only words from the first one with a final period are looked at."""
        found = self.WORD_WITH_PERIOD.search(text)
        if not found:
            return text
        start = text.rfind(" ", 0, found.start() + 1) + 1
        return f"{text[:start]}{super().handles_nonbreaking_prefixes(text[start:])}"
