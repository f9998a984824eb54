"""The word links of a pair as a matrix: a column for each source word, a row for each target word.

What a link is shows in its shape as well as in its colour.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence, Set
from dataclasses import dataclass

from mgsa.word_links import Link
from pipeline.report_page.charts.text_width import shorten, text_width

CELL, SIZE, MARGIN = 18, 12, 4
LONGEST_LABEL = 24

KINDS = {
    "link": "link",
    "sure": "found, and a sure gold link",
    "possible": "found, and a possible gold link",
    "wrong": "found, but no gold link",
    "missed": "sure gold link that was not found",
    "unneeded": "possible gold link that was not found",
}
"""What a cell can be; `link` where there is no gold to compare with."""


@dataclass(frozen=True)
class Gold:
    """Gold links: sure ones, and those that are possible besides."""

    sure: Set[Link]
    possible: Set[Link]


@dataclass(frozen=True)
class Mark:
    """A cell that is not empty."""

    kind: str
    x: float
    y: float
    source: str
    target: str


@dataclass(frozen=True)
class LinkMatrix:
    """What to draw, in CSS pixels: `left` and `top` are the room of the words."""

    width: float
    height: float
    left: float
    top: float
    columns: tuple[tuple[float, str, str], ...]
    rows: tuple[tuple[float, str, str], ...]
    marks: tuple[Mark, ...]
    counts: dict[str, int]
    cell: int = CELL


def link_matrix(
    source: Sequence[str], target: Sequence[str], links: Set[Link], gold: Gold | None
) -> LinkMatrix:
    """Lay out the links of a pair of sentences in words."""
    columns = [shorten(word, LONGEST_LABEL) for word in source]
    rows = [shorten(word, LONGEST_LABEL) for word in target]
    left = max(text_width(word, SIZE) for word in rows) + 2 * MARGIN
    top = max(text_width(word, SIZE) for word in columns) + 2 * MARGIN
    kinds = kinds_of(links, gold)
    return LinkMatrix(
        width=round(left + CELL * len(columns) + MARGIN, 1),
        height=round(top + CELL * len(rows) + MARGIN, 1),
        left=round(left, 1),
        top=round(top, 1),
        columns=tuple(
            (round(left + CELL * (i + 0.5), 1), shown, word)
            for i, (shown, word) in enumerate(zip(columns, source, strict=True))
        ),
        rows=tuple(
            (round(top + CELL * (j + 0.5), 1), shown, word)
            for j, (shown, word) in enumerate(zip(rows, target, strict=True))
        ),
        marks=tuple(
            Mark(
                kind,
                round(left + CELL * (i + 0.5), 1),
                round(top + CELL * (j + 0.5), 1),
                source[i],
                target[j],
            )
            for (i, j), kind in sorted(kinds.items())
        ),
        counts={kind: n for kind in KINDS if (n := Counter(kinds.values())[kind])},
    )


def kinds_of(links: Set[Link], gold: Gold | None) -> dict[Link, str]:
    """What each link is, found ones and gold ones."""
    if gold is None:
        return dict.fromkeys(links, "link")
    possible = gold.possible - gold.sure
    return (
        dict.fromkeys(possible, "unneeded")
        | dict.fromkeys(gold.sure, "missed")
        | dict.fromkeys(links, "wrong")
        | dict.fromkeys(links & possible, "possible")
        | dict.fromkeys(links & gold.sure, "sure")
    )
