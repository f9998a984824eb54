"""Compositions: values and gradients against the equations."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest
import torch
from torch import Tensor, nn

from mgsa.composition import LSTM, MaxPool, SelfAttention
from tests.gradients import assert_same

DIM = 4


def max_pool(phrase: Tensor) -> Tensor:
    """(positions, D) to the largest value of each dimension."""
    return torch.stack([max(column, key=Tensor.item) for column in phrase.T])


def attended(phrase: Tensor, layer: SelfAttention) -> Tensor:
    """The max-pooled vector asks each position."""
    (key, value), q = layer.key_value.weight.chunk(2), layer.query.weight @ max_pool(phrase)
    scores = [torch.exp(torch.dot(q, key @ x) / math.sqrt(len(q))) for x in phrase]
    mixed = sum(score * (value @ x) for score, x in zip(scores, phrase, strict=True))
    composed: Tensor = layer.output.weight @ (mixed / sum(scores))
    return composed


def last_state(phrase: Tensor, layer: LSTM) -> Tensor:
    """torch's LSTM over one phrase alone, projected back."""
    _, (hidden, _) = layer.lstm(phrase[None])
    return layer.output(hidden[-1, 0])


def make(name: str) -> tuple[nn.Module, Callable[[Tensor], Tensor]]:
    """A composition in float64, and the same for one phrase (positions, D)."""
    torch.manual_seed(0)
    match name:
        case "max_pool":
            return MaxPool(), max_pool
        case "self_attention":
            attention = SelfAttention(DIM, 3).double()
            return attention, lambda phrase: attended(phrase, attention)
        case "lstm":
            lstm = LSTM(DIM, 3).double()
            return lstm, lambda phrase: last_state(phrase, lstm)
        case _:
            raise ValueError(name)


def segments_of(lengths: list[list[int]], width: int) -> Tensor:
    """(B, width): the phrase of each position, −1 at padding."""
    segments = torch.full((len(lengths), width), -1)
    for row, sentence in zip(segments, lengths, strict=True):
        numbers = torch.repeat_interleave(torch.arange(len(sentence)), torch.tensor(sentence))
        row[: len(numbers)] = numbers
    return segments


@pytest.mark.parametrize("name", ["max_pool", "self_attention", "lstm"])
def test_values_and_gradients_are_those_of_the_equations(name: str) -> None:
    compose, of_phrase = make(name)
    lengths = [[1, 3, 2], [4], [2, 2]]
    x = torch.randn(3, 7, DIM, dtype=torch.float64, requires_grad=True)
    memory = compose(x, segments_of(lengths, 7), num_phrases=4)
    expected = [
        torch.stack([of_phrase(phrase) for phrase in x[b, : sum(sentence)].split(sentence)])
        for b, sentence in enumerate(lengths)
    ]
    assert_same(memory, expected, [x, *compose.parameters()])
    for b, sentence in enumerate(lengths):
        assert memory[b, len(sentence) :].eq(0).all()
