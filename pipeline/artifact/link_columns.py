"""Lines of word links as a column of the dataset: links between subwords."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pipeline.artifact.columns import Lines, Side
from pipeline.links import are_links, read_links


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
    rows, words = _word_links(portion)
    outside = (words >= np.stack([source.words, target.words], axis=1)[rows]).any(axis=1)
    if outside.any():
        row, (i, j) = int(rows[outside.argmax()]), words[outside.argmax()]
        raise portion.wrong(
            row,
            f"expected links between {source.words[row]} and {target.words[row]} words, "
            f"counted from 0, got {i}-{j}",
        )
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
    # One number for row and positions sorts faster than three, and sorted it is soon unique.
    shape = (len(portion.lines), int(source.lengths.max()), int(target.lengths.max()))
    found = np.sort(np.ravel_multi_index((rows, source_position, target_position), shape))
    rows, *ends = np.unravel_index(found[np.diff(found, prepend=-1) > 0], shape)
    counts = np.bincount(rows, minlength=len(portion.lines))
    return Links(np.concatenate([[0], np.cumsum(counts)]), np.stack(ends, axis=1))


def _word_links(portion: Lines) -> tuple[np.ndarray, np.ndarray]:
    """(links,) the row of each, and (links, 2) its source and target word.

    Raises:
        InputError: a link is malformed.
    """
    for row, line in enumerate(portion.lines):
        if not are_links(line):
            read_links(line, path=portion.path, line=portion.first + row)  # says what is wrong
    numbers = " ".join(portion.lines).replace("-", " ").split()
    words = np.array(numbers, dtype=np.int64).reshape(-1, 2)
    counts = [line.count("-") for line in portion.lines]
    return np.repeat(np.arange(len(counts)), counts), words
