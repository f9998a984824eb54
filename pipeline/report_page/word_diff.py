"""Which words of a translation are not the reference's, and which of the reference's it lacks."""

from __future__ import annotations

import re
from collections.abc import Iterator
from difflib import SequenceMatcher
from typing import Literal, NamedTuple

_WORD = re.compile(r"\w+|[^\w\s]|\s+")


class Piece(NamedTuple):
    """Text that both have, that only the translation has, or that only the reference has."""

    kind: Literal["same", "added", "missing"]
    text: str


def word_diff(hypothesis: str, reference: str) -> list[Piece]:
    """The translation in pieces, with what it lacks where it would stand.

    The pieces that are not `missing` are the translation, character by character.
    """
    return list(_joined(_pieces(_WORD.findall(hypothesis), _WORD.findall(reference))))


def _pieces(ours: list[str], theirs: list[str]) -> Iterator[Piece]:
    # White space is part of the text but not of the comparison: nobody looks for a changed space.
    mine = [place for place, word in enumerate(ours) if not word.isspace()]
    its = [place for place, word in enumerate(theirs) if not word.isspace()]
    matcher = SequenceMatcher(
        None, [ours[p] for p in mine], [theirs[p] for p in its], autojunk=False
    )
    at = 0
    for kind, first, last, their_first, their_last in matcher.get_opcodes():
        start = mine[first] if first < len(mine) else len(ours)
        if start > at:
            yield Piece("same", "".join(ours[at:start]))
            at = start
        if kind in ("replace", "insert"):
            lacking = theirs[its[their_first] : its[their_last - 1] + 1]
            yield Piece("missing", "".join(lacking))
        if last > first:
            end = mine[last - 1] + 1
            yield Piece("same" if kind == "equal" else "added", "".join(ours[at:end]))
            at = end
    if at < len(ours):
        yield Piece("same", "".join(ours[at:]))


def _joined(pieces: Iterator[Piece]) -> Iterator[Piece]:
    """The same with neighbours of one kind put together."""
    waiting: Piece | None = None
    for piece in pieces:
        if waiting is None:
            waiting = piece
        elif waiting.kind == piece.kind:
            waiting = Piece(waiting.kind, waiting.text + piece.text)
        else:
            yield waiting
            waiting = piece
    if waiting is not None:
        yield waiting
