"""Text as tokenisers get it: without invisible characters and, if asked for, odd punctuation."""

from __future__ import annotations

import re
import unicodedata

import regex

from pipeline.formats.text_settings import NOTHING, Protected

_SPELLING = regex.compile(
    r"[\p{Join_Control}\p{Prepended_Concatenation_Mark}\U000e0020-\U000e007f]"
)
"""Format characters that are of the spelling: joiners, Arabic number signs, tags of flags."""
_LOOSE_JOINER = re.compile("(?<!\\S)[\u200c\u200d]+")


def clean(text: str) -> str:
    """Text in canonical composition (NFC), without invisible characters, one blank at a time.

    White space, line separators and zero-width spaces become a blank; control and format
    characters (direction marks, soft hyphens, byte order marks) go, but for joiners in a word.
    """
    if not text.isascii() or not text.isprintable():
        text = unicodedata.normalize("NFC", text.translate(_VISIBLE))
        text = _LOOSE_JOINER.sub("", text)
    return " ".join(text.split())


class _Visible(dict[int, str]):
    """The replacement of each code point in `clean`; filled lazily."""

    def __missing__(self, code: int) -> str:
        character = chr(code)
        match unicodedata.category(character):
            case "Zl" | "Zp" | "Zs":
                self[code] = " "
            case "Cc" | "Cf":
                blank = " " if character.isspace() or character == "\u200b" else ""
                self[code] = character if _SPELLING.match(character) else blank
            case _:
                self[code] = character
        return self[code]


_VISIBLE = _Visible()


class PunctuationNormalizer:
    """Moses' normalisation of punctuation, but of what is protected: straight quotes, plain dashes.

    A text that can't change is not looked at rule by rule.
    """

    APPLIES = re.compile("[\r()%:;`\"„“”–—´‘‚’…«»\xa0]|''|  ")
    """Every match of every rule contains a match of this."""

    def __init__(self, language: str, protected: Protected = NOTHING) -> None:
        from sacremoses import MosesPunctNormalizer

        self._moses = MosesPunctNormalizer(language)
        self._protected = protected

    def normalize(self, text: str) -> str:
        """The text with its punctuation normalised."""
        if not self.APPLIES.search(text):
            return text
        kept = self._protected.spans(text)
        if not kept:
            return str(self._moses.normalize(text))
        parts, place = [], 0
        for start, end in [*kept, (len(text), len(text))]:
            between = text[place:start]
            blanks = between[:1].isspace(), between[-1:].isspace()
            normalized = str(self._moses.normalize(between))
            parts += [" " * blanks[0], normalized, " " * (blanks[1] and bool(normalized))]
            parts.append(text[start:end])
            place = end
        return "".join(parts)
