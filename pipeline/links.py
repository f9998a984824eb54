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

_LINK = re.compile("([0-9]{1,9})(-)([0-9]{1,9})")
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
        path, line: where the text is from, for errors.

    Raises:
        InputError: something is no link, or has a number before the first.
    """
    parts = _parts(text, _LINK, "links such as 0-0 1-2", notation, path, line)
    return [link for link, _ in parts]


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
    links: dict[str, set[Link]] = {"-": set(), "p": set()}
    for link, mark in _parts(
        text, _GOLD_LINK, "gold links such as 3-4 and 3p4", notation, path, line
    ):
        links[mark].add(link)
    return links["-"], links["p"]


def _parts(
    text: str,
    pattern: re.Pattern[str],
    expected: str,
    notation: Notation,
    path: str | PathLike[str] | None,
    line: int | None,
) -> Iterator[tuple[Link, str]]:
    """Each link of a line, and the mark between its numbers."""
    for part in text.split():
        match = pattern.fullmatch(part)
        if not match:
            raise InputError(f"expected {expected}, got {part!r}", path=path, line=line)
        ends = int(match[1]) - notation.first, int(match[3]) - notation.first
        if min(ends) < 0:
            message = f"expected words counted from {notation.first}, got {part!r}"
            raise InputError(message, path=path, line=line)
        yield (ends[1], ends[0]) if notation.target_first else ends, match[2]


def are_links(text: str) -> bool:
    """Whether `read_links` takes a line; this is much faster than to read it."""
    return _LINKS.fullmatch(text) is not None
