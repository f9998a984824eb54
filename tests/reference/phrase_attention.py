"""Phrase-based attention as the paper writes it: one query, one n-gram, one tap at a time.

Nguyen & Joty 2018, section 3, for one sentence; positions count from 0. A convolution's weight is
(rows, n, D), one slice a tap.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor


@dataclass(frozen=True)
class Convolution:
    """Taps (rows, n, D) and a bias (rows,)."""

    taps: Tensor
    bias: Tensor

    def at(self, y: Tensor, end: int) -> Tensor:
        """Its value over the positions of y (S, D) that end at `end`; zeros before the first."""
        first = end - self.taps.shape[1] + 1
        products = [self.taps[:, k] @ y[first + k] for k in range(-min(first, 0), end - first + 1)]
        return self.bias + sum(products)

    def rows(self, first: int, last: int) -> Convolution:
        """The convolution to some of the rows."""
        return Convolution(self.taps[first:last], self.bias[first:last])


@dataclass(frozen=True)
class ConvKVHead:
    """One head: the query's convolution, of one position or of two; keys and values for each n."""

    query: Convolution
    keys: dict[int, Convolution]
    values: dict[int, Convolution]

    def logit(self, x: Tensor, y: Tensor, i: int, end: int, size: int) -> Tensor:
        """⟨q_i , Conv_n(Y, Wk)_t⟩ / √K."""
        q, k = self.query.at(x, i), self.keys[size].at(y, end)
        return torch.dot(q, k) / math.sqrt(len(k))


@dataclass(frozen=True)
class QueryKHead:
    """One head: a query's slices, the projection of keys, and that of values for each n."""

    queries: dict[int, Sequence[Convolution]]
    keys: dict[int, Convolution]
    values: dict[int, Convolution]

    def logit(self, x: Tensor, y: Tensor, i: int, end: int, size: int) -> Tensor:
        """Σ_j ⟨q_i,j , k_{t−n+1+j}⟩ / √(K n); no key stands before the first."""
        first, key = end - size + 1, self.keys[size]
        products = [
            torch.dot(part.at(x, i), key.at(y, first + j))
            for j, part in enumerate(self.queries[size])
            if first + j >= 0
        ]
        return sum(products) / math.sqrt(len(key.bias) * size)


def attend_to_ngrams(
    head: ConvKVHead | QueryKHead,
    x: Tensor,
    y: Tensor,
    sizes: Sequence[int],
    *,
    padded: bool,
    causal: bool,
) -> tuple[Tensor, dict[int, Tensor]]:
    """One softmax over the n-grams of all sizes, for each position of x (T, D).

    Args:
        padded: whether an n-gram may reach over the start of y (S, D).
        causal: whether a query sees no n-gram that ends after it.

    Returns:
        (T, K), and the weights (T, S) of the n-grams of each size, by where they end.
    """
    outputs = []
    weights = {size: torch.zeros(len(x), len(y), dtype=x.dtype) for size in sizes}
    for i in range(len(x)):
        scores = {
            (size, end): torch.exp(head.logit(x, y, i, end, size))
            for size in sizes
            for end in range(len(y))
            if (padded or end >= size - 1) and not (causal and end > i)
        }
        total = sum(scores.values())
        outputs.append(sum(a / total * head.values[n].at(y, t) for (n, t), a in scores.items()))
        for (size, end), score in scores.items():
            weights[size][i, end] = (score / total).detach()
    return torch.stack(outputs), weights


def interleaved(words: Tensor, bigrams: Tensor) -> Tensor:
    """I = (0, u_1, b_1, u_2, …, b_{T−1}, u_T, 0): what the queries of one word and of two found.

    Args:
        words: (T, D), u.
        bigrams: (T, D), by where they end: row i is b of the positions i − 1 and i, row 0 is none.
    """
    nothing = torch.zeros_like(words[0])
    pairs = [row for pair in zip(bigrams, words, strict=True) for row in pair]
    return torch.stack([nothing, *pairs[1:], nothing])


def fold(sequence: Tensor, convolution: Convolution) -> Tensor:
    """A convolution of stride 2 over I, window 3; of window 2 it leaves out the last zero."""
    window = convolution.taps.shape[1]
    starts = range(0, len(sequence) - 2, 2)
    return torch.stack([convolution.at(sequence[i : i + window], window - 1) for i in starts])
