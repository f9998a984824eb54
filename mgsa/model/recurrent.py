"""Encoder and decoder of LSTMs (Mino et al. 2017), given an attention.

    encoder    h→_i, h←_i: the states of word i in the topmost LSTMs, each as wide as the model
    decoder    d_j = LSTM(d_{j−1}, y_{j−1})        d_0 = tanh(W_s [h→_n ; h←_1])
               e_j = tanh(W_d [d_j ; c_j])         c_j from what d_{j−1} attends to
               p(y_j) = softmax(W_o e_j + b_o)

c_j is no input of an LSTM, so in training the LSTMs run over the whole target at once. W_s and how
layers are stacked (on both directions of the layer below) are ours: initial hidden and cell states
of every decoder layer read the last encoder states of both directions (only h←_1 in Bahdanau et al.
2015, appendix A.2.2).

Dropout is between layers, never between time steps (Zaremba et al. 2014): of embeddings, between
LSTMs, of e_j. Layers are separate LSTMs, since cuDNN's dropout between layers ignores the seeds of
`mgsa.training.processes`.
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


class BidirectionalLSTM(nn.Module):
    """An LSTM each way over sentences of different lengths."""

    def __init__(self, input_size: int, hidden_size: int) -> None:
        super().__init__()
        self.forwards = nn.LSTM(input_size, hidden_size, batch_first=True)
        self.backwards = nn.LSTM(input_size, hidden_size, batch_first=True)

    def forward(self, x: Tensor, turned: Tensor) -> tuple[Tensor, Tensor]:
        """x (B, S, ·) to the states of each direction, (B, S, H), undefined at padding.

        `turned` comes from `turned_positions`: padding stays on the right, at twice the speed of
        packed sequences on a CPU.
        """
        forwards, _ = run_lstm(self.forwards, x)
        backwards, _ = run_lstm(self.backwards, _take(x, turned))
        return forwards, _take(backwards, turned)


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


class RecurrentEncoder(nn.Module):
    """A stack of bidirectional LSTMs, each direction as wide as the model."""

    def __init__(self, *, layers: int, dim: int, dropout: float) -> None:
        super().__init__()
        self.layers: Sequence[BidirectionalLSTM] = nn.ModuleList(  # type: ignore[assignment]
            BidirectionalLSTM(2 * dim if layer else dim, dim) for layer in range(layers)
        )
        self.dropout = Dropout(dropout)

    def forward(
        self, x: Tensor, context: Context, *, need_weights: bool = False
    ) -> tuple[Tensor, list[Attended]]:
        """x (B, S, D) to s (B, S, 2D): key halves of both directions, then value halves."""
        del need_weights
        assert context.mask is not None
        turned = turned_positions(context.mask)
        directions = self.layers[0](x, turned)
        below: list[Attended] = []
        for layer in self.layers[1:]:
            below.append(Attended(torch.cat(directions, dim=-1)))
            directions = layer(self.dropout(below[-1].output), turned)
        (k_forwards, v_forwards), (k_backwards, v_backwards) = (h.chunk(2, -1) for h in directions)
        s = torch.cat([k_forwards, k_backwards, v_forwards, v_backwards], dim=-1)
        return s, [*below, Attended(s)]


def last_states(s: Tensor, mask: Tensor) -> Tensor:
    """s (B, S, 2D), mask (B, 1, 1, S) to [h→_n ; h←_1], (B, 2D), in the layout of s."""
    lengths = mask.sum(dim=-1).flatten()
    last = s[torch.arange(len(s), device=s.device), lengths - 1]
    # (B, 2D) to (B, halves, directions, D/2)
    last, first = (x.unflatten(-1, (2, 2, -1)) for x in (last, s[:, 0]))
    return torch.stack([last[:, :, 0], first[:, :, 1]], dim=2).flatten(1)


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
        self.layers: Sequence[nn.LSTM] = nn.ModuleList(  # type: ignore[assignment]
            nn.LSTM(dim, dim, batch_first=True) for _ in range(layers)
        )
        self.attention = attention
        self.initial = Linear(2 * dim, 2 * layers * dim)  # W_s, of hidden states, of cells
        self.output = Linear(dim + context_dim, dim, bias=False)  # W_d
        self.dropout = Dropout(dropout)

    def memories(self, states: Tensor, mask: Tensor) -> list[RecurrentMemory]:
        """The one memory of the encoder's output s (B, S, 2D), mask (B, 1, 1, S)."""
        first = torch.tanh(self.initial(last_states(states, mask)))
        first = first.unflatten(-1, (2 * len(self.layers), -1)).transpose(0, 1).contiguous()
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
        e = self.dropout(torch.tanh(self.output(torch.cat([d, attended.output], dim=-1))))
        return e, [DecoderAttended(e, cross_weights=attended.weights, alignment=alignment)]

    def _run(self, x: Tensor, states: Tensor) -> tuple[Tensor, Tensor]:
        """x (B, T, D) to d (B, T, D) and the new states (2 · layers, B, D)."""
        hidden, cells = (part.split(1) for part in states.chunk(2))
        after = []
        for number, layer in enumerate(self.layers):
            below = self.dropout(x) if number else x
            x, last = run_lstm(layer, below, (hidden[number], cells[number]))
            after.append(last)
        return x, torch.cat([state for kind in zip(*after, strict=True) for state in kind])
