"""Interactions: values and gradients against the equations, and that nothing looks ahead."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor

from mgsa.interaction import LSTM, Interaction, Interactions, TagHead, run_each
from mgsa.onlstm import ONLSTM, run_batched
from tests.gradients import assert_same

DIM, WIDTH, CHUNK = 4, 6, 2


def of_sentence(interaction: Interaction, memory: Tensor) -> Tensor:
    """One sentence's memory (M, D) to (M, D)."""
    states = interaction.recurrence(memory[None], torch.tensor([len(memory)]))[0]
    return torch.stack([interaction.output.weight @ h + interaction.output.bias for h in states])


@pytest.mark.parametrize("name", ["lstm", "on_lstm"])
def test_values_and_gradients_are_those_of_the_equations(name: str) -> None:
    """Of two granularities; the recurrences have tests of their own."""
    torch.manual_seed(0)
    interactions = [
        Interaction(LSTM(DIM, WIDTH) if name == "lstm" else ONLSTM(DIM, WIDTH, CHUNK), DIM).double()
        for _ in range(2)
    ]
    together = Interactions(interactions, run=run_each if name == "lstm" else run_batched)
    memories = [torch.randn(2, m, DIM, dtype=torch.float64, requires_grad=True) for m in (4, 3)]
    counts = [[4, 2], [1, 3]]
    interacted = together(memories, [torch.tensor(of_sentences) for of_sentences in counts])
    for interaction, memory, of_sentences, output in zip(
        interactions, memories, counts, interacted, strict=True
    ):
        expected = [
            of_sentence(interaction, memory_b[:n])
            for memory_b, n in zip(memory, of_sentences, strict=True)
        ]
        assert_same(output, expected, [memory, *interaction.parameters()])


def test_tag_logits_are_a_linear_map_of_each_phrase() -> None:
    head = TagHead(4, 7).double()
    memory = torch.randn(2, 3, 4, dtype=torch.float64)
    weight, bias = head.parameters()
    expected = torch.einsum("td,bmd->bmt", weight, memory) + bias
    torch.testing.assert_close(head(memory), expected)
