"""Interactions: values and gradients against the equations, and that nothing looks ahead."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor

from mgsa.interaction import (
    LSTM,
    BatchedONLSTM,
    Interaction,
    PerGranularity,
    TagHead,
)
from mgsa.onlstm import ONLSTM
from tests.reference.composition import lstm_states
from tests.reference.onlstm import on_lstm

DIM, WIDTH, CHUNK = 4, 6, 2


def make(name: str) -> Interaction:
    recurrence = LSTM(DIM, WIDTH) if name == "lstm" else ONLSTM(DIM, WIDTH, CHUNK)
    return Interaction(recurrence, DIM).double()


def reference(interaction: Interaction, memory: Tensor) -> Tensor:
    """One sentence's memory (M, D) to (M, D)."""
    parameters = tuple(interaction.recurrence.parameters())
    if isinstance(interaction.recurrence, ONLSTM):
        input_weight, input_bias, recurrent_weight, recurrent_bias = parameters
        states = on_lstm(
            memory, input_weight, input_bias, recurrent_weight, recurrent_bias, CHUNK
        ).unbind()
    else:
        states = tuple(h for h, _ in lstm_states(memory, *parameters))
    projected = [interaction.output.weight @ h + interaction.output.bias for h in states]
    return torch.stack([_normed(vector) for vector in projected])


def _normed(vector: Tensor) -> Tensor:
    """Zero mean and unit variance, but for the 1e-5 that keeps a constant from dividing by zero."""
    centred = vector - vector.mean()
    return centred / (centred.square().mean() + 1e-5).sqrt()


@pytest.mark.parametrize("name", ["lstm", "on_lstm"])
def test_values_and_gradients_are_those_of_the_equations(name: str) -> None:
    torch.manual_seed(0)
    interaction = make(name)
    memory = torch.randn(2, 4, DIM, dtype=torch.float64, requires_grad=True)
    counts = [4, 2]
    weights = torch.randn(2, 4, DIM, dtype=torch.float64)
    inputs = [memory, *interaction.parameters()]

    interacted = interaction(memory, torch.tensor(counts))
    present = torch.arange(4) < torch.tensor(counts)[:, None]
    loss = (interacted * weights)[present].sum()
    gradients = torch.autograd.grad(loss, inputs)

    expected = [reference(interaction, memory[b, :n]) for b, n in enumerate(counts)]
    expected_loss = torch.zeros((), dtype=torch.float64)
    for b, h in enumerate(expected):
        torch.testing.assert_close(interacted[b, : len(h)], h)
        expected_loss = expected_loss + (h * weights[b, : len(h)]).sum()
    for ours, theirs in zip(gradients, torch.autograd.grad(expected_loss, inputs), strict=True):
        torch.testing.assert_close(ours, theirs)


def test_batched_equals_one_by_one() -> None:
    torch.manual_seed(0)
    interactions = [make("on_lstm") for _ in range(3)]
    memories = [torch.randn(2, m, DIM, dtype=torch.float64) for m in (2, 5, 3)]
    counts = [torch.tensor(n) for n in ([2, 1], [4, 5], [3, 3])]
    together = BatchedONLSTM(interactions)(memories, counts)
    for ours, theirs in zip(together, PerGranularity(interactions)(memories, counts), strict=True):
        torch.testing.assert_close(ours, theirs)


def test_tag_logits_are_a_linear_map_of_each_phrase() -> None:
    head = TagHead(4, 7).double()
    memory = torch.randn(2, 3, 4, dtype=torch.float64)
    weight, bias = head.parameters()
    expected = torch.einsum("td,bmd->bmt", weight, memory) + bias
    torch.testing.assert_close(head(memory), expected)
