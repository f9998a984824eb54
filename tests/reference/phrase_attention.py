"""Phrase-based attention as the paper writes it: one query, one n-gram, one tap at a time.

Nguyen & Joty 2018, section 3, for one sentence, with the weights of the modules; positions count
from 0.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn

from mgsa.attention.conv_kv import ConvKV
from mgsa.attention.phrase_heads import PhraseHeads, Technique
from mgsa.attention.query_k import QueryK


def convolved(linear: nn.Module, size: int, y: Tensor, end: int) -> Tensor:
    """A linear map of `size` positions of y (S, D), up to `end`; zeros stand before the first."""
    weight, bias = linear.parameters()
    taps = weight.unflatten(1, (size, -1))
    first = end - size + 1
    return sum((taps[:, k] @ y[first + k] for k in range(size) if first + k >= 0), start=bias)


def conv_kv(group: ConvKV, head: int, q: Tensor, y: Tensor, n: int, t: int) -> tuple[Tensor, ...]:
    """⟨q_i , Conv_n(Y, Wk)_t⟩ / √K, and the value Conv_n(Y, Wv)_t."""
    keys, values = convolved(group.key_value[group.sizes.index(n)], n, y, t).chunk(2)
    k, v = (rows.chunk(group.heads)[head] for rows in (keys, values))
    return torch.dot(q, k) / math.sqrt(len(k)), v


def query_k(group: QueryK, head: int, q: Tensor, y: Tensor, n: int, t: int) -> tuple[Tensor, ...]:
    """Σ_j ⟨q_i,j , k_{t−n+1+j}⟩ / √(K n), no key before the first; and Conv_n(Y, Wv)_t."""
    number = group.sizes.index(n)
    v = convolved(group.value[number], n, y, t).chunk(group.heads)[head]
    slices = q.split(len(v))[sum(group.sizes[:number]) :]  # those of the first size come first
    products = []
    for j, position in enumerate(range(t - n + 1, t + 1)):
        if position >= 0:
            keys = convolved(group.key, 1, y, position).chunk(len(group.sizes))[number]
            products.append(torch.dot(slices[j], keys.chunk(group.heads)[head]))
    return torch.stack(products).sum() / math.sqrt(len(v) * n), v


def attend_to_ngrams(
    group: Technique, head: int, stream: int, x: Tensor, y: Tensor, *, padded: bool, causal: bool
) -> tuple[Tensor, dict[int, Tensor]]:
    """One softmax over the n-grams of all sizes, for each position of x (T, D).

    Returns:
        (T, K), and the weights (T, S) of the n-grams of each size, by where they end.
    """
    outputs = []
    weights = {size: torch.zeros(len(x), len(y), dtype=x.dtype) for size in group.sizes}
    for i in range(len(x)):
        q = convolved(group.query[stream], group.spans[stream], x, i).chunk(group.heads)[head]
        found = {
            (n, t): conv_kv(group, head, q, y, n, t)
            if isinstance(group, ConvKV)
            else query_k(group, head, q, y, n, t)
            for n in group.sizes
            for t in range(len(y))
            if (padded or t >= n - 1) and not (causal and t > i)
        }
        shares = torch.stack([logit for logit, _ in found.values()]).softmax(0)
        outputs.append(shares @ torch.stack([value for _, value in found.values()]))
        for (n, t), share in zip(found, shares, strict=True):
            weights[n][i, t] = share.detach()
    return torch.stack(outputs), weights


def phrase_attention(
    heads: PhraseHeads, x: Tensor, y: Tensor, *, causal: bool
) -> tuple[Tensor, dict[str, list[Tensor]]]:
    """x (T, D) attends to y (S, D): (T, D), and the weights (T, S) of each head, by name."""
    streams: list[list[Tensor]] = [[] for _ in heads.groups[0].spans]
    weights: dict[str, list[Tensor]] = {}
    for group in heads.groups:
        for stream, span in enumerate(group.spans):
            for head in range(group.heads):
                output, of_sizes = attend_to_ngrams(
                    group, head, stream, x, y, padded=heads.padded, causal=causal
                )
                streams[stream].append(output)
                for size, of_size in of_sizes.items():
                    weights.setdefault(f"ngram_{span}_to_ngram_{size}", []).append(of_size)
    sequence = interleaved(*(torch.cat(parts, dim=1) for parts in streams))
    window, step = heads.fold, len(streams)
    starts = [step * i for i in range(len(x))]
    folds = [convolved(heads.output, window, sequence[s : s + window], window - 1) for s in starts]
    return torch.stack(folds), weights


def interleaved(words: Tensor, bigrams: Tensor | None = None) -> Tensor:
    """I = (0, u_1, b_1, u_2, …, b_{T−1}, u_T, 0): what the queries of one word and of two found.

    A convolution of stride 2 folds it; that of window 2 leaves out the last zero.

    Args:
        words: (T, D), u.
        bigrams: (T, D), by where they end: row i is b of the positions i − 1 and i, row 0 is none.
    """
    if bigrams is None:
        return words
    nothing = torch.zeros_like(words[0])
    pairs = [row for pair in zip(bigrams, words, strict=True) for row in pair]
    return torch.stack([nothing, *pairs[1:], nothing])
