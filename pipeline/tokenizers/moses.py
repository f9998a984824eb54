"""Moses normalisation, tokenisation and detokenisation: one object for training and inference.

Rules and results are sacremoses's, five times as fast: a substitution is skipped if the text lacks
a character that each match contains.
"""

import re
import unicodedata
from collections.abc import Collection, Sequence
from typing import Any

from sacremoses import MosesDetokenizer, MosesPunctNormalizer, MosesTokenizer


class MosesText:
    """Text to tokens and back, by the rules of one language."""

    def __init__(self, language: str) -> None:
        """`language` is a two-letter code; one without rules of its own gets those of English."""
        self._normalizer = _Normalizer(language)
        self._tokenizer = _Tokenizer(language)
        self._detokenizer = MosesDetokenizer(language)

    def normalize_and_tokenize(self, text: str) -> list[str]:
        """The tokens of a sentence; none for a blank one."""
        normalized = self._normalizer.normalize(clean(text))
        tokens: list[str] = self._tokenizer.tokenize(normalized, escape=False)
        return tokens

    def detokenize(self, tokens: Sequence[str]) -> str:
        """The sentence of `tokens`, by Moses' rules."""
        return str(self._detokenizer.detokenize(tokens, unescape=False))


def clean(text: str) -> str:
    """Text in canonical composition (NFC), without invisible characters.

    Line and paragraph separators, tabs and zero-width spaces become spaces; other control and
    format characters (joiners, direction marks, soft hyphens, byte order marks) go.
    """
    if text.isascii() and text.isprintable():
        return text
    if not text.isprintable():
        text = text.translate(_VISIBLE)
    return unicodedata.normalize("NFC", text)


class _Visible(dict[int, str]):
    """The replacement of each code point in `clean`; filled lazily."""

    def __missing__(self, code: int) -> str:
        character = chr(code)
        match unicodedata.category(character):
            case "Zl" | "Zp":
                self[code] = " "
            case "Cc" | "Cf":
                self[code] = " " if character.isspace() or character == "\u200b" else ""
            case _:
                self[code] = character
        return self[code]


_VISIBLE = _Visible()


class _Normalizer(MosesPunctNormalizer):  # type: ignore[misc]  # has no types
    """Skips substitutions that can't match."""

    APPLIES = re.compile("[\r()%:;`\"„“”–—´‘‚’…«»\xa0]|''|  ")
    """Every match of every substitution contains a match of this."""

    def normalize(self, text: str) -> str:
        if self.APPLIES.search(text):
            return str(super().normalize(text))
        return text.strip()


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
