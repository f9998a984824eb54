"""Attention to words: against loops, and one position at a time as all at once."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor

from mgsa.attention.word import WordCrossAttention, WordSelfAttention
from mgsa.masks import Context, padding_mask
from tests.gradients import assert_same_gradients
from tests.reference.attention import Projection, multi_head

D, HEADS = 8, 2


def thirds(weight: Tensor, bias: Tensor) -> list[Projection]:
    return list(zip(weight.split(D), bias.split(D), strict=True))


@pytest.mark.parametrize("causal", [False, True])
def test_self_attention_is_that_of_the_equations(causal: bool) -> None:
    torch.manual_seed(0)
    layer = WordSelfAttention(D, HEADS, dropout=0.0).double()
    torch.nn.init.normal_(layer.projection.bias)
    x = torch.randn(2, 4, D, dtype=torch.float64, requires_grad=True)
    lengths = [4, 2]
    mask = padding_mask(torch.tensor(lengths), 4)
    output = layer(x, Context(mask, causal=causal)).output
    query, key, value = thirds(layer.projection.weight, layer.projection.bias)
    ours, theirs = torch.zeros(2, dtype=torch.float64)
    for b, n in enumerate(lengths):
        expected = multi_head(
            x[b, :n],
            x[b, :n],
            query=query,
            key=key,
            value=value,
            output=(layer.output.weight, layer.output.bias),
            heads=HEADS,
            causal=causal,
        )
        torch.testing.assert_close(output[b, :n], expected)
        ours, theirs = ours + (output[b, :n] ** 2).sum(), theirs + (expected**2).sum()
    assert_same_gradients(ours, theirs, [x, *layer.parameters()])


def test_cross_attention_is_that_of_the_equations() -> None:
    torch.manual_seed(0)
    layer = WordCrossAttention(D, HEADS, dropout=0.0).double()
    torch.nn.init.normal_(layer.key_value.bias)
    x = torch.randn(2, 3, D, dtype=torch.float64, requires_grad=True)
    y = torch.randn(2, 4, D, dtype=torch.float64, requires_grad=True)
    lengths = [2, 4]
    memory = layer.memory(y, padding_mask(torch.tensor(lengths), 4))
    output = layer(x, memory).output
    key, value = thirds(layer.key_value.weight, layer.key_value.bias)
    expected = torch.stack(
        [
            multi_head(
                x[b],
                y[b, :n],
                query=(layer.query.weight, layer.query.bias),
                key=key,
                value=value,
                output=(layer.output.weight, layer.output.bias),
                heads=HEADS,
            )
            for b, n in enumerate(lengths)
        ]
    )
    torch.testing.assert_close(output, expected)
    assert_same_gradients((output**2).sum(), (expected**2).sum(), [x, y, *layer.parameters()])
