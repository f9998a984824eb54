"""Files of word links that another tool made of the tokenised text, a line for each pair."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from itertools import repeat
from pathlib import Path
from typing import Any

from mgsa.base.errors import InputError
from mgsa.base.word_links import Link
from pipeline.aligners.settings import PharaohSettings
from pipeline.aligners.symmetrize import symmetrize
from pipeline.base.stage import SIDES, SPLITS
from pipeline.base.text import read_parallel
from pipeline.links import read_links


def read_link_file(
    path: Path, tokenized: Path, split: str, *, first: int = 0, target_first: bool = False
) -> Iterator[set[Link]]:
    """The links of each pair, source first, counted from 0.

    Args:
        first: the number of a sentence's first word in the file.
        target_first: whether links are written `target-source`.

    Raises:
        InputError: a line is malformed or points outside its pair, or there are more or fewer lines
            than pairs.
    """
    rows = _rows(path, tokenized, split, target_first=target_first)
    for line, (lengths, links) in enumerate(rows, start=1):
        for link in links:
            if not all(first <= end < n + first for end, n in zip(link, lengths, strict=True)):
                shown = "-".join(map(str, link[::-1] if target_first else link))
                raise InputError(
                    f"expected links between {lengths[0]} source and {lengths[1]} target words, "
                    f"counted from {first}, got {shown}",
                    path=path,
                    line=line,
                )
        yield {(source - first, target - first) for source, target in links}


def _rows(
    path: Path, tokenized: Path, split: str, *, target_first: bool
) -> Iterator[tuple[tuple[int, int], list[Link]]]:
    """The lengths of each pair, and its links as they are numbered."""
    files = [*(tokenized / f"{split}.{side}" for side in SIDES), path]
    for line, (source, target, text) in enumerate(read_parallel(files), start=1):
        links = read_links(text, path=path, line=line)
        lengths = source.count(" ") + 1, target.count(" ") + 1
        yield lengths, [link[::-1] for link in links] if target_first else links


def recognise_first(rows: Iterable[tuple[tuple[int, int], list[Link]]]) -> tuple[int, str]:
    """From which number links count words, and the reason to think so.

    From 0 if a 0 occurs, which no one-based file has; from 1 if none does and the length of a
    sentence occurs, which no zero-based file has; from 0, as in Pharaoh's format, otherwise.
    """
    length = False
    for lengths, links in rows:
        if any(0 in link for link in links):
            return 0, "a 0 occurs"
        length |= any(link[0] == lengths[0] or link[1] == lengths[1] for link in links)
    if length:
        return 1, "no 0 occurs, but the length of a sentence does"
    return 0, "neither a 0 nor the length of a sentence occurs"


def pharaoh_links(
    settings: PharaohSettings, tokenized: Path
) -> tuple[dict[str, Iterator[set[Link]]], dict[str, Any]]:
    """The links of other tools' files by split, symmetrised where there are two; a description.

    One-based files are detected; a note goes to stderr. All files count alike.
    """
    target_first = settings.reverse_order == "target_first"
    files = {split: named for split in SPLITS if (named := getattr(settings, split))}
    both = [
        (Path(name), split, flipped)
        for split, named in files.items()
        for name, flipped in ((named.forward, False), (named.reverse, target_first))
        if name is not None
    ]
    if settings.first == "auto":
        first, reason = recognise_first(
            row
            for path, split, flip in both
            for row in _rows(path, tokenized, split, target_first=flip)
        )
        print(f"align.first: words are counted from {first}: {reason}", file=sys.stderr)
    else:
        first, reason = settings.first, "set"
    found: dict[str, Iterator[set[Link]]] = {}
    for path, split, flip in both:
        links = read_link_file(path, tokenized, split, first=first, target_first=flip)
        if split in found:
            how = repeat(settings.symmetrization)
            links = map(symmetrize, found[split], links, how)
        found[split] = links
    return found, {"deterministic": True, "first": first, "first_because": reason}


def corpus_links(tokenized: Path) -> dict[str, Iterator[set[Link]]]:
    """The links that came with the corpus, by split."""
    files = {split: tokenized / f"{split}.links" for split in SPLITS}
    return {
        split: read_link_file(path, tokenized, split)
        for split, path in files.items()
        if path.is_file()
    }
