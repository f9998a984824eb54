"""Compositions as Hao et al. 2019 write them: one phrase (positions, D) to g, (D,), in float64."""

from __future__ import annotations

import math

import torch
from torch import Tensor


def max_pool(phrase: Tensor) -> Tensor:
    """The largest value of each dimension."""
    return torch.stack([max(column, key=Tensor.item) for column in phrase.T])


def self_attention(
    phrase: Tensor, query: Tensor, key: Tensor, value: Tensor, output: Tensor
) -> Tensor:
    """The max-pooled vector asks each position: query, key, value (K, D), output (D, K)."""
    q = query @ max_pool(phrase)
    scores = [torch.exp(torch.dot(q, key @ x) / math.sqrt(len(q))) for x in phrase]
    mixed = torch.zeros(len(value), dtype=phrase.dtype)
    for score, x in zip(scores, phrase, strict=True):
        mixed = mixed + score / sum(scores) * (value @ x)
    return output @ mixed


def lstm(
    phrase: Tensor,
    weight_ih: Tensor,
    weight_hh: Tensor,
    bias_ih: Tensor,
    bias_hh: Tensor,
    output_weight: Tensor,
    output_bias: Tensor,
) -> Tensor:
    """The last hidden state, projected back; rows in torch's order: input, forget, cell, output."""
    h, _ = lstm_states(phrase, weight_ih, weight_hh, bias_ih, bias_hh)[-1]
    return output_weight @ h + output_bias


def lstm_states(
    x: Tensor, weight_ih: Tensor, weight_hh: Tensor, bias_ih: Tensor, bias_hh: Tensor
) -> list[tuple[Tensor, Tensor]]:
    """(h, c) after each position of x (T, D)."""
    size = weight_hh.shape[1]
    h = c = torch.zeros(size, dtype=x.dtype)
    states = []
    for x_t in x:
        gates = weight_ih @ x_t + bias_ih + weight_hh @ h + bias_hh
        i, f, g, o = gates.split(size)
        c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
        h = torch.sigmoid(o) * torch.tanh(c)
        states.append((h, c))
    return states
