"""Encoder and decoder of LSTMs (Mino et al. 2017), given an attention.

    encoder    h→_i, h←_i: the topmost states of a stack of LSTMs each way, as wide as the model
               h_i from both, by the attention (equations 3 and 10)
    decoder    d_j = LSTM(d_{j−1}, y_{j−1}), a stack too     d_0 = W_i h_M + b_i
               e_j = tanh(W_d [d_j ; c_j])                   c_j from what d_{j−1} attends to
               p(y_j) = softmax(W_o e_j + b_o)

c_j is no input of an LSTM, so in training the LSTMs run over the whole target at once. d_0, which
the paper counts as d_1, is its affine map of the last hidden state; where that enters a stack it
leaves open: here every layer's hidden state is a map of h_M, and every cell starts at zero.

Dropout is of the last layer of each stack (section 4.2), never between time steps.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from mgsa.attention.heads import Attended
from mgsa.attention.key_value import StateAttention
from mgsa.attention.memory import Cache, Memories
from mgsa.masks import Context
from mgsa.model.transformer import DecoderAttended
from mgsa.operators import Dropout, Linear, run_lstm


def draw_weights(model: nn.Module, std: float) -> None:
    """Initialise matrices from N(0, std²), as in the paper, and biases to zero."""
    for weight in model.parameters():
        if weight.dim() > 1:
            nn.init.normal_(weight, std=std)
        else:
            nn.init.zeros_(weight)


def turned_positions(mask: Tensor) -> Tensor:
    """(B · S,): the permutation that reverses every sentence and leaves padding in place.

    `mask` (B, 1, 1, S) marks positions without padding. The permutation is its own inverse.
    """
    B, S = mask.shape[0], mask.shape[-1]
    positions = torch.arange(S, device=mask.device)
    lengths = mask.sum(dim=-1).view(B, 1)
    turned = torch.where(positions < lengths, lengths - 1 - positions, positions)
    return (turned + S * torch.arange(B, device=mask.device)[:, None]).flatten()


def _take(x: Tensor, positions: Tensor) -> Tensor:
    """x (B, S, ·) with its B · S positions permuted."""
    return x.flatten(0, 1).index_select(0, positions).view_as(x)


def lstm_stack(layers: int, dim: int) -> Sequence[nn.LSTM]:
    """Separate LSTMs of one width, each over the states of the one below."""
    lstms = (nn.LSTM(dim, dim, batch_first=True) for _ in range(layers))
    return nn.ModuleList(lstms)  # type: ignore[return-value]


class RecurrentEncoder(nn.Module):
    """A stack of LSTMs each way, which meet above the topmost alone; as wide as the model each."""

    def __init__(self, *, layers: int, dim: int, dropout: float) -> None:
        super().__init__()
        self.forwards = lstm_stack(layers, dim)
        self.backwards = lstm_stack(layers, dim)
        self.dropout = Dropout(dropout)

    def forward(
        self, x: Tensor, context: Context, *, need_weights: bool = False
    ) -> tuple[Tensor, list[Attended]]:
        """x (B, S, D) to s (B, S, 2D): key halves of both directions, then value halves.

        States of padding are undefined. It stays on the right, at twice the speed of packed
        sequences on a CPU.
        """
        del need_weights
        assert context.mask is not None
        turned = turned_positions(context.mask)
        right, left = x, _take(x, turned)
        layers: list[Attended] = []
        for forwards, backwards in zip(self.forwards, self.backwards, strict=True):
            right, _ = run_lstm(forwards, right)
            left, _ = run_lstm(backwards, left)
            layers.append(Attended(torch.cat([right, _take(left, turned)], dim=-1)))
        (k_right, v_right), (k_left, v_left) = (
            self.dropout(h).chunk(2, -1) for h in (right, _take(left, turned))
        )
        s = torch.cat([k_right, k_left, v_right, v_left], dim=-1)
        return s, [*layers[:-1], Attended(s)]


@dataclass(frozen=True)
class RecurrentMemory:
    """The source as the decoder reads it.

    Keys and values of `words`; initial hidden states, then cells, in `states` (2 · layers, B, D).
    """

    words: Memories
    states: Tensor

    def select(self, index: Tensor) -> RecurrentMemory:
        """The memory of sentences `index`, (B',)."""
        return RecurrentMemory(self.words.select(index), self.states.index_select(1, index))


class RecurrentDecoder(nn.Module):
    """A stack of LSTMs, attention by the topmost, and the output layer e_j."""

    num_attending = 1  # the topmost layer
    sees_words = True

    def __init__(
        self, attention: StateAttention, *, layers: int, dim: int, context_dim: int, dropout: float
    ) -> None:
        """The attention's c_j has width `context_dim`."""
        super().__init__()
        self.layers = lstm_stack(layers, dim)
        self.attention = attention
        self.initial = Linear(dim, layers * dim)  # W_i of every layer
        self.output = Linear(dim + context_dim, dim, bias=False)  # W_d
        self.dropout = Dropout(dropout)

    def memories(self, states: Tensor, mask: Tensor) -> list[RecurrentMemory]:
        """The one memory of the encoder's output s (B, S, 2D), mask (B, 1, 1, S)."""
        last = states[torch.arange(len(states), device=states.device), mask.sum(-1).flatten() - 1]
        hidden = self.initial(self.attention.joined(last)).unflatten(-1, (len(self.layers), -1))
        hidden = hidden.transpose(0, 1)
        first = torch.cat([hidden, torch.zeros_like(hidden)])
        return [RecurrentMemory(self.attention.memory(states, mask), first)]

    def forward(
        self,
        x: Tensor,
        context: Context,
        memories: Sequence[RecurrentMemory],
        *,
        cache: Cache | None = None,
        need_weights: bool = False,
        aligned_layer: int | None = None,
    ) -> tuple[Tensor, list[DecoderAttended]]:
        """x (B, T, D), y_0 to y_{T−1}, to e (B, T, D), and its attention; T is 1 with a cache."""
        assert context.causal or cache is not None, "a recurrence can't see what comes"
        (memory,) = memories
        states = memory.states if cache is None else cache.get(self, "states", memory.states)
        top = states[len(self.layers) - 1, :, None]  # of the last word before x
        d, states = self._run(x, states)
        if cache is not None:
            cache.put(self, "states", states)
        queries = torch.cat([top, d[:, :-1]], dim=1)  # d_{j−1}
        attended = self.attention(queries, memory.words, need_weights=need_weights)
        alignment = self.attention.alignment(queries, memory.words) if aligned_layer else None
        e = torch.tanh(self.output(torch.cat([d, attended.output], dim=-1)))
        return e, [DecoderAttended(e, cross_weights=attended.weights, alignment=alignment)]

    def _run(self, x: Tensor, states: Tensor) -> tuple[Tensor, Tensor]:
        """x (B, T, D) to d (B, T, D) and the new states (2 · layers, B, D)."""
        hidden, cells = (part.split(1) for part in states.chunk(2))
        after = []
        for number, layer in enumerate(self.layers):
            x, last = run_lstm(layer, x, (hidden[number], cells[number]))
            after.append(last)
        states = torch.cat([state for kind in zip(*after, strict=True) for state in kind])
        return self.dropout(x), states
