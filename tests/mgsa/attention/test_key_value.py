"""Attention by the decoder's state: against loops over words, and what makes the variants equal."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor

from mgsa.attention.key_value import (
    KeyValueHalves,
    StateAttention,
    key_halves,
    whole_states,
)
from mgsa.attention.word import WORDS
from mgsa.masks import padding_mask
from tests.reference import recurrent as reference

D = 8
VARIANTS = ("attn", "key_value", "modifying_iw")
LENGTHS = [4, 2]

every_variant = pytest.mark.parametrize("variant", VARIANTS)


def make(variant: str) -> tuple[StateAttention, reference.Attention]:
    """The attention, and the same by loops."""
    torch.manual_seed(0)
    match variant:
        case "attn":
            return StateAttention(whole_states), reference.attn
        case "modifying_iw":
            return StateAttention(key_halves), reference.modifying_iw
    parts = KeyValueHalves(D).double()
    return StateAttention(parts), reference.key_value(parts.key.weight, parts.value.weight)


def draw(*shape: int) -> Tensor:
    return torch.randn(*shape, dtype=torch.float64, requires_grad=True)


def laid_out(forwards: Tensor, backwards: Tensor) -> Tensor:
    """(B, S, D/2) of each direction to h (B, S, D)."""
    rows = [
        [reference.laid_out(*word) for word in zip(*both, strict=True)]
        for both in zip(forwards, backwards, strict=True)
    ]
    return torch.stack([torch.stack(row) for row in rows])


@every_variant
@pytest.mark.parametrize("need_weights", [False, True])
def test_contexts_and_weights_are_those_of_the_equations(variant: str, need_weights: bool) -> None:
    attention, by_loops = make(variant)
    forwards, backwards, d = draw(2, 4, D // 2), draw(2, 4, D // 2), draw(2, 3, D)
    memory = attention.memory(laid_out(forwards, backwards), padding_mask(torch.tensor(LENGTHS), 4))
    attended = attention(d, memory, need_weights=need_weights)
    ours, theirs = (attended.output**2).sum(), torch.zeros((), dtype=torch.float64)
    for b, n in enumerate(LENGTHS):
        source = list(forwards[b, :n]), list(backwards[b, :n])
        for j in range(3):
            c, alpha = reference.context(by_loops, source, d[b, j])
            torch.testing.assert_close(attended.output[b, j], c)
            theirs = theirs + (c**2).sum()
            if need_weights:
                weights = attended.weights[WORDS][b, 0, j]
                torch.testing.assert_close(weights[:n], alpha)
                assert not weights[n:].any()
    inputs = [forwards, backwards, d, *attention.parameters()]
    gradients = torch.autograd.grad(ours, inputs)
    for got, expected in zip(gradients, torch.autograd.grad(theirs, inputs), strict=True):
        torch.testing.assert_close(got, expected)
