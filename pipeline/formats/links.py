"""Word links in Pharaoh's format: `0-0 1-2`, source and target token counted from 0.

Gold links are written in the same way, `3-4` for a sure one and `3p4` for a possible one. Other
tools count from 1, or have the target in front: that is their `Notation`.
"""

import re
from collections.abc import Iterator, Sequence, Set
from os import PathLike
from typing import NamedTuple

from mgsa.cli.errors import InputError
from mgsa.data.word_links import Link

_LINKS = re.compile(r"\s*(?:[0-9]{1,9}-[0-9]{1,9}(?:\s+|$))*")
_LINK = re.compile("([0-9]{1,9})([-p])([0-9]{1,9})")

_Path = str | PathLike[str] | None


class Notation(NamedTuple):
    """Index of the first word, and whether targets come first."""

    first: int = 0
    target_first: bool = False


PHARAOH = Notation()


def read_links(
    text: str,
    notation: Notation = PHARAOH,
    *,
    lengths: tuple[int, int] | None = None,
    path: _Path = None,
    line: int | None = None,
) -> list[Link]:
    """The (source, target) links of a line, 0-based, in its order.

    Args:
        lengths: numbers of source and target words of the pair, if links are to lie inside it.

    Raises:
        InputError: something is no link, an index is below the first, or a link outside its pair.
    """
    if notation == PHARAOH and _LINKS.fullmatch(text):  # as nearly always: three times as fast
        ends = [*map(int, text.replace("-", " ").split())]
        links = [*zip(ends[::2], ends[1::2], strict=True)]
    else:
        found = _read(text, "-", "links such as 0-0 1-2", notation, path, line)
        links = [link for link, _ in found]
    if lengths:
        _check_inside(links, lengths, notation, path, line)
    return links


def read_gold_links(
    text: str,
    notation: Notation = PHARAOH,
    *,
    lengths: tuple[int, int] | None = None,
    path: _Path = None,
    line: int | None = None,
) -> tuple[set[Link], set[Link]]:
    """The sure and the possible links of a line; otherwise as `read_links`."""
    if notation == PHARAOH and _LINKS.fullmatch(text):
        return set(read_links(text, lengths=lengths, path=path, line=line)), set()
    found = [*_read(text, "-p", "gold links such as 3-4 and 3p4", notation, path, line)]
    if lengths:
        _check_inside([link for link, _ in found], lengths, notation, path, line)
    sure, possible = ({link for link, mark in found if mark == wanted} for wanted in "-p")
    return sure, possible


def _check_inside(
    links: Sequence[Link],
    lengths: tuple[int, int],
    notation: Notation,
    path: _Path,
    line: int | None,
) -> None:
    for link in links:
        if link[0] >= lengths[0] or link[1] >= lengths[1]:
            raise InputError(
                f"expected links between {lengths[0]} source and {lengths[1]} target words, counted"
                f" from {notation.first}, got {'-'.join(str(n + notation.first) for n in link)}",
                path=path,
                line=line,
            )


def _read(
    text: str, marks: str, expected: str, notation: Notation, path: _Path, line: int | None
) -> Iterator[tuple[Link, str]]:
    for part in text.split():
        match = _LINK.fullmatch(part)
        if not match or match[2] not in marks:
            raise InputError(f"expected {expected}, got {part!r}", path=path, line=line)
        ends = int(match[1]) - notation.first, int(match[3]) - notation.first
        if min(ends) < 0:
            message = f"expected words counted from {notation.first}, got {part!r}"
            raise InputError(message, path=path, line=line)
        yield ends[::-1] if notation.target_first else ends, match[2]


def translation(span: tuple[int, int], links: Set[Link]) -> tuple[int, int] | None:
    """The target words of some source words; `None` if they are not together, or none."""
    inside = [target for source, target in links if span[0] <= source < span[1]]
    if not inside:
        return None
    start, end = min(inside), max(inside) + 1
    outside = {target for source, target in links if not span[0] <= source < span[1]}
    return None if outside & set(range(start, end)) else (start, end)
