"""Sentence pairs as word ids, and their word pairs in blocks, for aligners of one direction.

The words of the generated side come from those of the given side. Legend: P sentence pairs of a
block, each of I given and up to J generated words.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

BLOCK_CELLS = 1 << 18
"""Word pairs worked on at once: large enough for array operations, small enough for a cache."""

Sentences = list[list[int]]
"""In word ids; 0 is the null word."""


@dataclass(frozen=True)
class Block:
    """The word pairs of sentence pairs with I given words, longest generated side first."""

    pairs: np.ndarray  #: (P,) indices of the sentence pairs.
    exists: np.ndarray  #: (J, P) mask of generated words.
    #: (J, P, I + 1) int32, indices into `entries` of each generated word with the null word (first)
    #: and each given word.
    cells: np.ndarray
    #: distinct word pairs, as keys (given id * key base + generated id) or as indices into a table.
    entries: np.ndarray

    def found_in(self, keys: np.ndarray) -> Block:
        """Replace the entries by their indices in sorted keys; `len(keys)` for absent ones."""
        places = np.searchsorted(keys, self.entries)
        there = np.append(keys, -1)[places] == self.entries
        return replace(self, entries=np.where(there, places, len(keys)).astype(np.int32))


def blocks(given: Sentences, generated: Sentences, key_base: int) -> Iterator[Block]:
    """All sentence pairs, in blocks."""
    by_length = defaultdict(list)
    for pair, sentence in enumerate(given):
        by_length[len(sentence)].append(pair)
    for num_given, members in sorted(by_length.items()):
        members.sort(key=lambda pair: -len(generated[pair]))
        start = 0
        while start < len(members):
            cells = (num_given + 1) * len(generated[members[start]])
            end = start + max(BLOCK_CELLS // cells, 1)
            yield _block(given, generated, members[start:end], key_base)
            start = end


def _block(given: Sentences, generated: Sentences, pairs: list[int], key_base: int) -> Block:
    lengths = np.array([len(generated[pair]) for pair in pairs])
    exists = np.arange(lengths[0])[:, None] < lengths
    words = np.zeros((len(pairs), lengths[0]), dtype=np.int64)
    words[exists.T] = [word for pair in pairs for word in generated[pair]]
    given_words = np.array([[0, *given[pair]] for pair in pairs])
    keys = (given_words * key_base + words.T[:, :, None])[exists]
    entries, inverse = np.unique(keys, return_inverse=True)
    cells = np.zeros((*exists.shape, given_words.shape[1]), dtype=np.int32)
    cells[exists] = inverse.reshape(keys.shape)
    return Block(np.array(pairs), exists, cells, entries)
