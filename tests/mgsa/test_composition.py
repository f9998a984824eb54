"""Compositions: values and gradients against the equations, and that phrases keep to themselves."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor, nn

from mgsa.composition import LSTM, MaxPool, SelfAttention
from tests.reference import composition as reference
from tests.strategies import ragged_lengths

DIM = 4


def make(name: str) -> tuple[nn.Module, Callable[[Tensor], Tensor]]:
    """A composition in float64, and the reference with its weights."""
    torch.manual_seed(0)
    match name:
        case "max_pool":
            return MaxPool(), reference.max_pool
        case "self_attention":
            attention = SelfAttention(DIM, 3).double()
            key, value = attention.key_value.weight.chunk(2)
            weights = (attention.query.weight, key, value, attention.output.weight)
            return attention, lambda phrase: reference.self_attention(phrase, *weights)
        case _:
            lstm = LSTM(DIM, 3).double()
            return lstm, lambda phrase: reference.lstm(phrase, *lstm.parameters())


def segments_of(lengths: list[list[int]], width: int) -> Tensor:
    """(B, width): the phrase of each position, −1 at padding."""
    segments = torch.full((len(lengths), width), -1)
    for row, sentence in zip(segments, lengths, strict=True):
        numbers = torch.repeat_interleave(torch.arange(len(sentence)), torch.tensor(sentence))
        row[: len(numbers)] = numbers
    return segments


def phrases_of(x: Tensor, lengths: list[int]) -> tuple[Tensor, ...]:
    """One sentence (T, D) cut into its phrases."""
    return x[: sum(lengths)].split(lengths)


NAMES = ("max_pool", "self_attention", "lstm")


@pytest.mark.parametrize("name", NAMES)
def test_values_and_gradients_are_those_of_the_equations(name: str) -> None:
    compose, reference_of = make(name)
    lengths = [[1, 3, 2], [4], [2, 2]]
    x = torch.randn(3, 7, DIM, dtype=torch.float64, requires_grad=True)
    weights = torch.randn(3, 3, DIM, dtype=torch.float64)
    inputs = [x, *compose.parameters()]

    memory = compose(x, segments_of(lengths, 7))
    gradients = torch.autograd.grad((memory * weights).sum(), inputs)

    loss = torch.zeros((), dtype=torch.float64)
    for b, sentence in enumerate(lengths):
        for m, phrase in enumerate(phrases_of(x[b], sentence)):
            expected = reference_of(phrase)
            torch.testing.assert_close(memory[b, m], expected)
            loss = loss + (expected * weights[b, m]).sum()
        assert memory[b, len(sentence) :].eq(0).all()
    for ours, theirs in zip(gradients, torch.autograd.grad(loss, inputs), strict=True):
        torch.testing.assert_close(ours, theirs)


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=25, deadline=None)
@given(lengths=ragged_lengths(), padding=st.integers(0, 3), data=st.data())
def test_a_phrase_depends_on_its_own_positions_alone(
    name: str, lengths: list[list[int]], padding: int, data: st.DataObject
) -> None:
    compose, _ = make(name)
    segments = segments_of(lengths, max(map(sum, lengths)) + padding)
    x = torch.randn(*segments.shape, DIM, dtype=torch.float64)
    memory = compose(x, segments)

    sentence = data.draw(st.integers(0, len(lengths) - 1))
    position = data.draw(st.integers(0, segments.shape[1] - 1))
    x[sentence, position] += 10
    changed = (compose(x, segments) != memory).any(dim=-1)
    phrase = int(segments[sentence, position])
    if phrase >= 0:
        assert changed[sentence, phrase]
        changed[sentence, phrase] = False
    assert not changed.any()


@pytest.mark.parametrize("name", NAMES)
def test_the_number_of_phrases_may_be_told(name: str) -> None:
    compose, _ = make(name)
    segments = segments_of([[2, 1], [1]], 3)
    x = torch.randn(2, 3, DIM, dtype=torch.float64)
    told = compose(x, segments, num_phrases=4)
    assert told.shape == (2, 4, DIM)
    torch.testing.assert_close(told[:, :2], compose(x, segments))
    assert told[:, 2:].eq(0).all()


def test_equal_maxima_share_the_gradient() -> None:
    x = torch.tensor([[[1.0], [1.0], [0.0]]], requires_grad=True)
    MaxPool()(x, torch.tensor([[0, 0, 0]])).sum().backward()
    assert x.grad is not None
    assert x.grad.flatten().tolist() == [0.5, 0.5, 0.0]


def test_self_attention_has_four_matrices_of_dim_by_head() -> None:
    assert sum(p.numel() for p in SelfAttention(512, 64).parameters()) == 4 * 512 * 64


@pytest.mark.parametrize("make_layer", [partial(SelfAttention, 8, 4), partial(LSTM, 8, 4), MaxPool])
def test_bfloat16_autocast(make_layer: Callable[[], nn.Module]) -> None:
    torch.manual_seed(0)
    compose = make_layer()
    segments = segments_of([[2, 1], [1]], 4)
    x = torch.randn(2, 4, 8, requires_grad=True)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        memory = compose(x, segments)
    torch.testing.assert_close(memory.float(), compose(x, segments), rtol=0.05, atol=0.05)
    memory.float().sum().backward()
    assert x.grad is not None
    assert x.grad.isfinite().all()
