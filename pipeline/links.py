"""Word links in Pharaoh's format: `0-0 1-2`, source and target word counted from 0.

Gold links are written in the same way, `3-4` for a sure one and `3p4` for a possible one, from 0 or
from 1 and with either side in front.
"""

from __future__ import annotations

import re
from os import PathLike
from typing import NamedTuple

from mgsa.base.errors import InputError
from mgsa.word_links import Link

_LINK = re.compile("([0-9]{1,9})-([0-9]{1,9})")
_LINKS = re.compile(rf"\s*(?:{_LINK.pattern}(?:\s+|$))*")
_GOLD_LINK = re.compile("([0-9]{1,9})([-p])([0-9]{1,9})")


class Notation(NamedTuple):
    """How links are written: the number of a first word, and whether targets are in front."""

    first: int = 0
    target_first: bool = False


PHARAOH = Notation()
"""Pharaoh's: counted from 0, the source in front."""


def read_links(
    text: str,
    notation: Notation = PHARAOH,
    *,
    path: str | PathLike[str] | None = None,
    line: int | None = None,
) -> list[Link]:
    """The links of a line, in its order, source first and counted from 0; none for an empty one.

    Args:
        path: the file that errors name.
        line: the line of it that `text` is.

    Raises:
        InputError: something is no link, or has a number before the first.
    """
    links = []
    for part in text.split():
        match = _LINK.fullmatch(part)
        if not match:
            raise InputError(f"expected links such as 0-0 1-2, got {part!r}", path=path, line=line)
        try:
            links.append(_link(match[1], match[2], notation))
        except ValueError as error:
            raise InputError(f"{error}, got {part!r}", path=path, line=line) from None
    return links


def _link(one: str, other: str, notation: Notation) -> Link:
    """Two numbers as they are written, as a link."""
    ends = int(one) - notation.first, int(other) - notation.first
    if min(ends) < 0:
        raise ValueError(f"expected words counted from {notation.first}")
    return (ends[1], ends[0]) if notation.target_first else ends


def are_links(text: str) -> bool:
    """Whether `read_links` takes a line; this is much faster than to read it."""
    return _LINKS.fullmatch(text) is not None


def read_gold_links(
    text: str,
    notation: Notation,
    *,
    path: str | PathLike[str] | None = None,
    line: int | None = None,
) -> tuple[set[Link], set[Link]]:
    """The sure and the possible links of a line, source first, counted from 0.

    Raises:
        InputError: something is no gold link, or has a number before the first.
    """
    sure: set[Link] = set()
    possible: set[Link] = set()
    for part in text.split():
        match = _GOLD_LINK.fullmatch(part)
        if not match:
            raise InputError(
                f"expected gold links such as 3-4 and 3p4, got {part!r}", path=path, line=line
            )
        try:
            link = _link(match[1], match[3], notation)
        except ValueError as error:
            raise InputError(f"{error}, got {part!r}", path=path, line=line) from None
        (sure if match[2] == "-" else possible).add(link)
    return sure, possible
