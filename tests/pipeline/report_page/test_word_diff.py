"""What an output has too much and too little, word by word; its text stays as it is."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.report_page.word_diff import Piece, word_diff
from tests.report_folders import HOSTILE

Expected = list[tuple[str, str]]


@pytest.mark.parametrize(
    ("hypothesis", "reference", "expected"),
    [
        ("a b", "a b", [("same", "a b")]),
        ("a x c", "a b c", [("same", "a "), ("missing", "b"), ("added", "x"), ("same", " c")]),
        ("a c", "a b c", [("same", "a "), ("missing", "b"), ("same", "c")]),
        ("a b c", "a c", [("same", "a "), ("added", "b"), ("same", " c")]),
        ("Ja.", "Ja!", [("same", "Ja"), ("missing", "!"), ("added", ".")]),
        ("", "a b", [("missing", "a b")]),
        ("a b", "", [("added", "a b")]),
        ("", "", []),
        ("a  b", "a b", [("same", "a  b")]),
    ],
)
def test_pieces(hypothesis: str, reference: str, expected: Expected) -> None:
    assert word_diff(hypothesis, reference) == [Piece(*piece) for piece in expected]  # type: ignore[arg-type]


TEXTS = st.lists(st.sampled_from(["a", "b", " ", "  ", ".", "\u200b", "é", *HOSTILE[:3]])).map(
    "".join
)


@given(TEXTS, TEXTS)
def test_the_pieces_are_the_output_and_the_words_of_the_reference(one: str, other: str) -> None:
    pieces = word_diff(one, other)
    assert "".join(text for kind, text in pieces if kind != "missing") == one
    shared = "".join(text for kind, text in pieces if kind != "added")
    assert "".join(shared.split()) == "".join(other.split())
    assert all(first.kind != second.kind for first, second in pairwise(pieces))
