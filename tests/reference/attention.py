"""Attention as the papers write it: one query of one sentence at a time, in float64.

Vaswani et al. 2017, section 3.2; Hao et al. 2019, section 3.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import torch
from torch import Tensor

Projection = tuple[Tensor, Tensor]
"""A weight (rows, D) and a bias (rows,)."""


def attention(
    q: Tensor, k: Tensor, v: Tensor, *, visible: Sequence[Sequence[bool]], scale: float
) -> tuple[Tensor, Tensor]:
    """One head: q (T, K), k (S, K), v (S, K'), visible[t][s], to (T, K') and weights (T, S)."""
    outputs, all_weights = [], []
    for q_t, seen in zip(q, visible, strict=True):
        scores = [
            torch.exp(torch.dot(q_t, k_s) * scale) if sees else q_t.new_zeros(())
            for k_s, sees in zip(k, seen, strict=True)
        ]
        weights = torch.stack(scores) / sum(scores)
        outputs.append(sum(weight * v_s for weight, v_s in zip(weights, v, strict=True)))
        all_weights.append(weights)
    return torch.stack(outputs), torch.stack(all_weights)


def multi_head(
    x: Tensor,
    memories: Sequence[Tensor],
    *,
    queries: Projection,
    keys: Sequence[Projection],
    values: Sequence[Projection],
    output: Projection,
    group_heads: Sequence[int],
    causal: bool = False,
    own: Sequence[Sequence[int]] = (),
) -> Tensor:
    """Groups of heads of one sentence x (T, D), given what each group attends to: (T, D).

    Args:
        memories: for each group, (S, D): x itself in self-attention, H_g in MG-SA.
        queries: of all heads; keys, values: of each group's heads.
        own: for each group after the first, the one row of its memory that each query sees.
    """
    size = len(queries[1]) // sum(group_heads)
    q = list(project(queries, x).split(size, dim=1))
    found = []
    groups = zip(group_heads, memories, keys, values, strict=True)
    for group, (heads, memory, key, value) in enumerate(groups):
        rows = range(len(memory))
        if own and group:
            visible = [[s == segment for s in rows] for segment in own[group - 1]]
        else:
            visible = [[not causal or s <= t for s in rows] for t in range(len(x))]
        k, v = (project(p, memory).split(size, dim=1) for p in (key, value))
        for h in range(heads):
            scale = 1 / math.sqrt(size)
            head, _ = attention(q.pop(0), k[h], v[h], visible=visible, scale=scale)
            found.append(head)
    return project(output, torch.cat(found, dim=1))


def project(projection: Projection, x: Tensor) -> Tensor:
    """x (T, D) to (T, rows)."""
    weight, bias = projection
    return torch.stack([weight @ x_t + bias for x_t in x])
