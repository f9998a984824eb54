"""Links: Pharaoh's format, and nothing else."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mgsa.base.errors import InputError
from mgsa.base.word_links import format_links
from pipeline.links import Notation, are_links, read_gold_links, read_links


@pytest.mark.parametrize(
    ("text", "links"),
    [
        ("", []),
        ("0-0", [(0, 0)]),
        ("3-10 0-2 0-1", [(3, 10), (0, 2), (0, 1)]),
        (" 0-0  1-1 ", [(0, 0), (1, 1)]),
    ],
)
def test_links_are_read(text: str, links: list[tuple[int, int]]) -> None:
    assert are_links(text)
    assert read_links(text) == links


@pytest.mark.parametrize("part", ["0", "0-", "-1-2", "0-1-2", "a-b", "0:1", "²-1", "0?1"])
def test_what_is_no_link_is_named(part: str) -> None:
    message = f"gold.links:7: expected links such as 0-0 1-2, got {part!r}"
    assert not are_links(f"0-0 {part}")
    with pytest.raises(InputError, match=re.escape(message) + "$"):
        read_links(f"0-0 {part}", path="gold.links", line=7)


@given(st.text("0123- \t\u2003\x1c", max_size=12))
def test_both_readers_take_the_same_lines(text: str) -> None:
    try:
        read_links(text)
    except InputError:
        assert not are_links(text)
    else:
        assert are_links(text)


def test_links_are_written_sorted_and_once() -> None:
    assert format_links([(1, 0), (0, 10), (0, 2), (1, 0)]) == "0-2 0-10 1-0"
    assert format_links([]) == ""


@pytest.mark.parametrize(
    ("text", "first", "target_first"),
    [
        ("0-0 1-2 2p1", 0, False),
        ("1-1 2-3 3p2", 1, False),
        ("0-0 2-1 1p2", 0, True),
        ("1-1 3-2 2p3", 1, True),
    ],
)
def test_gold_links_are_read_in_every_notation(text: str, first: int, target_first: bool) -> None:
    found = read_gold_links(text, Notation(first, target_first))
    assert found == ({(0, 0), (1, 2)}, {(2, 1)})


@pytest.mark.parametrize(
    ("part", "message"),
    [
        ("1:1", "expected gold links such as 3-4 and 3p4, got '1:1'"),
        ("1-0", "expected words counted from 1, got '1-0'"),
        ("0p1", "expected words counted from 1, got '0p1'"),
    ],
)
def test_what_is_no_gold_link_is_named(part: str, message: str) -> None:
    with pytest.raises(InputError, match=re.escape(f"gold:7: {message}") + "$"):
        read_gold_links(f"1-1 {part}", Notation(first=1), path="gold", line=7)
