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
        size = self.taps.shape[1]
        total = self.bias
        for k in range(size):
            position = end - size + 1 + k
            if position >= 0:
                total = total + self.taps[:, k] @ y[position]
        return total

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
        total = torch.zeros((), dtype=x.dtype)
        key = self.keys[size]
        for j, part in enumerate(self.queries[size]):
            position = end - size + 1 + j
            if position >= 0:
                total = total + torch.dot(part.at(x, i), key.at(y, position))
        return total / math.sqrt(len(key.bias) * size)


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
        seen = [
            (size, end)
            for size in sizes
            for end in range(len(y))
            if (padded or end >= size - 1) and not (causal and end > i)
        ]
        scores = {(n, t): torch.exp(head.logit(x, y, i, t, n)) for n, t in seen}
        total = sum(scores.values())
        output = torch.zeros(len(head.values[sizes[0]].bias), dtype=x.dtype)
        for (size, end), score in scores.items():
            output = output + score / total * head.values[size].at(y, end)
            weights[size][i, end] = (score / total).detach()
        outputs.append(output)
    return torch.stack(outputs), weights


def interleaved(words: Tensor, bigrams: Tensor) -> Tensor:
    """I = (0, u_1, b_1, u_2, …, b_{T−1}, u_T, 0): what the queries of one word and of two found.

    Args:
        words: (T, D), u.
        bigrams: (T, D), by where they end: row i is b of the positions i − 1 and i, row 0 is none.
    """
    nothing = torch.zeros_like(words[0])
    rows = [nothing]
    for i in range(len(words)):
        if i > 0:
            rows.append(bigrams[i])
        rows.append(words[i])
    return torch.stack([*rows, nothing])


def fold(sequence: Tensor, convolution: Convolution) -> Tensor:
    """A convolution of stride 2 over I, window 3; of window 2 it leaves out the last zero."""
    window = convolution.taps.shape[1]
    length = (len(sequence) - 1) // 2
    return torch.stack(
        [convolution.at(sequence[2 * i : 2 * i + window], window - 1) for i in range(length)]
    )
