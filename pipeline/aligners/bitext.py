"""Sentence pairs as arrays of word ids, and all their word pairs in blocks.

An alignment model says how the words of one side (the generated one) come from those of the other
(the given one). Legend: I words on the given side, N generated words of a block in all.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

BLOCK_CELLS = 1 << 18
"""Word pairs worked on at once: large enough for array operations, small enough for a cache."""


@dataclass(frozen=True)
class IndexedText:
    """Sentences of one language in word ids, one after the other.

    Attributes:
        ids: (words,) int64.
        offsets: (sentences + 1,) of the sentences in `ids`.
    """

    ids: np.ndarray
    offsets: np.ndarray

    @property
    def lengths(self) -> np.ndarray:
        """(sentences,) words."""
        return np.diff(self.offsets)


class WordIndex:
    """Ids of the words of one language: 0 is the null word, the last id any unknown word."""

    def __init__(self, sentences: Iterable[str], *, fold_case: bool) -> None:
        self._fold_case = fold_case
        words = {word for sentence in sentences for word in self._words(sentence)}
        self._ids = {word: number for number, word in enumerate(sorted(words), start=1)}

    @property
    def size(self) -> int:
        """The number of ids."""
        return len(self._ids) + 2

    def index(self, sentences: Sequence[str]) -> IndexedText:
        """Sentences in ids."""
        get, unknown = self._ids.get, self.size - 1
        rows = [[get(word, unknown) for word in self._words(sentence)] for sentence in sentences]
        lengths = np.array([len(row) for row in rows], dtype=np.int64)
        ids = np.fromiter((number for row in rows for number in row), np.int64, lengths.sum())
        return IndexedText(ids, np.concatenate([[0], np.cumsum(lengths)]))

    def _words(self, sentence: str) -> list[str]:
        return (sentence.lower() if self._fold_case else sentence).split(" ")


@dataclass(frozen=True)
class Block:
    """Sentence pairs whose given sides have the same I words, longest generated side first.

    The generated words are in the order of their places: the first words of all pairs, then the
    second words of those that have one, and so on.

    Attributes:
        pairs: the indices of the sentence pairs.
        active: for each place, how many pairs have a word there.
        cells: (N, I + 1) int32, the index in `entries` of each generated word with the null word
            (column 0) and with each given word.
        entries: the different word pairs, by their keys or by their indices in a table.
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
        """The block with indices in these sorted keys as entries; `len(keys)` for absent ones."""
        places = np.searchsorted(keys, self.entries)
        there = np.append(keys, -1)[places] == self.entries
        return replace(self, entries=np.where(there, places, len(keys)).astype(np.int32))


def blocks(
    given: IndexedText, generated: IndexedText, pairs: np.ndarray, key_base: int
) -> Iterator[Block]:
    """These sentence pairs, which must have words on both sides, in blocks.

    The key of a word pair is `given id * key_base + generated id`.
    """
    order = np.lexsort((-generated.lengths[pairs], given.lengths[pairs]))
    pairs = pairs[order]
    lengths = given.lengths[pairs]
    cells = np.cumsum((lengths + 1) * generated.lengths[pairs])
    # A block ends where the length changes, or where it has become large.
    ends = (np.diff(lengths) > 0) | (np.diff(cells // BLOCK_CELLS) > 0)
    for members in np.split(pairs, np.flatnonzero(ends) + 1):
        if len(members):
            yield _block(given, generated, members, key_base)


def _block(given: IndexedText, generated: IndexedText, pairs: np.ndarray, key_base: int) -> Block:
    lengths = generated.lengths[pairs]  # descending
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
