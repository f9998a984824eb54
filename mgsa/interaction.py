"""What becomes of phrase vectors (Hao et al. 2019): interaction, and a tag predicted from each.

Interaction (section 3.3) is H_g = REC(g_1 … g_M). A recurrent network runs over a sentence's
phrases in its own width, and its states are projected back to the model's and normed. Its states
after a sentence's last phrase mean nothing and are masked.

The paper says nothing of a norm. But H_g takes the place of X, which comes normed, and the states
of a recurrence are at first a tenth of it: without the norm a head attends evenly to all phrases,
and a small model never learns to read their boundaries. It has no gain and no bias: the projections
to keys and values, which come next, would absorb them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from torch import Tensor, nn
from torch.nn import functional as F

from mgsa.onlstm import ONLSTM


class TagHead(nn.Module):
    """Tag supervision (section 3.2): p(tag of m) = softmax(W g_m + b), before interaction."""

    def __init__(self, dim: int, num_tags: int) -> None:
        super().__init__()
        self.output = nn.Linear(dim, num_tags)
        nn.init.xavier_uniform_(self.output.weight)
        nn.init.zeros_(self.output.bias)

    def forward(self, memory: Tensor) -> Tensor:
        """memory (B, M, D) to logits (B, M, number of tags)."""
        return self.output(memory)


class LSTM(nn.Module):
    """torch's LSTM with the interface of `ONLSTM`."""

    def __init__(self, input_size: int, hidden_size: int) -> None:
        super().__init__()
        self.hidden_size = hidden_size
        self.lstm = nn.LSTM(input_size, hidden_size, batch_first=True)

    def forward(self, x: Tensor, lengths: Tensor) -> Tensor:  # noqa: ARG002
        """x (B, T, D), lengths (B,) to hidden states (B, T, H)."""
        # It runs forwards and padding comes last: no need to know where.
        return self.lstm(x)[0]


Run = Callable[[Sequence[Any], Sequence[Tensor], Sequence[Tensor]], list[Tensor]]
"""Recurrences, the input (B, M_g, D) and lengths (B,) of each, to their states (B, M_g, H)."""


def run_each(
    layers: Sequence[LSTM], inputs: Sequence[Tensor], lengths: Sequence[Tensor]
) -> list[Tensor]:
    """The states of each layer, one layer after the other (`run_batched` is of ON-LSTMs)."""
    return [layer(x, n) for layer, x, n in zip(layers, inputs, lengths, strict=True)]


class Interaction(nn.Module):
    """A recurrence over the phrases of one granularity, a projection back and a norm."""

    def __init__(self, recurrence: LSTM | ONLSTM, dim: int) -> None:
        super().__init__()
        self.recurrence = recurrence
        self.output = nn.Linear(recurrence.hidden_size, dim)
        nn.init.xavier_uniform_(self.output.weight)
        nn.init.zeros_(self.output.bias)

    def finish(self, states: Tensor) -> Tensor:
        """States of the recurrence (B, M, H) to memory (B, M, D)."""
        memory = self.output(states)
        return F.layer_norm(memory, memory.shape[-1:])


class NoInteraction(nn.Module):
    """The memory of every granularity as it is."""

    def forward(self, memories: Sequence[Tensor], lengths: Sequence[Tensor]) -> Sequence[Tensor]:  # noqa: ARG002
        """For each granularity memory (B, M_g, D), lengths (B,) to (B, M_g, D)."""
        return memories


class Interactions(nn.Module):
    """The interaction of every granularity."""

    def __init__(self, interactions: Iterable[Interaction], *, run: Run) -> None:
        super().__init__()
        self.interactions: Sequence[Interaction] = nn.ModuleList(interactions)  # type: ignore[assignment]
        self.run = run

    def forward(self, memories: Sequence[Tensor], lengths: Sequence[Tensor]) -> list[Tensor]:
        """For each granularity memory (B, M_g, D), lengths (B,) to (B, M_g, D)."""
        states = self.run([i.recurrence for i in self.interactions], memories, lengths)
        return [i.finish(h) for i, h in zip(self.interactions, states, strict=True)]
