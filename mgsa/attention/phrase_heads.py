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
past i. The convolution stands for the output projection too: two linear maps in a row are one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from mgsa.attention.attend import attend
from mgsa.attention.conv_kv import ConvKV
from mgsa.attention.heads import Attended, init_projection, join_heads, split_heads
from mgsa.attention.memory import Cache, Memories, Memory
from mgsa.attention.ngrams import whole_windows, windows
from mgsa.attention.query_k import QueryK
from mgsa.masks import causal_mask

Technique = ConvKV | QueryK


class PhraseHeads(nn.Module):
    """Groups of heads, and the projection of their joined or folded outputs.

    `forward` takes `queries`, and the n-grams of `memories` or, word by word, of `extend`.
    """

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

    def queries(
        self, x: Tensor, mask: Tensor | None = None, cache: Cache | None = None
    ) -> tuple[list[list[Tensor]], Tensor | None]:
        """x (B, T, D), mask (B, 1, 1, T), to (B, H, T, ·) for each group and span.

        With a cache, T is 1: queries are made of x and the positions before it.

        Returns:
            Queries that end at each position; and, if there are bigram queries, (B or 1, T, 1)
            where they are of two words: at all positions but the first.
        """
        T, spans = x.shape[1], self.groups[0].spans
        if cache is not None:
            x = cache.recent(self, "queries", x, max(spans) - 1)
        queries = [
            [
                split_heads(query(windows(x, span, T)), group.heads)
                for span, query in zip(spans, group.query, strict=True)
            ]
            for group in self.groups
        ]
        bigrams = whole_windows(mask, x, 2)[:, 0, 0, -T:, None] if len(spans) > 1 else None
        return queries, bigrams

    def memories(self, y: Tensor, mask: Tensor | None) -> Memories:
        """The n-grams of y (B, S, D), mask (B, 1, 1, S), for each group: size by size."""
        memories = []
        for group in self.groups:
            ngrams = group.ngrams(group.words(y), y.shape[1])
            mask_of_sizes = self._memory_mask(mask, y, group.sizes)
            memories.append(Memory(*_blocks(group, ngrams), mask_of_sizes))
        return Memories(tuple(memories))

    def extend(self, y: Tensor, cache: Cache) -> Memories:
        """The n-grams that end at y (rows, 1, D) join those of the positions before it."""
        memories = []
        for group in self.groups:
            reach = max(group.sizes) - 1
            words = [
                cache.recent(group, f"words {i}", x, reach) for i, x in enumerate(group.words(y))
            ]
            # Unless padded, the first n-gram of a size ends at the position of that number.
            new = [int(self.padded or size <= words[0].shape[1]) for size in group.sizes]
            ngrams = [
                (keys[:, :, :count], values[:, :, :count])
                for count, (keys, values) in zip(new, group.ngrams(words, 1), strict=True)
            ]
            keys, values = (
                tuple(cache.extend(group, f"{name} {i}", block) for i, block in enumerate(blocks))
                for name, blocks in zip(("keys", "values"), _blocks(group, ngrams), strict=True)
            )
            memories.append(Memory(keys, values, mask=None))
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
        bigrams: Tensor | None,
        causal: bool = False,
        need_weights: bool = False,
    ) -> Attended:
        """The heads' outputs for n rows a sentence, folded and projected: (B, n·T, D).

        Args:
            queries, bigrams: from `queries`, for B·n rows, those of a sentence together.
            causal: whether a query sees no n-gram that ends after it.
        """
        spans = self.groups[0].spans
        streams: list[list[Tensor]] = [[] for _ in spans]
        weights: dict[str, Tensor] = {}
        for group, of_spans, memory in zip(self.groups, queries, memories.groups, strict=True):
            of_sentences = [_of_sentences(q, memories.num_sentences) for q in of_spans]
            plain = causal and memory.mask is None and len(spans) == len(group.sizes) == 1
            attended, group_weights = attend(
                _joined(of_sentences, dim=2),
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
                weights |= _by_size(group_weights, group, bigrams)
        joined = [_joined(parts, dim=-1) for parts in streams]
        return Attended(self.output(self._folded(joined, bigrams)), weights)

    def _folded(self, streams: Sequence[Tensor], there: Tensor | None) -> Tensor:
        """(B, T, D) of each stream to (B, T, fold · D): the windows of the convolution."""
        if there is None:
            return streams[0]
        words, bigrams = streams
        bigrams = bigrams * there
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


def _blocks(
    group: Technique, ngrams: Sequence[tuple[Tensor, Tensor]]
) -> tuple[tuple[Tensor, ...], tuple[Tensor, ...]]:
    """Keys and values of each size, (B, H, S, ·), in the blocks of a group's memory."""
    keys, values = zip(*ngrams, strict=True)
    if not group.one_block:
        return keys, values
    return (_joined(keys, dim=2),), (_joined(values, dim=2),)


def _of_sentences(q: Tensor, num_sentences: int) -> Tensor:
    """(B·n, H, T, K) to (B, H, n·T, K)."""
    return q.unflatten(0, (num_sentences, -1)).transpose(1, 2).flatten(2, 3)


def _by_size(weights: Tensor, group: Technique, bigrams: Tensor | None) -> dict[str, Tensor]:
    """(B, H, spans · T, sizes · S) by the sizes of queries and of keys; zeros of no bigram."""
    by_size = {}
    for span, of_span in zip(group.spans, weights.chunk(len(group.spans), dim=2), strict=True):
        if span > 1 and bigrams is not None:
            of_span = of_span * bigrams[:, None]
        for size, part in zip(group.sizes, of_span.chunk(len(group.sizes), dim=-1), strict=True):
            by_size[f"ngram_{span}_to_ngram_{size}"] = part
    return by_size
