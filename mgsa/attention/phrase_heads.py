"""Heads that attend to n-grams (Nguyen & Joty 2018), and the folding of their outputs.

A technique (`conv_kv`, `query_k`) makes queries, keys and values of n-grams; a structure says which
heads attend to which:

homogeneous    groups of heads, each with an n of its own; the first windows begin before the
               sentence, with zeros there, so that there are as many n-grams as words
heterogeneous  every head attends to n = 1 … N under one softmax; windows that fit
interleaved    as heterogeneous, but with queries of one word and queries of two; their outputs are
               interleaved and folded by a convolution of stride 2

The bigram query of positions i − 1 and i is kept at i. Folding then reads its output, that of the
word at i and, in the encoder, that of the next bigram query; in the decoder no output up to i sees
past i. The convolution stands for the output projection too: two linear maps
in a row are one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from mgsa.attention.attend import attend
from mgsa.attention.conv_kv import ConvKV
from mgsa.attention.heads import Attended, init_projection, join_heads, split_heads
from mgsa.attention.memory import Memories, Memory
from mgsa.attention.ngrams import whole_windows, windows
from mgsa.attention.query_k import QueryK
from mgsa.masks import causal_mask

Technique = ConvKV | QueryK


class PhraseHeads(nn.Module):
    """Groups of heads, and the projection of their joined or folded outputs."""

    def __init__(
        self, groups: Iterable[Technique], dim: int, *, padded: bool, fold: int, dropout: float
    ) -> None:
        """
        Args:
            groups: heads that attend to the same n-grams; all have the same spans of queries.
            padded: whether n-grams may reach over the start of the sentence.
            fold: window of the convolution over the interleaved streams of queries; 1: there is
                only one stream.
        """
        super().__init__()
        self.groups: Sequence[Technique] = nn.ModuleList(groups)  # type: ignore[assignment]
        self.padded = padded
        self.fold = fold
        self.dropout = dropout
        self.output = nn.Linear(fold * dim, dim)
        init_projection(self.output, dim)

    @property
    def query_reach(self) -> int:
        """How many positions the longest query is made of."""
        return max(span for group in self.groups for span in group.spans)

    def queries(self, x: Tensor, *, last: bool = False) -> list[list[Tensor]]:
        """x (B, T, D) to (B, H, T, ·) for each group and span: they end at each position.

        Given `last`, only those that end at the last one are made, (B, H, 1, ·).
        """
        return [
            [
                split_heads(query(windows(x, span, last=last)), group.heads)
                for span, query in zip(group.spans, group.query, strict=True)
            ]
            for group in self.groups
        ]

    def memories(self, y: Tensor, mask: Tensor | None) -> Memories:
        """The n-grams of y (B, S, D), mask (B, 1, 1, S), for each group: size by size."""
        memories = []
        for group in self.groups:
            keys, values = zip(*group.ngrams(group.words(y)), strict=True)
            if group.blocks == 1:
                keys, values = (_joined(keys, dim=2),), (_joined(values, dim=2),)
            memories.append(Memory(keys, values, self._memory_mask(mask, y, group.sizes)))
        return Memories(tuple(memories))

    def _memory_mask(self, mask: Tensor | None, y: Tensor, sizes: Sequence[int]) -> Tensor | None:
        if mask is None and (self.padded or max(sizes) == 1):
            return None
        # Padding comes last in a sentence: a window that may begin before the sentence touches
        # padding only if it ends there.
        checked = [1 if self.padded else size for size in sizes]
        return _joined([whole_windows(mask, y, size) for size in checked], dim=-1)

    def forward(
        self,
        queries: Sequence[Sequence[Tensor]],
        memories: Memories,
        *,
        causal: bool = False,
        whole: Tensor | bool = True,
        need_weights: bool = False,
    ) -> Attended:
        """The heads' outputs, folded and projected: (B, T, D).

        Args:
            causal: whether a query sees no n-gram that ends after it.
            whole: (B, T, 1) or one bool for all positions, whether the bigram query at a position
                is made of two words. The weights of one that is not are zeros.
        """
        streams: list[list[Tensor]] = [[] for _ in self.groups[0].spans]
        weights: dict[str, Tensor] = {}
        for group, spans, memory in zip(self.groups, queries, memories.groups, strict=True):
            plain = causal and memory.mask is None and len(spans) == len(group.sizes) == 1
            attended, group_weights = attend(
                _joined(spans, dim=2),
                memory.keys,
                memory.values,
                _causal(memory, group) if causal and not plain else memory.mask,
                causal=plain,
                scale=group.scale,
                dropout=self.dropout if self.training else 0.0,
                need_weights=need_weights,
            )
            for stream, part in zip(streams, attended.chunk(len(spans), dim=2), strict=True):
                stream.append(join_heads(part))
            if group_weights is not None:
                weights |= _by_size(group_weights, group, whole)
        joined = [_joined(parts, dim=-1) for parts in streams]
        return Attended(self.output(self._folded(joined, whole)), weights)

    def _folded(self, streams: Sequence[Tensor], whole: Tensor | bool) -> Tensor:
        """(B, T, D) of each stream to (B, T, fold · D): the windows of the convolution."""
        if self.fold == 1:
            return streams[0]
        words, bigrams = streams
        bigrams = bigrams * whole
        parts = [bigrams, words]
        if self.fold == 3:
            parts.append(F.pad(bigrams[:, 1:], (0, 0, 0, 1)))
        return torch.cat(parts, dim=-1)


def _causal(memory: Memory, group: Technique) -> Tensor:
    """The mask of n-grams, (B or 1, 1, spans · T, sizes · T), that end at the query or before."""
    length = sum(block.shape[2] for block in memory.keys) // len(group.sizes)
    earlier = causal_mask(length, length, memory.keys[0].device)
    earlier = earlier.repeat(1, 1, len(group.spans), len(group.sizes))
    return earlier if memory.mask is None else memory.mask & earlier


def _joined(parts: Sequence[Tensor], *, dim: int) -> Tensor:
    """Tensors one behind the other, without a copy of one that is alone."""
    return parts[0] if len(parts) == 1 else torch.cat(list(parts), dim=dim)


def _by_size(weights: Tensor, group: Technique, whole: Tensor | bool) -> dict[str, Tensor]:
    """(B, H, spans · T, sizes · S) by the sizes of queries and of keys."""
    there = whole[:, None] if isinstance(whole, Tensor) else whole
    by_size = {}
    for span, of_span in zip(group.spans, weights.chunk(len(group.spans), dim=2), strict=True):
        for size, part in zip(group.sizes, of_span.chunk(len(group.sizes), dim=-1), strict=True):
            by_size[f"ngram_{span}_to_ngram_{size}"] = part * there if span > 1 else part
    return by_size
