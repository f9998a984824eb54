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
    q: Tensor,
    k: Tensor,
    v: Tensor,
    *,
    visible: Sequence[Sequence[bool]],
    scale: float,
    bias: Tensor | None = None,
) -> tuple[Tensor, Tensor]:
    """One head: q (T, K), k (S, K), v (S, K'), visible[t][s], bias (T, S) of the logits, to
    (T, K') and weights (T, S).
    """
    outputs, all_weights = [], []
    for t, (q_t, seen) in enumerate(zip(q, visible, strict=True)):
        scores = [
            torch.exp(torch.dot(q_t, k_s) * scale + (0 if bias is None else bias[t, s]))
            if sees
            else q_t.new_zeros(())
            for s, (k_s, sees) in enumerate(zip(k, seen, strict=True))
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
    biases: Sequence[Tensor] = (),
    causal: bool = False,
) -> Tensor:
    """Groups of heads of one sentence x (T, D), given what each group attends to: (T, D).

    Args:
        memories: for each group, (S, D): x itself in self-attention, H_g in MG-SA.
        queries: of all heads; keys, values: of each group's heads.
        biases: of each head's logits, if any, (T, S).
    """
    size = len(queries[1]) // sum(group_heads)
    q = list(project(queries, x).split(size, dim=1))
    remaining = list(biases)
    found = []
    for heads, memory, key, value in zip(group_heads, memories, keys, values, strict=True):
        visible = [[not causal or s <= t for s in range(len(memory))] for t in range(len(x))]
        k, v = (project(p, memory).split(size, dim=1) for p in (key, value))
        for h in range(heads):
            bias = remaining.pop(0) if remaining else None
            scale = 1 / math.sqrt(size)
            head, _ = attention(q.pop(0), k[h], v[h], visible=visible, scale=scale, bias=bias)
            found.append(head)
    return project(output, torch.cat(found, dim=1))


def project(projection: Projection, x: Tensor) -> Tensor:
    """x (T, D) to (T, rows)."""
    weight, bias = projection
    return torch.stack([weight @ x_t + bias for x_t in x])
