"""Keys and values that attention reads: of the source, and of the decoded positions."""

from __future__ import annotations

from collections.abc import Sequence
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
    """The decoder's cache of decoded positions, by module and name.

    A sentence has n rows, its hypotheses, each with a slot for every step. Keys and values stay in
    their slots: a row is given those of all rows of its sentence, and a mask of those that hold its
    own words. So hypotheses are reordered without copying what they remember.

    Attributes:
        visible: (B, n, slots) bool, which slots hold the words of each row.
        positions: (slots,) the step of each slot.
        steps: target positions so far.
    """

    def __init__(self, sentences: int, device: torch.device | None = None) -> None:
        self.visible = torch.ones(sentences, 1, 0, dtype=torch.bool, device=device)
        self.positions = torch.zeros(0, dtype=torch.int64, device=device)
        # Keys or values: buffer (B, H, capacity, K), and the number of filled slots.
        self._slots: dict[tuple[nn.Module, str], tuple[Tensor, int]] = {}
        # What is not attended to: (positions, B · n, …).
        self._rows: dict[tuple[nn.Module, str], Tensor] = {}
        self.steps = 0

    def begin(self) -> None:
        """Add a step: a slot for each row, which no other row of its sentence sees."""
        B, n, _ = self.visible.shape
        own = torch.eye(n, dtype=torch.bool, device=self.visible.device).expand(B, n, n)
        self.visible = torch.cat([self.visible, own], dim=2)
        self.positions = torch.cat([self.positions, self.positions.new_full((n,), self.steps)])
        self.steps += 1

    def mask(self, reaches: Sequence[int] = (0,)) -> Tensor | None:
        """(B, 1, n, slots, reaches): the slots that a row sees, but for the first steps of each
        reach; `None`: all.
        """
        if not any(reaches) and len(self.positions) == self.steps:
            return None  # there was never more than one row a sentence
        seen = [self.visible & (self.positions >= reach) for reach in reaches]
        return torch.stack(seen, dim=-1)[:, None]

    def extend(self, owner: nn.Module, name: str, x: Tensor) -> Tensor:
        """Append x (B, H, m, K) to an entry; return all of it, (B, H, its slots, K)."""
        B, H, m, K = x.shape
        buffer, length = self._slots.get((owner, name), (x[:, :, :0], 0))
        end = length + m
        if end > buffer.shape[2]:
            grown = x.new_empty(B, H, max(16 * m, 2 * end), K)
            grown[:, :, :length] = buffer[:, :, :length]
            buffer = grown
        buffer[:, :, length:end] = x
        self._slots[owner, name] = buffer, end
        return buffer[:, :, :end]

    def get(self, owner: nn.Module, name: str, default: Tensor) -> Tensor:
        """An entry of every row, (positions, B · n, …), or the default."""
        return self._rows.get((owner, name), default)

    def put(self, owner: nn.Module, name: str, x: Tensor) -> None:
        """Replace an entry of every row by x (positions, B · n, …)."""
        self._rows[owner, name] = x

    def recent(self, owner: nn.Module, name: str, x: Tensor, count: int) -> Tensor:
        """x (B · n, 1, C) after at most `count` previous positions: (B · n, positions, C)."""
        new = x.transpose(0, 1)
        recent = torch.cat([self.get(owner, name, new[:0]), new])
        if count:
            self.put(owner, name, recent[-count:])
        return recent.transpose(0, 1)

    def reorder(self, sentences: Tensor | None, parents: Tensor) -> None:
        """Keep `sentences` (B',), or all; their new rows go on from rows `parents` (B', n')."""
        B, n, slots = self.visible.shape
        if sentences is None:
            sentences = torch.arange(B, device=parents.device)
        else:
            self.visible = self.visible.index_select(0, sentences)
            self._slots = {
                key: (buffer[:, :, :length].index_select(0, sentences), length)
                for key, (buffer, length) in self._slots.items()
            }
        self.visible = self.visible.gather(1, parents[..., None].expand(-1, -1, slots))
        rows = (sentences[:, None] * n + parents).flatten()
        self._rows = {key: x.index_select(1, rows) for key, x in self._rows.items()}
