"""Keys and values that attention reads: of the source, and of the decoded positions."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn


@dataclass(frozen=True)
class Memory:
    """Keys and values in blocks, as `attend` takes them, and their mask (B, 1, 1, S), if any."""

    keys: tuple[Tensor, ...]
    values: tuple[Tensor, ...]
    mask: Tensor | None

    def select(self, index: Tensor) -> Memory:
        """The memory of sentences `index`, (B',)."""
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
        return len(self.groups[0].keys[0])

    def select(self, index: Tensor) -> Memories:
        """The memories of sentences `index`, (B',)."""
        return Memories(tuple(group.select(index) for group in self.groups))


class Cache:
    """The decoder's cache of decoded positions, by module and name; its rows can be reordered.

    Buffers are (positions, rows, …): the filled part is contiguous, a reordering copies only that
    part, and heads have a constant stride, as matrix products need.
    """

    def __init__(self) -> None:
        # Buffer (capacity, rows, …), and number of filled positions
        self._entries: dict[tuple[nn.Module, str], tuple[Tensor, int]] = {}

    def get(self, owner: nn.Module, name: str, default: Tensor) -> Tensor:
        """An entry, (positions, rows, …), or the default."""
        buffer, length = self._entries.get((owner, name), (default, len(default)))
        return buffer[:length]

    def put(self, owner: nn.Module, name: str, x: Tensor) -> None:
        """Replace an entry by x (positions, rows, …)."""
        self._entries[owner, name] = x, len(x)

    def extend(self, owner: nn.Module, name: str, x: Tensor) -> Tensor:
        """Append x (rows, H, n, K) to an entry; return all of it, (rows, H, positions, K)."""
        new = x.permute(2, 0, 1, 3).flatten(2)
        buffer, length = self._entries.get((owner, name), (new[:0], 0))
        end = length + len(new)
        if end > len(buffer):
            grown = new.new_empty(max(16, 2 * end), *new.shape[1:])
            grown[:length] = buffer[:length]
            buffer = grown
        buffer[length:end] = new
        self._entries[owner, name] = buffer, end
        return buffer[:end].unflatten(-1, (x.shape[1], -1)).permute(1, 2, 0, 3)

    def recent(self, owner: nn.Module, name: str, x: Tensor, count: int) -> Tensor:
        """x (rows, 1, C) after at most `count` previous positions: (rows, positions, C)."""
        new = x.transpose(0, 1)
        recent = torch.cat([self.get(owner, name, new[:0]), new])
        if count:
            self.put(owner, name, recent[-count:])
        return recent.transpose(0, 1)

    @torch.no_grad()
    def reorder(self, index: Tensor) -> Cache:
        """The cache of rows `index`, (rows',), without gradient."""
        reordered = Cache()
        for key, (buffer, length) in self._entries.items():
            taken = buffer.new_empty(len(buffer), len(index), *buffer.shape[2:])
            # Written in place: this copies much at every step.
            torch.index_select(buffer[:length], 1, index, out=taken[:length])
            reordered._entries[key] = taken, length
        return reordered
