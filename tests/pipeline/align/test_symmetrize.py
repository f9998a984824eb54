"""Symmetrisation: by hand, against a plain implementation, and what is part of what."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mgsa.data.word_links import Link, format_links
from pipeline.align.symmetrize import SYMMETRIZATIONS, Symmetrization, symmetrize
from tests.reference import symmetrization as reference

WORDS = 5

# Columns are source words, rows target words. b: both directions; f, r: forward, reverse alone.
DIAGONAL = """
b . . .
. f . .
. . r .
. . . f
"""
"""Each link is diagonal to the one before it: growing takes all."""

ROW = """
b f f . r
. . . . .
. . . f .
"""
"""The target word of the first row has its link; the source words beside it have none."""

SHARED = """
f . . r
. . . .
. r . f
b . . .
"""
"""The last one, (3, 0), is of two words that `final` has linked, each once, when its turn comes."""


def drawn(picture: str) -> tuple[set[Link], set[Link]]:
    """The links of both directions in a picture."""
    cells = [
        ((source, target), cell)
        for target, row in enumerate(picture.strip().splitlines())
        for source, cell in enumerate(row.split())
    ]
    forward, reverse = ({link for link, cell in cells if cell in kinds} for kinds in ("bf", "br"))
    return forward, reverse


@pytest.mark.parametrize(
    ("picture", "how", "links"),
    [
        (DIAGONAL, "intersection", "0-0"),
        (DIAGONAL, "union", "0-0 1-1 2-2 3-3"),
        (DIAGONAL, "grow-diag", "0-0 1-1 2-2 3-3"),
        (DIAGONAL, "grow-diag-final", "0-0 1-1 2-2 3-3"),
        (ROW, "intersection", "0-0"),
        # 1-0 is beside 0-0, 2-0 beside 1-0; 4-0 is beside none, 3-2 neither.
        (ROW, "grow-diag", "0-0 1-0 2-0"),
        # 3-2 is of two words without a link; of 4-0, only the source word has none.
        (ROW, "grow-diag-final-and", "0-0 1-0 2-0 3-2"),
        (ROW, "grow-diag-final", "0-0 1-0 2-0 3-2 4-0"),
        # Growing takes 1-2. Then 3-2 and 0-0 have one free word each, and 3-0 two.
        (SHARED, "grow-diag", "0-3 1-2"),
        (SHARED, "grow-diag-final-and", "0-3 1-2 3-0"),
        (SHARED, "grow-diag-final", "0-0 0-3 1-2 3-2"),
        (SHARED, "union", "0-0 0-3 1-2 3-0 3-2"),
    ],
)
def test_by_hand(picture: str, how: Symmetrization, links: str) -> None:
    assert format_links(symmetrize(*drawn(picture), how)) == links


words = st.integers(0, WORDS - 1)
any_links = st.sets(st.tuples(words, words), max_size=8)
# What an aligner gives: one link at most for each target word, or for each source word.
forward_links = st.dictionaries(words, words).map(lambda d: {(s, t) for t, s in d.items()})
reverse_links = st.dictionaries(words, words).map(lambda d: set(d.items()))
two_directions = st.tuples(forward_links, reverse_links) | st.tuples(any_links, any_links)


@pytest.mark.parametrize("how", ["grow-diag", "grow-diag-final", "grow-diag-final-and"])
@given(directions=two_directions)
def test_as_a_plain_implementation(
    how: Symmetrization, directions: tuple[set[Link], set[Link]]
) -> None:
    assert symmetrize(*directions, how) == reference.symmetrize(WORDS, *directions, how)


@given(directions=two_directions)
def test_what_is_part_of_what(directions: tuple[set[Link], set[Link]]) -> None:
    found = {how: symmetrize(*directions, how) for how in SYMMETRIZATIONS}
    assert found["intersection"] <= found["grow-diag"] <= found["grow-diag-final-and"]
    assert found["grow-diag"] <= found["grow-diag-final"]
    assert found["grow-diag-final-and"] | found["grow-diag-final"] <= found["union"]
    assert (found["forward"], found["reverse"]) == directions
