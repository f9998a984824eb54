"""Attention to words (Vaswani et al. 2017, section 3.2.2).

    queries X Wq        keys Y Wk        values Y Wv

Y is X in self-attention and the encoder's output in cross-attention.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from mgsa.attention.attend import attend
from mgsa.attention.heads import Attended, init_projection, join_heads, split_heads
from mgsa.masks import Context

WORDS = "words"


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

    def reorder(self, index: Tensor) -> KeyValueCache:
        """The cache of the rows `index`, (rows',)."""
        reordered = KeyValueCache(max_length=self.max_length)
        if self.buffer is not None:
            size, _, width = self.buffer.shape
            reordered.buffer = self.buffer.new_empty(size, len(index), width)
            filled = self.buffer[: self.length]
            reordered.buffer[: self.length] = filled.index_select(1, index)
            reordered.length = self.length
        return reordered


class WordSelfAttention(nn.Module):
    """Every position attends to the positions of its own sentence."""

    def __init__(self, dim: int, heads: int, *, dropout: float) -> None:
        super().__init__()
        self.heads = heads
        self.dropout = dropout
        self.projection = nn.Linear(dim, 3 * dim)  # rows of queries, of keys, of values
        self.output = nn.Linear(dim, dim)
        init_projection(self.projection, 3 * dim)
        init_projection(self.output, dim)

    def forward(self, x: Tensor, context: Context, *, need_weights: bool = False) -> Attended:
        """x (B, T, D) to (B, T, D)."""
        q, k, v = self.projection(x).unflatten(-1, (3, self.heads, -1)).permute(2, 0, 3, 1, 4)
        attended, weights = attend(
            q,
            k,
            v,
            context.mask,
            causal=context.causal,
            dropout=self.dropout if self.training else 0.0,
            need_weights=need_weights,
        )
        return Attended(
            self.output(join_heads(attended)), {} if weights is None else {WORDS: weights}
        )

    def start(self, *, max_length: int) -> KeyValueCache:
        """The cache before the first of at most `max_length` positions."""
        return KeyValueCache(max_length=max_length)

    def step(self, x: Tensor, cache: KeyValueCache) -> Tensor:
        """x (rows, 1, D), the position after those in `cache`, which it joins, to (rows, 1, D)."""
        dim = self.output.in_features
        q, keys_values = self.projection(x).split([dim, 2 * dim], dim=-1)
        cache.append(keys_values[:, 0])
        attended, _ = attend(split_heads(q, self.heads), *cache.keys_and_values(self.heads), None)
        return self.output(join_heads(attended))


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
        return CrossMemory(self.keys[index], self.values[index], self.mask[index])


class WordCrossAttention(nn.Module):
    """Every target position attends to the positions of the source."""

    def __init__(self, dim: int, heads: int, *, dropout: float) -> None:
        super().__init__()
        self.heads = heads
        self.dropout = dropout
        self.query = nn.Linear(dim, dim)
        self.key_value = nn.Linear(dim, 2 * dim)  # rows of keys, of values
        self.output = nn.Linear(dim, dim)
        init_projection(self.query, 3 * dim)
        init_projection(self.key_value, 3 * dim)
        init_projection(self.output, dim)

    def memory(self, states: Tensor, mask: Tensor) -> CrossMemory:
        """The encoder's output (B, S, D) and its mask (B, 1, 1, S) as keys and values."""
        keys, values = (
            self.key_value(states).unflatten(-1, (2, self.heads, -1)).permute(2, 0, 3, 1, 4)
        )
        return CrossMemory(keys, values, mask)

    def forward(self, x: Tensor, memory: CrossMemory, *, need_weights: bool = False) -> Attended:
        """x (B, T, D) to (B, T, D)."""
        attended, weights = attend(
            split_heads(self.query(x), self.heads),
            memory.keys,
            memory.values,
            memory.mask,
            dropout=self.dropout if self.training else 0.0,
            need_weights=need_weights,
        )
        return Attended(
            self.output(join_heads(attended)), {} if weights is None else {WORDS: weights}
        )

    def step(self, x: Tensor, memory: CrossMemory, *, need_weights: bool = False) -> Attended:
        """x (rows, 1, D), one position of each row, to (rows, 1, D).

        Rows come sentence by sentence, as many of each: the rows of a sentence then are queries of
        one attention, and the sentence's keys and values need no copy for each of them.
        """
        attended = self.forward(
            x.view(len(memory.keys), -1, x.shape[-1]), memory, need_weights=need_weights
        )
        return Attended(
            attended.output.view_as(x),
            # (B, H, rows of a sentence, S) to (rows, H, 1, S)
            {n: w.transpose(1, 2).flatten(0, 1)[:, :, None] for n, w in attended.weights.items()},
        )
