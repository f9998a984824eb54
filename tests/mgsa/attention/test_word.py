"""Attention to words against loops over queries and keys."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor, nn

from mgsa.attention.word import WordCrossAttention, WordSelfAttention
from mgsa.masks import Context, padding_mask
from tests.gradients import assert_same
from tests.reference.attention import Projection, multi_head

D, HEADS = 8, 2
LENGTHS = [4, 2]
MASK = padding_mask(torch.tensor(LENGTHS), 4)


def of(*linears: nn.Linear) -> list[Projection]:
    """The projections of D rows that linear maps are cut into."""
    return [
        rows
        for linear in linears
        for rows in zip(linear.weight.split(D), linear.bias.split(D), strict=True)
    ]


def draw(*shape: int) -> Tensor:
    return torch.randn(*shape, dtype=torch.float64, requires_grad=True)


@pytest.mark.parametrize("causal", [False, True])
def test_self_attention_is_that_of_the_equations(causal: bool) -> None:
    torch.manual_seed(0)
    layer = WordSelfAttention(D, HEADS, dropout=0.0).double()
    nn.init.normal_(layer.projection.bias)
    query, key, value, output = of(layer.projection, layer.output)
    x = draw(2, 4, D)
    expected = [
        multi_head(
            x_b[:n],
            [x_b[:n]],
            queries=query,
            keys=[key],
            values=[value],
            output=output,
            group_heads=[HEADS],
            causal=causal,
        )
        for x_b, n in zip(x, LENGTHS, strict=True)
    ]
    attended = layer(x, Context(MASK, causal=causal))
    assert_same(attended.output, expected, [x, *layer.parameters()])


def test_cross_attention_is_that_of_the_equations() -> None:
    torch.manual_seed(0)
    layer = WordCrossAttention(D, HEADS, dropout=0.0).double()
    nn.init.normal_(layer.key_value.bias)
    query, key, value, output = of(layer.query, layer.key_value, layer.output)
    x, y = draw(2, 3, D), draw(2, 4, D)
    expected = [
        multi_head(
            x_b,
            [y_b[:n]],
            queries=query,
            keys=[key],
            values=[value],
            output=output,
            group_heads=[HEADS],
        )
        for x_b, y_b, n in zip(x, y, LENGTHS, strict=True)
    ]
    attended = layer(x, layer.memory(y, MASK))
    assert_same(attended.output, expected, [x, y, *layer.parameters()])
