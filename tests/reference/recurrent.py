"""RNN NMT as the papers write it: one word at a time, for one sentence, in float64.

Mino et al. 2017 for attention and output layer; Hochreiter & Schmidhuber 1997, with forget gates,
for the LSTM.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor


@dataclass(frozen=True)
class Gates:
    """An LSTM's weights: rows of the input gate, forget gate, candidate, output gate."""

    of_input: Tensor
    of_state: Tensor
    bias: Tensor

    def step(self, x: Tensor, h: Tensor, c: Tensor) -> tuple[Tensor, Tensor]:
        """The hidden state and the cell after one more word."""
        total = self.of_input @ x + self.of_state @ h + self.bias
        i, f, candidate, o = total.split(len(h))
        cell = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(candidate)
        return torch.sigmoid(o) * torch.tanh(cell), cell

    def read(self, words: Sequence[Tensor], h: Tensor, c: Tensor) -> list[Tensor]:
        """The hidden state after each word."""
        states = []
        for x in words:
            h, c = self.step(x, h, c)
            states.append(h)
        return states


def encode(
    layers: Sequence[tuple[Gates, Gates]], words: Tensor
) -> tuple[list[Tensor], list[Tensor]]:
    """(S, D) to the topmost states h→ and h← of each word."""
    x = list(words)
    forwards, backwards = x, x
    for to_the_right, to_the_left in layers:
        nothing = torch.zeros(to_the_right.of_state.shape[1], dtype=words.dtype)
        forwards = to_the_right.read(x, nothing, nothing)
        backwards = to_the_left.read(x[::-1], nothing, nothing)[::-1]
        x = [torch.cat(both) for both in zip(forwards, backwards, strict=True)]
    return forwards, backwards


def halves(state: Tensor) -> tuple[Tensor, Tensor]:
    """The key half and the value half of a state."""
    middle = len(state) // 2
    return state[:middle], state[middle:]


def laid_out(forwards: Tensor, backwards: Tensor) -> Tensor:
    """h_i = [k→_i ; k←_i ; v→_i ; v←_i]."""
    (k_right, v_right), (k_left, v_left) = halves(forwards), halves(backwards)
    return torch.cat([k_right, k_left, v_right, v_left])


Attention = Callable[[Tensor, Tensor, Tensor], tuple[Tensor, Tensor]]
"""(h→_i, h←_i, d_{j−1}) to the score of word i and what it adds to c_j."""


def attn(forwards: Tensor, backwards: Tensor, d: Tensor) -> tuple[Tensor, Tensor]:
    """h_i · d_{j−1} and h_i."""
    h = laid_out(forwards, backwards)
    return torch.dot(h, d), h


def modifying_iw(forwards: Tensor, backwards: Tensor, d: Tensor) -> tuple[Tensor, Tensor]:
    """(h_i ⊙ u) · d_{j−1} and h_i."""
    h = laid_out(forwards, backwards)
    u = torch.tensor([1.0 if row < len(h) // 2 else 0.0 for row in range(len(h))], dtype=h.dtype)
    return torch.dot(h * u, d), h


def key_value(w_f: Tensor, w_g: Tensor) -> Attention:
    """k_i · (the first half of d_{j−1}) and v_i."""

    def attention(forwards: Tensor, backwards: Tensor, d: Tensor) -> tuple[Tensor, Tensor]:
        (k_right, v_right), (k_left, v_left) = halves(forwards), halves(backwards)
        k = w_f @ torch.cat([k_right, k_left])
        v = w_g @ torch.cat([v_right, v_left])
        return torch.dot(k, halves(d)[0]), v

    return attention


def context(
    attention: Attention, source: tuple[Sequence[Tensor], Sequence[Tensor]], d: Tensor
) -> tuple[Tensor, Tensor]:
    """c_j, and α_ij of each word of the source, for d_{j−1}."""
    found = [attention(right, left, d) for right, left in zip(*source, strict=True)]
    total = sum(torch.exp(score) for score, _ in found)
    weights = [torch.exp(score) / total for score, _ in found]
    c = torch.zeros_like(found[0][1])
    for alpha, (_, value) in zip(weights, found, strict=True):
        c = c + alpha * value
    return c, torch.stack(weights)


def decode(
    layers: Sequence[Gates],
    attention: Attention,
    source: tuple[Sequence[Tensor], Sequence[Tensor]],
    words: Tensor,
    *,
    w_s: tuple[Tensor, Tensor],
    w_d: Tensor,
) -> tuple[Tensor, Tensor]:
    """y_0 … y_{T−1} (T, D) to e_1 … e_T (T, D), and the weights (T, S).

    Args:
        w_s: weight and bias; its rows give the first hidden state of each layer, then each cell.
    """
    forwards, backwards = source
    weight, bias = w_s
    first = torch.tanh(weight @ laid_out(forwards[-1], backwards[0]) + bias)
    states = list(first.split(words.shape[1]))
    hidden, cells = states[: len(layers)], states[len(layers) :]
    outputs, weights = [], []
    for y in words:
        c, alpha = context(attention, source, hidden[-1])
        x = y
        for number, layer in enumerate(layers):
            hidden[number], cells[number] = layer.step(x, hidden[number], cells[number])
            x = hidden[number]
        outputs.append(torch.tanh(w_d @ torch.cat([x, c])))
        weights.append(alpha)
    return torch.stack(outputs), torch.stack(weights)
