"""Interaction of phrases, and tag prediction (Hao et al. 2019, section 3).

H_g = REC(g_1 … g_M): a recurrence over a sentence's phrases, projected back to the model's width.
States after the last phrase are undefined and masked.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from torch import Tensor, nn

from mgsa.onlstm import ONLSTM
from mgsa.operators import Linear, run_lstm


class TagHead(nn.Module):
    """Tag supervision: p(tag of m) = softmax(W g_m + b)."""

    def __init__(self, dim: int, num_tags: int) -> None:
        super().__init__()
        self.output = Linear(dim, num_tags)
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
        # Padding is on the right, so it does not affect the states before it.
        states: Tensor = run_lstm(self.lstm, x)[0]
        return states


Run = Callable[[Sequence[Any], Sequence[Tensor], Sequence[Tensor]], list[Tensor]]
"""Recurrences, their inputs (B, M_g, D) and lengths (B,) to their states (B, M_g, H)."""


def run_each(
    layers: Sequence[LSTM], inputs: Sequence[Tensor], lengths: Sequence[Tensor]
) -> list[Tensor]:
    """The states of each layer, one layer after the other."""
    return [layer(x, n) for layer, x, n in zip(layers, inputs, lengths, strict=True)]


class Interaction(nn.Module):
    """A recurrence over the phrases of one granularity, and an output projection."""

    def __init__(self, recurrence: LSTM | ONLSTM, dim: int) -> None:
        super().__init__()
        self.recurrence = recurrence
        self.output = Linear(recurrence.hidden_size, dim)
        nn.init.xavier_uniform_(self.output.weight)
        nn.init.zeros_(self.output.bias)


class NoInteraction(nn.Module):
    """The identity in place of `Interactions`."""

    def forward(self, memories: Sequence[Tensor], lengths: Sequence[Tensor]) -> Sequence[Tensor]:  # noqa: ARG002
        """Memories (B, M_g, D), lengths (B,) to memories (B, M_g, D)."""
        return memories


class Interactions(nn.Module):
    """The interaction of each granularity."""

    def __init__(self, interactions: Iterable[Interaction], *, run: Run) -> None:
        super().__init__()
        self.interactions: Sequence[Interaction] = nn.ModuleList(interactions)  # type: ignore[assignment]
        self.run = run

    def forward(self, memories: Sequence[Tensor], lengths: Sequence[Tensor]) -> list[Tensor]:
        """Memories (B, M_g, D), lengths (B,) to memories (B, M_g, D)."""
        states = self.run([i.recurrence for i in self.interactions], memories, lengths)
        return [i.output(h) for i, h in zip(self.interactions, states, strict=True)]
