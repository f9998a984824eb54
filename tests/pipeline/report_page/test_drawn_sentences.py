"""Sentences that are drawn: from the shortest to the longest that fits."""

from __future__ import annotations

import pytest

from pipeline.report_page.drawn_sentences import drawn_sentences

LENGTHS = [5, 1, 99, 3, 2, 4]


@pytest.mark.parametrize(
    ("count", "longest", "expected"),
    [
        (3, 60, [1, 3, 0]),
        (2, 60, [1, 0]),
        (1, 60, [3]),
        (0, 60, []),
        (9, 60, [1, 4, 3, 5, 0]),
        (2, 100, [1, 2]),
        (2, 0, []),
    ],
)
def test_they_are_spread_over_the_lengths(count: int, longest: int, expected: list[int]) -> None:
    assert drawn_sentences(LENGTHS, count=count, longest=longest) == expected


def test_of_sentences_as_long_the_first_are_drawn() -> None:
    assert drawn_sentences([2, 2, 2, 2], count=2, longest=9) == [0, 3]
