"""Files of word links that another tool made of the tokenised text, a line for each pair.

One-based files are detected; a note goes to stderr. All files of a section count alike: from 0 if
a 0 occurs, which no one-based file has; from 1 if none does and the length of a sentence occurs,
which no zero-based file has; from 0, as in Pharaoh's format, where neither occurs. A file that
counts otherwise has links outside its sentences, which is an error.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass
from pathlib import Path

from mgsa.base.errors import InputError
from mgsa.base.word_links import Link
from pipeline.aligners.aligner import Aligner, LinkFiles, PharaohSettings, lengths
from pipeline.aligners.symmetrize import symmetrize
from pipeline.base.stage import SIDES, SPLITS
from pipeline.base.text import read_parallel
from pipeline.links import read_links


@dataclass(frozen=True)
class LinkFile:
    """A file of links of one split; `target_first` where they are written `target-source`."""

    path: Path
    split: str
    target_first: bool = False

    def read(self, tokenized: Path, *, first: int) -> Iterator[set[Link]]:
        """The links of each pair, source first, counted from 0.

        Args:
            first: the number of a sentence's first word in the file.

        Raises:
            InputError: a line is malformed or points outside its pair, or there are more or fewer
                lines than pairs.
        """
        for line, pair, links in self._lines(tokenized):
            for link in links:
                if not all(first <= end < n + first for end, n in zip(link, pair, strict=True)):
                    shown = "-".join(map(str, link[::-1] if self.target_first else link))
                    raise InputError(
                        f"expected links between {pair[0]} source and {pair[1]} target words, "
                        f"counted from {first}, got {shown}",
                        path=self.path,
                        line=line,
                    )
            yield {(source - first, target - first) for source, target in links}

    def ends(self, tokenized: Path) -> tuple[bool, bool]:
        """Whether a 0 occurs, and whether the length of a sentence does."""
        zero = length = False
        for _, pair, links in self._lines(tokenized):
            for link in links:
                zero |= 0 in link
                length |= link[0] == pair[0] or link[1] == pair[1]
        return zero, length

    def _lines(self, tokenized: Path) -> Iterator[tuple[int, tuple[int, int], list[Link]]]:
        """Line by line, its number, the lengths of source and target, the links as they are."""
        texts = [tokenized / f"{self.split}.{side}" for side in SIDES]
        rows = read_parallel([*texts, self.path])
        for line, (source, target, text) in enumerate(rows, start=1):
            links = read_links(text, path=self.path, line=line)
            if self.target_first:
                links = [(end, start) for start, end in links]
            yield line, lengths((source, target)), links


def recognise_first(files: Sequence[LinkFile], tokenized: Path) -> tuple[int, str]:
    """From which number files count words, and the reason to think so.

    Raises:
        InputError: a line is malformed, or there are more or fewer lines than pairs.
    """
    found = [file.ends(tokenized) for file in files]
    if any(zero for zero, _ in found):
        return 0, "a 0 occurs"
    if any(length for _, length in found):
        return 1, "no 0 occurs, but the length of a sentence does"
    return 0, "neither a 0 nor the length of a sentence occurs"


def pharaoh_aligner(settings: PharaohSettings, tokenized: Path) -> Aligner:
    """The links of other tools' files, symmetrised where there are two of a split.

    Raises:
        InputError: as `recognise_first`.
    """
    named: dict[str, LinkFiles | None] = {split: getattr(settings, split) for split in SPLITS}
    forward, reverse = {}, {}
    for split, files in named.items():
        if files is not None:
            forward[split] = LinkFile(Path(files.forward), split)
        if files is not None and files.reverse is not None:
            target_first = settings.reverse_order == "target_first"
            reverse[split] = LinkFile(Path(files.reverse), split, target_first)
    if settings.first == "auto":
        first, reason = recognise_first([*forward.values(), *reverse.values()], tokenized)
        print(f"align.first: words are counted from {first}: {reason}", file=sys.stderr)
    else:
        first, reason = settings.first, "set"

    def links(split: str) -> Iterator[Set[Link]]:
        found = forward[split].read(tokenized, first=first)
        if split not in reverse:
            return found
        both = zip(found, reverse[split].read(tokenized, first=first), strict=True)
        return (symmetrize(there, back, settings.symmetrization) for there, back in both)

    description = {"deterministic": True, "first": first, "first_because": reason}
    return Aligner(tuple(forward), links, description)


def corpus_links(tokenized: Path) -> dict[str, LinkFile]:
    """The links that came with the corpus, by split."""
    files = {split: LinkFile(tokenized / f"{split}.links", split) for split in SPLITS}
    return {split: file for split, file in files.items() if file.path.is_file()}
