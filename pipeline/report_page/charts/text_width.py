"""How wide text is, about: nobody knows with which font it will be shown."""

from __future__ import annotations

import unicodedata

NARROW, AVERAGE, CAPITAL, WIDE = 0.4, 0.64, 0.84, 1.0
"""In font sizes."""


def text_width(text: str, size: float) -> float:
    """The width of a text in a proportional font, rather too much than too little."""
    return round(size * sum(map(_of_character, text)), 1)


def shorten(text: str, longest: int) -> str:
    """Text of at most so many characters, with an ellipsis where something is left out."""
    return text if len(text) <= longest else f"{text[: longest - 1]}…"


def _of_character(character: str) -> float:
    if unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0.0
    if unicodedata.east_asian_width(character) in "WF":
        return WIDE
    if character in "iljtfrI.,:;!|'()[]- ":
        return NARROW
    return CAPITAL if character.isupper() or character in "mwæœ@%&…—" else AVERAGE
