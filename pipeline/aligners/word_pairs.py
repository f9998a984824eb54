"""Every pair of words that stand in one sentence pair, laid out for array operations.

An alignment model says how the words of one side (the generated one) come from those of the other
(the given one). Legend: I words on the given side, N generated words of a block in all.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from pipeline.aligners.bitext import IndexedText

BLOCK_CELLS = 1 << 18
"""Word pairs worked on at once: large enough for array operations, small enough for a cache."""


@dataclass(frozen=True)
class Block:
    """Sentence pairs whose given sides have the same I words.

    They go from the longest generated side to the shortest, so that those that still have a word
    at some place are the first ones. The generated words are in the order of their places: the
    first words of all pairs, then the second words of those that have one, and so on.

    Attributes:
        pairs: which sentence pairs.
        active: for each place, how many pairs have a word there.
        cells: (N, I + 1) int32, which of the `entries` each generated word is together with the
            null word (column 0) and with each given word.
        entries: the different word pairs: their keys, or where they are in a table.
    """

    pairs: np.ndarray
    active: np.ndarray
    cells: np.ndarray
    entries: np.ndarray

    @property
    def num_given(self) -> int:
        """I."""
        return self.cells.shape[1] - 1

    def positions(self) -> tuple[np.ndarray, np.ndarray]:
        """(N,) the sentence pair of each generated word, and (N,) its place in it."""
        row, place = _positions(self.active)
        return self.pairs[row], place

    def found_in(self, keys: np.ndarray) -> Block:
        """The same with places in a table of these sorted keys; `len(keys)` for what it lacks."""
        places = np.searchsorted(keys, self.entries)
        there = np.append(keys, -1)[places] == self.entries
        return replace(self, entries=np.where(there, places, len(keys)).astype(np.int32))


def blocks(
    given: IndexedText, generated: IndexedText, pairs: np.ndarray, key_base: int
) -> Iterator[Block]:
    """These sentence pairs, which must have words on both sides, in blocks.

    The key of two words is `given id * key_base + generated id`.
    """
    order = np.lexsort((-generated.lengths[pairs], given.lengths[pairs]))
    pairs = pairs[order]
    lengths = given.lengths[pairs]
    cells = np.cumsum((lengths + 1) * generated.lengths[pairs])
    # A block ends where the length changes, or where it has become large.
    turns = (np.diff(lengths) > 0) | (np.diff(cells // BLOCK_CELLS) > 0)
    for some in np.split(pairs, np.flatnonzero(turns) + 1):
        if len(some):
            yield _block(given, generated, some, key_base)


def _block(given: IndexedText, generated: IndexedText, pairs: np.ndarray, key_base: int) -> Block:
    lengths = generated.lengths[pairs]  # they fall
    active = np.searchsorted(-lengths, -np.arange(lengths[0]))
    row, place = _positions(active)
    words = generated.ids[generated.offsets[pairs[row]] + place]
    num_given = int(given.lengths[pairs[0]])
    given_words = np.zeros((len(pairs), num_given + 1), dtype=np.int64)
    given_words[:, 1:] = given.ids[given.offsets[pairs][:, None] + np.arange(num_given)]
    keys = given_words[row] * key_base + words[:, None]
    entries, cells = np.unique(keys, return_inverse=True)
    return Block(pairs, active, cells.reshape(keys.shape).astype(np.int32), entries)


def _positions(active: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Of each generated word, the row of its pair in the block, and its place."""
    place = np.repeat(np.arange(len(active)), active)
    row = np.arange(len(place)) - np.repeat(np.cumsum(active) - active, active)
    return row, place
