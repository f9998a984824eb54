"""Links as text, in the format of the Pharaoh decoder."""

from __future__ import annotations

from collections.abc import Iterable


def pharaoh(links: Iterable[tuple[int, int]]) -> str:
    """Source and target word of each link: `0-0 1-2`."""
    return " ".join(f"{source}-{target}" for source, target in links)
