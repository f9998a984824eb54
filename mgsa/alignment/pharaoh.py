"""Links as text, in the format of the Pharaoh decoder."""

from __future__ import annotations

from collections.abc import Iterable

Link = tuple[int, int]
"""A source and a target word, or subword, counted from 0."""


def format_links(links: Iterable[Link]) -> str:
    """A line of links, `0-0 1-2`: sorted, each once."""
    return " ".join(f"{source}-{target}" for source, target in sorted(set(links)))
