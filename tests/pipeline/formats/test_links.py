"""Links in Pharaoh's format, gold links, and those of other tools."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mgsa.cli.errors import InputError
from mgsa.data.word_links import Link, format_links
from pipeline.formats.links import Notation, read_gold_links, read_links


@given(st.lists(st.tuples(st.integers(0, 99), st.integers(0, 99))))
def test_links_are_read_in_their_order_and_written_sorted(links: list[Link]) -> None:
    text = "  ".join(f"{source}-{target}" for source, target in links)
    assert read_links(text) == links
    assert read_links(format_links(links)) == sorted(set(links))


@given(st.text("0123- \t\u2003\x1c", max_size=12))
def test_another_notation_is_read_alike(text: str) -> None:
    """By the slower of two ways."""
    flipped = Notation(target_first=True)
    try:
        links = read_links(text)
    except InputError:
        with pytest.raises(InputError):
            read_links(text, flipped)
    else:
        assert [(i, j) for j, i in read_links(text, flipped)] == links


@pytest.mark.parametrize("part", ["0", "0-", "-1-2", "0-1-2", "a-b", "0p1", "²-1", "0?1"])
def test_what_is_no_link_is_named(part: str) -> None:
    message = f"gold.links:7: expected links such as 0-0 1-2, got {part!r}"
    with pytest.raises(InputError, match=re.escape(message) + "$"):
        read_links(f"0-0 {part}", path="gold.links", line=7)


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
