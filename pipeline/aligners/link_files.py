"""Files of word links that another tool made of the tokenised text, a line for each pair.

Some tools count words from 1, and nothing in a file says so. All files of a section are taken to
count alike: from 0 if a 0 stands anywhere, for no word has that number otherwise; from 1 if none
does and a link has the number of a sentence's last word plus one, which counted from 0 is no word.
Files with neither don't tell; they are taken to count from 0, as Pharaoh's format does. Where one
file of several counts otherwise, its links point outside sentences, and that is an error.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from mgsa.base.errors import InputError
from mgsa.word_links import Link
from pipeline.aligners.tokenized_pairs import lengths
from pipeline.base.stage import SIDES
from pipeline.base.text import read_parallel
from pipeline.links import read_links


@dataclass(frozen=True)
class LinkFile:
    """A file of links of one split; `target_first` where they are written so (`target-source`)."""

    path: Path
    split: str
    target_first: bool = False

    def read(self, tokenized: Path, *, first: int) -> Iterator[set[Link]]:
        """The links of each pair, source first, counted from 0.

        Args:
            first: the number of a sentence's first word.

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
        """Whether a 0 stands in the file, and whether a link has the length of its sentence."""
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


def recognise_first(files: list[LinkFile], tokenized: Path) -> tuple[int, str]:
    """From which number files count words, and why that is thought.

    Raises:
        InputError: a line is malformed, or there are more or fewer lines than pairs.
    """
    found = [file.ends(tokenized) for file in files]
    if any(zero for zero, _ in found):
        return 0, "a 0 occurs"
    if any(length for _, length in found):
        return 1, "no 0 occurs, but the length of a sentence does"
    return 0, "neither a 0 nor the length of a sentence occurs"
