"""Word links in Pharaoh's format: `0-0 1-2`, source and target word counted from 0."""

from __future__ import annotations

import re
from os import PathLike

from mgsa.errors import InputError

_LINK = re.compile("([0-9]{1,9})-([0-9]{1,9})")


def read_links(
    text: str, *, path: str | PathLike[str] | None = None, line: int | None = None
) -> list[tuple[int, int]]:
    """The links of a line, in its order; none for an empty one.

    Args:
        path: the file that errors name.
        line: the line of it that `text` is.

    Raises:
        InputError: something is no link.
    """
    links = []
    for part in text.split():
        match = _LINK.fullmatch(part)
        if not match:
            raise InputError(f"expected links such as 0-0 1-2, got {part!r}", path=path, line=line)
        links.append((int(match[1]), int(match[2])))
    return links
