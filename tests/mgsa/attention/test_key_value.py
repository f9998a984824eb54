"""Attention by the decoder's state: against loops over words, and what makes the variants equal."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from torch import Tensor, nn

from mgsa.attention.key_value import (
    KeyValueHalves,
    StateAttention,
    forget_keys,
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


@every_variant
def test_padding_changes_nothing(variant: str) -> None:
    attention, _ = make(variant)
    h, d = draw(2, 4, D).detach(), draw(2, 3, D)
    mask = padding_mask(torch.tensor(LENGTHS), 4)
    before = attention(d, attention.memory(h, mask)).output
    h[1, 2:] = 100.0
    after = attention(d, attention.memory(h, mask)).output
    torch.testing.assert_close(after, before, rtol=0, atol=0)


@every_variant
def test_the_rows_of_a_sentence_share_its_memory(variant: str) -> None:
    attention, _ = make(variant)
    d = draw(6, 1, D)
    memory = attention.memory(draw(2, 4, D), padding_mask(torch.tensor(LENGTHS), 4))
    stepped = attention.step(d, memory, need_weights=True)
    each = memory.select(torch.tensor([0, 0, 0, 1, 1, 1]))
    expected = attention(d, each, need_weights=True)
    torch.testing.assert_close(stepped.output, expected.output)
    torch.testing.assert_close(stepped.weights[WORDS], expected.weights[WORDS])


def output_layer(context_dim: int) -> nn.Linear:
    return nn.Linear(D + context_dim, D, bias=False).double()


def e(output: nn.Linear, d: Tensor, attend: Callable[[Tensor], Tensor]) -> Tensor:
    """e_j of d_{j−1}, which stands in for d_j too."""
    return torch.tanh(output(torch.cat([d, attend(d)], dim=-1)))


def test_key_value_that_passes_halves_on_is_modifying_iw_at_its_start() -> None:
    """W_f = I: the key halves of both directions; W_g = I: their value halves; to the last bit."""
    key_value, _ = make("key_value")
    modifying_iw, _ = make("modifying_iw")
    for projection in key_value.parameters():
        nn.init.eye_(projection)
    of_halves, of_all = output_layer(D // 2), output_layer(D)
    forget_keys(of_all, D)
    with torch.no_grad():
        of_all.weight[:, :D] = of_halves.weight[:, :D]
        of_all.weight[:, D + D // 2 :] = of_halves.weight[:, D:]
    h, d, mask = draw(2, 4, D), draw(2, 3, D), padding_mask(torch.tensor(LENGTHS), 4)

    def attended(attention: StateAttention) -> Callable[[Tensor], Tensor]:
        return lambda query: attention(query, attention.memory(h, mask), need_weights=True).output

    found = attended(key_value)(d)
    torch.testing.assert_close(found, attended(modifying_iw)(d)[..., D // 2 :], rtol=0, atol=0)
    torch.testing.assert_close(
        e(of_halves, d, attended(key_value)), e(of_all, d, attended(modifying_iw))
    )


def test_columns_that_read_keys_start_at_zero_and_learn() -> None:
    attention, _ = make("modifying_iw")
    output = output_layer(D)
    before = output.weight.detach().clone()
    forget_keys(output, D)
    keys = slice(D, D + D // 2)
    assert output.weight[:, keys].eq(0).all()
    before[:, keys] = 0
    assert torch.equal(output.weight, before)
    memory = attention.memory(draw(2, 4, D), padding_mask(torch.tensor(LENGTHS), 4))
    e(output, draw(2, 3, D), lambda d: attention(d, memory).output).sum().backward()
    assert output.weight.grad is not None
    assert output.weight.grad[:, keys].ne(0).all()
