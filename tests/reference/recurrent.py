"""RNN NMT as the papers write it: for one sentence, its target one word at a time, in float64.

Mino et al. 2017 for attention and output layer; the LSTMs are torch's.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import torch
from torch import Tensor

from mgsa.attention.key_value import KeyHalves, KeyValueHalves, WholeStates
from mgsa.model.recurrent import BidirectionalLSTM, RecurrentDecoder


def encode(layers: Sequence[BidirectionalLSTM], words: Tensor) -> tuple[Tensor, Tensor]:
    """(S, D) to the topmost states h→ and h← of each word, (S, D) each."""
    x = words
    for layer in layers:
        forwards, backwards = layer.forwards(x)[0], layer.backwards(x.flip(0))[0].flip(0)
        x = torch.cat([forwards, backwards], dim=1)
    return forwards, backwards


def halves(state: Tensor) -> tuple[Tensor, Tensor]:
    """The key half and the value half of a state."""
    middle = len(state) // 2
    return state[:middle], state[middle:]


def laid_out(forwards: Tensor, backwards: Tensor) -> Tensor:
    """s_i = [k→_i ; k←_i ; v→_i ; v←_i]."""
    (k_right, v_right), (k_left, v_left) = halves(forwards), halves(backwards)
    return torch.cat([k_right, k_left, v_right, v_left])


Attention = Callable[[Tensor, Tensor, Tensor], tuple[Tensor, Tensor]]
"""(h→_i, h←_i, d_{j−1}) to the score of word i and what it adds to c_j."""


def attn(projection: WholeStates) -> Attention:
    """h_i · d_{j−1} and h_i = W_e s_i."""

    def attention(forwards: Tensor, backwards: Tensor, d: Tensor) -> tuple[Tensor, Tensor]:
        h = projection.state.weight @ laid_out(forwards, backwards)
        return torch.dot(h, d), h

    return attention


def modifying_iw(projection: KeyHalves) -> Attention:
    """(h_i ⊙ u) · d_{j−1} and h_i = W_e s_i."""

    def attention(forwards: Tensor, backwards: Tensor, d: Tensor) -> tuple[Tensor, Tensor]:
        h = projection.state.weight @ laid_out(forwards, backwards)
        key = range(len(h) // 2)
        u = torch.tensor([1.0 if row in key else 0.0 for row in range(len(h))], dtype=h.dtype)
        return torch.dot(h * u, d), h

    return attention


def key_value(projections: KeyValueHalves) -> Attention:
    """k_i · (the first half of d_{j−1}) and v_i."""
    w_f, w_g = projections.key.weight, projections.value.weight

    def attention(forwards: Tensor, backwards: Tensor, d: Tensor) -> tuple[Tensor, Tensor]:
        keys, values = halves(laid_out(forwards, backwards))
        return torch.dot(w_f @ keys, halves(d)[0]), w_g @ values

    return attention


def decode(
    decoder: RecurrentDecoder, attention: Attention, source: tuple[Tensor, Tensor], words: Tensor
) -> tuple[Tensor, Tensor]:
    """y_0 … y_{T−1} (T, D) to e_1 … e_T (T, D), and the weights (T, S)."""
    (forwards, backwards), w_s, w_d = source, decoder.initial, decoder.output.weight
    first = torch.tanh(w_s.weight @ laid_out(forwards[-1], backwards[0]) + w_s.bias)
    # The first hidden state of each layer, then each cell.
    hidden, cells = (list(states) for states in first.view(2, len(decoder.layers), -1))
    outputs, weights = [], []
    for word in words:
        found = [attention(*h_i, hidden[-1]) for h_i in zip(forwards, backwards, strict=True)]
        scores = torch.stack([torch.exp(score) for score, _ in found])
        alpha = scores / scores.sum()
        c = sum(share * value for share, (_, value) in zip(alpha, found, strict=True))
        x = word
        for number, layer in enumerate(decoder.layers):
            before = hidden[number][None], cells[number][None]
            _, after = layer(x[None], before)
            hidden[number], cells[number] = (state[0] for state in after)
            x = hidden[number]
        outputs.append(torch.tanh(w_d @ torch.cat([x, c])))
        weights.append(alpha)
    return torch.stack(outputs), torch.stack(weights)
