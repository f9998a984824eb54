"""Word links in Pharaoh's format: `0-0 1-2`, source and target word counted from 0.

Gold links are written in the same way, `3-4` for a sure one and `3p4` for a possible one, from 0 or
from 1 and with either side in front.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from os import PathLike
from typing import NamedTuple

from mgsa.base.errors import InputError
from mgsa.base.word_links import Link

_NUMBER = "[0-9]{1,9}"
_LINKS = re.compile(rf"\s*(?:{_NUMBER}-{_NUMBER}(?:\s+|$))*")
_LINK = "links such as 0-0 1-2", re.compile(f"({_NUMBER})(-)({_NUMBER})")
_GOLD_LINK = "gold links such as 3-4 and 3p4", re.compile(f"({_NUMBER})([-p])({_NUMBER})")

_Path = str | PathLike[str] | None


class Notation(NamedTuple):
    """How links are written: the number of a first word, and whether targets are in front."""

    first: int = 0
    target_first: bool = False


PHARAOH = Notation()


def read_links(
    text: str, notation: Notation = PHARAOH, *, path: _Path = None, line: int | None = None
) -> list[Link]:
    """The links of a line, in its order, source first and counted from 0.

    Raises:
        InputError: something is no link, or has a number before the first.
    """
    return [link for link, _ in _read(text, _LINK, notation, path, line)]


def read_gold_links(
    text: str, notation: Notation, *, path: _Path = None, line: int | None = None
) -> tuple[set[Link], set[Link]]:
    """The sure and the possible links of a line; otherwise as `read_links`."""
    found = list(_read(text, _GOLD_LINK, notation, path, line))
    return {link for link, mark in found if mark == "-"}, {
        link for link, mark in found if mark == "p"
    }


def _read(
    text: str,
    form: tuple[str, re.Pattern[str]],
    notation: Notation,
    path: _Path,
    line: int | None,
) -> Iterator[tuple[Link, str]]:
    expected, pattern = form
    for part in text.split():
        match = pattern.fullmatch(part)
        if not match:
            raise InputError(f"expected {expected}, got {part!r}", path=path, line=line)
        ends = int(match[1]) - notation.first, int(match[3]) - notation.first
        if min(ends) < 0:
            message = f"expected words counted from {notation.first}, got {part!r}"
            raise InputError(message, path=path, line=line)
        yield ends[::-1] if notation.target_first else ends, match[2]


def are_links(text: str) -> bool:
    """Whether `read_links` takes a line; this is much faster than to read it."""
    return _LINKS.fullmatch(text) is not None
