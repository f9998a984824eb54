"""Keys and values that attention reads: of the source, and of the decoded positions."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional as F


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
        """B, the sentences of the batch."""
        return len(self.groups[0].keys[0])

    def select(self, index: Tensor) -> Memories:
        """The memories of sentences `index`, (B',)."""
        return Memories(tuple(group.select(index) for group in self.groups))


class Cache:
    """The decoder's cache of decoded positions, by module and name.

    A sentence has n rows, its hypotheses. Keys and values lie in slots: a row is given those of all
    rows of its sentence, and a mask of those that hold its own words. So hypotheses are reordered
    without copying what they remember. A slot whose word belongs to no row any more takes another
    (on a CPU: a GPU would wait to learn how many slots there are).
    """

    def __init__(self, sentences: int, device: torch.device | None = None) -> None:
        #: (B, n, slots) bool, which slots hold the words of each row.
        self.visible = torch.ones(sentences, 1, 0, dtype=torch.bool, device=device)
        #: (B, slots) the step of the word in each slot.
        self.positions = torch.zeros(sentences, 0, dtype=torch.int64, device=device)
        # Where the last words lie: sentences (B, 1), their slots (B, n).
        self._last = self.positions, self.positions
        # Keys or values: (B, H, slots or more, vectors of a slot, K).
        self._slots: dict[tuple[nn.Module, str], Tensor] = {}
        # Of this step.
        self._masks: dict[tuple[int, ...], Tensor] = {}
        # What is not attended to: (positions, B · n, …).
        self._rows: dict[tuple[nn.Module, str], Tensor] = {}
        self.steps = 0  #: target positions so far.

    def begin(self) -> None:
        """Add a step: a slot for each row, which no other row of its sentence sees."""
        device = self.visible.device
        B, n, slots = self.visible.shape
        if n > 1 and device.type == "cpu":
            taken = F.pad(self.visible.any(dim=1), (0, n))
            last = taken.to(torch.uint8).argsort(dim=1, stable=True)[:, :n]
            new = max(0, int(last.max()) + 1 - slots)
        else:
            last = torch.arange(slots, slots + n, device=device).expand(B, n)
            new = n
        own = torch.eye(n, dtype=torch.bool, device=device).expand(B, n, n)
        self.visible = F.pad(self.visible, (0, new))
        self.visible.scatter_(2, last[:, None].expand(B, n, n), own)
        self.positions = F.pad(self.positions, (0, new)).scatter_(1, last, self.steps)
        self._last = torch.arange(B, device=device)[:, None], last
        self._masks = {}
        self.steps += 1

    def mask(self, reaches: tuple[int, ...] = (0,)) -> Tensor | None:
        """The slots that a row sees, (B, 1, n, slots, reaches); `None`: all.

        For an n-gram of size n the first n − 1 positions are hidden.
        """
        if self.visible.shape[1] == 1 and not any(reaches):
            return None
        if reaches not in self._masks:
            seen = [self.visible & (self.positions >= reach)[:, None] for reach in reaches]
            self._masks[reaches] = torch.stack(seen, dim=-1)[:, None]
        return self._masks[reaches]

    def extend(self, owner: nn.Module, name: str, x: Tensor) -> Tensor:
        """Add x (B, H, n · m, K), m vectors a row, to an entry.

        All of it is returned, slot by slot, (B, H, slots · m, K).
        """
        _, n, slots = self.visible.shape
        x = x.view(*x.shape[:2], n, -1, x.shape[-1])
        buffer = self._slots.get((owner, name), x[:, :, :0])
        if slots > buffer.shape[2]:
            # By zeros: a slot that holds no word is hidden, not left out.
            self._slots[owner, name] = buffer = F.pad(buffer, (0, 0, 0, 0, 0, max(32, slots)))
        buffer.transpose(1, 2)[self._last] = x.transpose(1, 2)
        return buffer[:, :, :slots].flatten(2, 3)

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
            self.positions = self.positions.index_select(0, sentences)
            self._slots = {key: x.index_select(0, sentences) for key, x in self._slots.items()}
        self.visible = self.visible.gather(1, parents[..., None].expand(-1, -1, slots))
        rows = (sentences[:, None] * n + parents).flatten()
        self._rows = {key: x.index_select(1, rows) for key, x in self._rows.items()}
