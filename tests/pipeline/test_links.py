"""Links: Pharaoh's format, and nothing else."""

from __future__ import annotations

import re

import pytest

from mgsa.errors import InputError
from pipeline.links import read_links


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
    assert read_links(text) == links


@pytest.mark.parametrize("part", ["0", "0-", "-1-2", "0-1-2", "a-b", "0:1", "²-1", "0?1"])
def test_what_is_no_link_is_named(part: str) -> None:
    message = f"gold.links:7: expected links such as 0-0 1-2, got {part!r}"
    with pytest.raises(InputError, match=re.escape(message) + "$"):
        read_links(f"0-0 {part}", path="gold.links", line=7)
