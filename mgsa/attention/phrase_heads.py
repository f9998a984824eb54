"""Heads that attend to n-grams (Nguyen & Joty 2018), and the folding of their outputs.

A technique (`conv_kv`, `query_k`) makes queries, keys and values of n-grams; a structure says which
heads attend to which:

homogeneous    groups of heads with one n each; the sequence is padded on the left, so that there
               are as many n-grams as words
heterogeneous  every head attends to n = 1 … N under one softmax, without padding
interleaved    as heterogeneous, with queries of one word and of two; their outputs are interleaved
               and folded by a convolution of stride 2

The bigram query of positions i − 1 and i is stored at i. Folding reads the outputs of the bigram
query and the word at i and, in the encoder alone, of the next bigram query. The convolution also
serves as the output projection.
"""

from collections.abc import Callable, Iterable, Sequence

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
from mgsa.operators import Linear

Technique = ConvKV | QueryK


class PhraseHeads(nn.Module):
    """Groups of heads, and the projection of their joined or folded outputs."""

    __call__: Callable[..., Attended]

    def __init__(
        self, groups: Iterable[Technique], dim: int, *, padded: bool, fold: int, dropout: float
    ) -> None:
        """The groups that a structure has, and how their outputs are folded.

        Args:
            groups: heads that attend to the same n-grams; all have the same query spans.
            padded: whether n-grams may begin before the sentence.
            fold: window of the convolution over interleaved queries; 1: not interleaved.
        """
        super().__init__()
        self.groups: Sequence[Technique] = nn.ModuleList(groups)  # type: ignore[assignment]
        self.padded = padded
        self.fold = fold
        self.dropout = dropout
        self.output = Linear(fold * dim, dim)
        init_projection(self.output, dim)

    def queries(
        self, x: Tensor, mask: Tensor | None = None, cache: Cache | None = None
    ) -> tuple[list[list[Tensor]], Tensor | None]:
        """x (B, T, D), mask (B, 1, 1, T), to (B, H, T, ·) for each group and span.

        With a cache, T is 1; queries are made of x and the cached positions.

        Returns:
            Queries that end at each position; with bigram queries, (B or 1, T, 1) where they lie
            inside the sentence, else `None`.
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
        """The n-grams of y (B, S, D), mask (B, 1, 1, S), by group, size after size."""
        memories = []
        for group in self.groups:
            ngrams = group.ngrams(group.words(y), y.shape[1])
            mask_of_sizes = self._memory_mask(mask, y, group.sizes)
            memories.append(Memory(*_blocks(group, ngrams), mask_of_sizes))
        return Memories(tuple(memories))

    def extend(self, y: Tensor, cache: Cache) -> Memories:
        """The n-grams up to y (B · n, 1, D), with those in the cache."""
        memories = []
        for group in self.groups:
            longest = max(group.sizes)
            words = [
                cache.recent(group, f"words {i}", x, longest - 1)
                for i, x in enumerate(group.words(y))
            ]
            keys, values = (
                tuple(
                    cache.extend(group, f"{name} {i}", _of_sentences(block, len(cache.visible)))
                    for i, block in enumerate(blocks)
                )
                for name, blocks in zip(
                    ("keys", "values"), _blocks(group, group.ngrams(words, 1)), strict=True
                )
            )
            # Without padding, the first n-gram ends at position n.
            mask = cache.mask(tuple(0 if self.padded else size - 1 for size in group.sizes))
            if mask is not None:
                mask = (mask if group.one_block else mask.transpose(-1, -2)).flatten(-2)
            memories.append(Memory(keys, values, mask))
        return Memories(tuple(memories))

    def _memory_mask(self, mask: Tensor | None, y: Tensor, sizes: Sequence[int]) -> Tensor | None:
        if mask is None and (self.padded or max(sizes) == 1):
            return None
        # Padding is on the right: an n-gram that may begin before the sentence touches padding
        # only if it ends there.
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
            queries, bigrams: from `queries`, of B·n rows, sentence by sentence.
            memories: their masks are of one query, or of n · T.
            causal: whether to hide n-grams that end after the query.
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
                _causal(memory, group) if causal and not plain else _of_spans(memory.mask, group),
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

    def _folded(self, streams: Sequence[Tensor], inside: Tensor | None) -> Tensor:
        """(B, T, D) of each stream to (B, T, fold · D): the windows of the convolution."""
        if inside is None:
            return streams[0]
        words, bigrams = streams
        bigrams = bigrams * inside
        parts = [bigrams, words]
        if self.fold == 3:
            parts.append(F.pad(bigrams[:, 1:], (0, 0, 0, 1)))
        return torch.cat(parts, dim=-1)


def _causal(memory: Memory, group: Technique) -> Tensor:
    """(B or 1, 1, spans · T, sizes · T): the n-grams that end at the query or before."""
    length = sum(block.shape[2] for block in memory.keys) // len(group.sizes)
    earlier = causal_mask(length, length, memory.keys[0].device)
    earlier = earlier.repeat(1, 1, len(group.spans), len(group.sizes))
    return earlier if memory.mask is None else memory.mask & earlier


def _of_sentences(x: Tensor, sentences: int) -> Tensor:
    """(B·n, H, T, K) to (B, H, n·T, K)."""
    split: Tensor = x.unflatten(0, (sentences, -1))
    return split.transpose(1, 2).flatten(2, 3)


def _of_spans(mask: Tensor | None, group: Technique) -> Tensor | None:
    """(B, 1, n · T, S) to (B, 1, spans · n · T, S); that of one query serves all."""
    if mask is None or mask.shape[2] == 1:
        return mask
    return mask.repeat(1, 1, len(group.spans), 1)


def _joined(parts: Sequence[Tensor], *, dim: int) -> Tensor:
    """`torch.cat`, without a copy of a single tensor."""
    return parts[0] if len(parts) == 1 else torch.cat(list(parts), dim=dim)


def _blocks(
    group: Technique, ngrams: Sequence[tuple[Tensor, Tensor]]
) -> tuple[tuple[Tensor, ...], tuple[Tensor, ...]]:
    """Keys and values (B, H, S, ·) of each size to the blocks of a group's memory."""
    keys, values = zip(*ngrams, strict=True)
    if not group.one_block:
        return keys, values
    return (_joined(keys, dim=2),), (_joined(values, dim=2),)


def _by_size(weights: Tensor, group: Technique, bigrams: Tensor | None) -> dict[str, Tensor]:
    """(B, H, spans · T, sizes · S) by sizes of queries and keys, zeros for missing bigrams."""
    by_size = {}
    for span, all_of_span in zip(group.spans, weights.chunk(len(group.spans), dim=2), strict=True):
        present = bigrams[:, None] if span > 1 and bigrams is not None else None
        of_span = all_of_span if present is None else all_of_span * present
        for size, part in zip(group.sizes, of_span.chunk(len(group.sizes), dim=-1), strict=True):
            by_size[f"ngram_{span}_to_ngram_{size}"] = part
    return by_size
