"""Attention as the papers write it: one query, one key at a time, for one sentence, in float64.

Vaswani et al. 2017, section 3.2; Hao et al. 2019, section 3.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import torch
from torch import Tensor

Projection = tuple[Tensor, Tensor]
"""A weight (rows, D) and a bias (rows,)."""


def project(projection: Projection, x: Tensor) -> Tensor:
    """x (T, D) to (T, rows)."""
    weight, bias = projection
    return torch.stack([weight @ x_t + bias for x_t in x])


def attention(
    q: Tensor, k: Tensor, v: Tensor, *, visible: Sequence[Sequence[bool]], scale: float
) -> tuple[Tensor, Tensor]:
    """One head: q (T, K), k (S, K), v (S, K'), visible[t][s] to (T, K') and weights (T, S)."""
    outputs, all_weights = [], []
    for t in range(len(q)):
        seen = [s for s in range(len(k)) if visible[t][s]]
        scores = [torch.exp(torch.dot(q[t], k[s]) * scale) for s in seen]
        weights = torch.zeros(len(k), dtype=q.dtype)
        output = torch.zeros(v.shape[1], dtype=q.dtype)
        for s, score in zip(seen, scores, strict=True):
            share = score / sum(scores)
            weights = weights + share * torch.eye(len(k), dtype=q.dtype)[s]
            output = output + share * v[s]
        outputs.append(output)
        all_weights.append(weights)
    return torch.stack(outputs), torch.stack(all_weights)


def heads_of(q: Tensor, k: Tensor, v: Tensor, heads: int, *, causal: bool = False) -> list[Tensor]:
    """The heads of q (T, H·K), k and v (S, H·K): a list of (T, K)."""
    size = q.shape[1] // heads
    visible = [[not causal or s <= t for s in range(len(k))] for t in range(len(q))]
    return [
        attention(
            q[:, h * size : (h + 1) * size],
            k[:, h * size : (h + 1) * size],
            v[:, h * size : (h + 1) * size],
            visible=visible,
            scale=1 / math.sqrt(size),
        )[0]
        for h in range(heads)
    ]


def multi_head(
    x: Tensor,
    y: Tensor,
    *,
    query: Projection,
    key: Projection,
    value: Projection,
    output: Projection,
    heads: int,
    causal: bool = False,
) -> Tensor:
    """Queries from x (T, D), keys and values from y (S, D), to (T, D)."""
    found = heads_of(project(query, x), project(key, y), project(value, y), heads, causal=causal)
    return project(output, torch.cat(found, dim=1))


def multi_granularity(
    x: Tensor,
    memories: Sequence[Tensor],
    *,
    queries: Projection,
    keys: Sequence[Projection],
    values: Sequence[Projection],
    output: Projection,
    group_heads: Sequence[int],
) -> Tensor:
    """MG-SA of one sentence x (T, D), given what each group attends to.

    Args:
        memories: for each group, (M, D): x itself for the words, then each H_g.
        queries: of all heads; keys, values: of each group's heads.
    """
    q = project(queries, x)
    head = q.shape[1] // sum(group_heads)
    found = []
    for group, memory in enumerate(memories):
        first = sum(group_heads[:group])
        group_q = q[:, first * head : (first + group_heads[group]) * head]
        group_k, group_v = project(keys[group], memory), project(values[group], memory)
        found.extend(heads_of(group_q, group_k, group_v, group_heads[group]))
    return project(output, torch.cat(found, dim=1))
