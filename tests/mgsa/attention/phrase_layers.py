"""Layers of phrase attention to test, and the same by loops."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from mgsa.attention.conv_kv import ConvKV
from mgsa.attention.phrase_heads import PhraseHeads, Technique
from mgsa.attention.query_k import QueryK
from tests.reference.phrase_attention import (
    ConvKVHead,
    Convolution,
    QueryKHead,
    attend_to_ngrams,
    fold,
    interleaved,
)

D, HEAD = 6, 3


@dataclass(frozen=True)
class Layout:
    """Groups of heads with the sizes that each attends to; the streams of queries; the fold."""

    groups: tuple[tuple[int, tuple[int, ...]], ...]
    padded: bool
    spans: tuple[int, ...] = (1,)
    fold: int = 1


LAYOUTS = {
    "homogeneous 11": Layout(((1, (1,)), (1, (2,))), padded=True),
    "homogeneous 3": Layout(((2, (3,)),), padded=True),
    "heterogeneous 12": Layout(((2, (1, 2)),), padded=False),
    "heterogeneous 123": Layout(((2, (1, 2, 3)),), padded=False),
    "interleaved 12, window 3": Layout(((2, (1, 2)),), padded=False, spans=(1, 2), fold=3),
    "interleaved 123, window 2": Layout(((2, (1, 2, 3)),), padded=False, spans=(1, 2), fold=2),
}
DECODER_LAYOUTS = {name: layout for name, layout in LAYOUTS.items() if layout.fold != 3}
TECHNIQUES = {"ConvKV": ConvKV, "QueryK": QueryK}


def make(layout: Layout, technique: str, *, dropout: float = 0.0) -> PhraseHeads:
    """Heads in float64, biases drawn too."""
    torch.manual_seed(0)
    groups = [
        TECHNIQUES[technique](D, HEAD, heads=heads, sizes=sizes, spans=layout.spans)
        for heads, sizes in layout.groups
    ]
    heads = PhraseHeads(groups, D, padded=layout.padded, fold=layout.fold, dropout=dropout)
    for name, parameter in heads.named_parameters():
        if name.endswith("bias"):
            nn.init.normal_(parameter)
    return heads.double()


def by_loops(
    heads: PhraseHeads, layout: Layout, x: Tensor, y: Tensor, *, causal: bool
) -> tuple[Tensor, dict[str, list[Tensor]]]:
    """x (T, D) attends to y (S, D): (T, D), and the weights (T, S) of each head, by name."""
    streams: list[list[Tensor]] = [[] for _ in layout.spans]
    weights: dict[str, list[Tensor]] = {}
    for (count, sizes), group in zip(layout.groups, heads.groups, strict=True):
        for stream, span in enumerate(layout.spans):
            for number in range(count):
                head = _head(group, sizes, stream, span, number)
                output, seen = attend_to_ngrams(
                    head, x, y, sizes, padded=layout.padded, causal=causal
                )
                streams[stream].append(output)
                for size, of_size in seen.items():
                    weights.setdefault(f"ngram_{span}_to_ngram_{size}", []).append(of_size)
    joined = [torch.cat(parts, dim=1) for parts in streams]
    output = _convolution(heads.output, layout.fold)
    if layout.fold == 1:
        return torch.stack([output.at(row[None], 0) for row in joined[0]]), weights
    return fold(interleaved(*joined), output), weights


def _convolution(linear: nn.Linear, size: int) -> Convolution:
    """A linear map of windows as the convolution that it is."""
    return Convolution(linear.weight.unflatten(1, (size, -1)), linear.bias)


def _head(
    group: Technique, sizes: Sequence[int], stream: int, span: int, number: int
) -> ConvKVHead | QueryKHead:
    first, last = number * HEAD, (number + 1) * HEAD
    query = _convolution(group.query[stream], span)
    if isinstance(group, ConvKV):
        width = group.heads * HEAD
        both = {n: _convolution(p, n) for n, p in zip(sizes, group.key_value, strict=True)}
        return ConvKVHead(
            query.rows(first, last),
            {n: kv.rows(first, last) for n, kv in both.items()},
            {n: kv.rows(width + first, width + last) for n, kv in both.items()},
        )
    rows = number * sum(sizes) * HEAD  # a head's slices: of the first size, then of the next
    slices: dict[int, list[Convolution]] = {}
    for size in sizes:
        for _ in range(size):
            slices.setdefault(size, []).append(query.rows(rows, rows + HEAD))
            rows += HEAD
    keys, width = _convolution(group.key, 1), group.heads * HEAD
    return QueryKHead(
        slices,
        {n: keys.rows(k * width + first, k * width + last) for k, n in enumerate(sizes)},
        {n: _convolution(p, n).rows(first, last) for n, p in zip(sizes, group.value, strict=True)},
    )
