"""Keys and values kept from one decoding step to the next."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor


class KeyValueCache:
    """Keys and values of the positions decoded so far, of rows that can be reordered.

    Positions are the first axis: the filled part of the buffer is contiguous, and taking other
    rows copies no more than it.
    """

    def __init__(self, *, max_length: int) -> None:
        """Args: max_length, how many positions there may come to be."""
        self.max_length = max_length
        self.length = 0
        self.buffer: Tensor | None = None  # (positions there is room for, rows, 2D)

    def append(self, keys_values: Tensor) -> None:
        """Add one position of every row, (rows, 2D)."""
        if self.buffer is None:
            self.buffer = keys_values.new_empty(min(16, self.max_length), *keys_values.shape)
        elif self.length == len(self.buffer):
            room = min(self.length, self.max_length - self.length)
            self.buffer = torch.cat([self.buffer, torch.empty_like(self.buffer[:room])])
        self.buffer[self.length] = keys_values
        self.length += 1

    def keys_and_values(self, heads: int) -> tuple[Tensor, Tensor]:
        """Two (rows, H, positions, K)."""
        assert self.buffer is not None, "append comes first"
        filled = self.buffer[: self.length].unflatten(-1, (2, heads, -1))
        keys, values = filled.permute(2, 1, 3, 0, 4)
        return keys, values

    @torch.no_grad()
    def reorder(self, index: Tensor) -> KeyValueCache:
        """The cache of the rows `index`, (rows',); for search, so no gradient goes through."""
        reordered = KeyValueCache(max_length=self.max_length)
        if self.buffer is not None:
            size, _, width = self.buffer.shape
            reordered.buffer = self.buffer.new_empty(size, len(index), width)
            # Straight to its place: there is much of it, and this is done at every step.
            torch.index_select(
                self.buffer[: self.length], 1, index, out=reordered.buffer[: self.length]
            )
            reordered.length = self.length
        return reordered


@dataclass(frozen=True)
class CrossMemory:
    """Keys and values of the encoder's output, projected once for all target positions.

    Attributes:
        keys, values: (B, H, S, K).
        mask: (B, 1, 1, S).
    """

    keys: Tensor
    values: Tensor
    mask: Tensor

    def select(self, index: Tensor) -> CrossMemory:
        """The memory of the sentences `index`, (B',)."""
        keys, values, mask = (x.index_select(0, index) for x in (self.keys, self.values, self.mask))
        return CrossMemory(keys, values, mask)
