"""Lines of word links as a column of the dataset: links between subwords."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pipeline.columns import Lines, Side
from pipeline.links import read_links


@dataclass(frozen=True)
class Links:
    """The links of a portion, end to end: sorted, each once.

    Attributes:
        offsets: (rows + 1,) of the rows in `ends`.
        ends: (links, 2) subword positions in source and target.
    """

    offsets: np.ndarray
    ends: np.ndarray


def encode_links(portion: Lines, source: Side, target: Side) -> Links:
    """Lines of word links (`0-0 1-2`) as links between all subwords of the linked words.

    Raises:
        InputError: a link is malformed, or names a word that the sentence doesn't have.
    """
    links, row_of = [], []
    for row, line in enumerate(portion.lines):
        for i, j in read_links(line, path=portion.path, line=portion.first + row):
            if i >= source.words[row] or j >= target.words[row]:
                raise portion.wrong(
                    row,
                    f"expected links between {source.words[row]} and {target.words[row]} words, "
                    f"counted from 0, got {i}-{j}",
                )
            links.append((i, j))
            row_of.append(row)
    rows = np.array(row_of, dtype=np.int64)
    words = np.array(links, dtype=np.int64).reshape(-1, 2)
    first, count = [], []
    for side, word in zip((source, target), words.T, strict=True):
        at = side.word_offsets[rows] + word
        before = np.concatenate([[0], np.cumsum(side.subwords_per_word)])
        first.append(before[at] - side.offsets[rows])
        count.append(side.subwords_per_word[at])
    # Each word link becomes a block of (source subwords) x (target subwords) links.
    size = count[0] * count[1]
    place = np.arange(size.sum()) - np.repeat(np.cumsum(size) - size, size)
    rows, across = np.repeat(rows, size), np.repeat(count[1], size)
    source_position = np.repeat(first[0], size) + place // np.maximum(across, 1)
    target_position = np.repeat(first[1], size) + place % np.maximum(across, 1)
    found = np.unique(np.stack([rows, source_position, target_position], axis=1), axis=0)
    counts = np.bincount(found[:, 0], minlength=len(portion.lines))
    return Links(np.concatenate([[0], np.cumsum(counts)]), found[:, 1:])
