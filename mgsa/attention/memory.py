"""Keys and values that attention reads, and the caches of decoding."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor


class KeyValueCache:
    """Keys and values of the positions decoded so far, of rows that can be reordered.

    Positions are the first axis: the filled part of a buffer is contiguous, and taking other rows
    copies no more than it. Keys and values have buffers of their own, in which heads of all rows
    lie at even distances: a matrix product takes them as they are.
    """

    def __init__(self, *, max_length: int) -> None:
        """
        Args:
            max_length: the most positions that it will hold.
        """
        self.max_length = max_length
        self.length = 0
        self.buffers: tuple[Tensor, ...] = ()  # (positions there is room for, rows, width) each

    def append(self, keys: Tensor, values: Tensor) -> None:
        """Add one position of every row, (rows, width) each, of all heads."""
        new = (keys, values)
        if not self.buffers:
            room = min(16, self.max_length)
            self.buffers = tuple(x.new_empty(room, *x.shape) for x in new)
        elif self.length == len(self.buffers[0]):
            room = min(self.length, self.max_length - self.length)
            self.buffers = tuple(torch.cat([x, torch.empty_like(x[:room])]) for x in self.buffers)
        for buffer, x in zip(self.buffers, new, strict=True):
            buffer[self.length] = x
        self.length += 1

    def keys_and_values(self, heads: int) -> tuple[Tensor, Tensor]:
        """Keys and values, (rows, H, positions, ·) each."""
        assert self.buffers, "append comes first"
        keys, values = (
            buffer[: self.length].unflatten(-1, (heads, -1)).permute(1, 2, 0, 3)
            for buffer in self.buffers
        )
        return keys, values

    @torch.no_grad()
    def reorder(self, index: Tensor) -> KeyValueCache:
        """The cache of the rows `index`, (rows',); for search, so no gradient goes through."""
        reordered = KeyValueCache(max_length=self.max_length)
        reordered.length = self.length
        for buffer in self.buffers:
            size, _, width = buffer.shape
            taken = buffer.new_empty(size, len(index), width)
            # Straight to its place: there is much of it, and this is done at every step.
            torch.index_select(buffer[: self.length], 1, index, out=taken[: self.length])
            reordered.buffers += (taken,)
        return reordered


class RecentWords:
    """The last few positions of decoding, of rows that can be reordered.

    Attributes:
        length: how many positions there have been.
    """

    def __init__(self, count: int, kept: Sequence[Tensor] = (), *, length: int = 0) -> None:
        """
        Args:
            count: how many positions are kept; 0: none.
            kept: (rows, at most `count` positions, ·) each.
        """
        self.count = count
        self.kept = tuple(kept)
        self.length = length

    def push(self, *words: Tensor) -> tuple[Tensor, ...]:
        """Add a position, (rows, 1, ·) each; give all with those kept before, (rows, ·, ·)."""
        seen = words
        if self.kept:
            seen = tuple(torch.cat(pair, dim=1) for pair in zip(self.kept, words, strict=True))
        if self.count:
            self.kept = tuple(x[:, -self.count :] for x in seen)
        self.length += 1
        return seen

    def reorder(self, index: Tensor) -> RecentWords:
        """Those of the rows `index`, (rows',)."""
        kept = [x.index_select(0, index) for x in self.kept]
        return RecentWords(self.count, kept, length=self.length)


@dataclass(frozen=True)
class Memory:
    """Keys and values, projected once for all queries.

    Attributes:
        keys, values: in one block or in several, as `attend` takes them.
        mask: (B, 1, 1, S) of all blocks together; `None` where none needs hiding.
    """

    keys: tuple[Tensor, ...]
    values: tuple[Tensor, ...]
    mask: Tensor | None

    def select(self, index: Tensor) -> Memory:
        """The memory of the sentences `index`, (B',)."""
        keys, values = (
            tuple(block.index_select(0, index) for block in blocks)
            for blocks in (self.keys, self.values)
        )
        return Memory(keys, values, None if self.mask is None else self.mask.index_select(0, index))


@dataclass(frozen=True)
class Memories:
    """The memory of each group of heads."""

    groups: tuple[Memory, ...]

    @property
    def num_sentences(self) -> int:
        """B."""
        return len(self.groups[0].keys[0])

    def select(self, index: Tensor) -> Memories:
        """The memories of the sentences `index`, (B',)."""
        return Memories(tuple(group.select(index) for group in self.groups))
