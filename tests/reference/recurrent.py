"""RNN NMT as the papers write it: for one sentence, its target one word at a time, in float64.

Mino et al. 2017 for attention and output layer; the LSTMs are torch's.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from mgsa.attention.key_value import KeyHalves, KeyValueHalves, WholeStates
from mgsa.model.recurrent import RecurrentDecoder, RecurrentEncoder


def encode(encoder: RecurrentEncoder, words: Tensor, layers: int = 2) -> tuple[Tensor, Tensor]:
    """(S, D) to the states h→ and h← of each word above so many layers, (S, D) each."""
    forwards, backwards = words, words.flip(0)
    for number in range(layers):
        forwards = encoder.forwards[number](forwards)[0]
        backwards = encoder.backwards[number](backwards)[0]
    return forwards, backwards.flip(0)


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


def joined(
    projections: WholeStates | KeyValueHalves, forwards: Tensor, backwards: Tensor
) -> Tensor:
    """h_i of equation 3, or of equation 10."""
    s = laid_out(forwards, backwards)
    if isinstance(projections, WholeStates):
        return projections.state.weight @ s
    keys, values = halves(s)
    return torch.cat([projections.key.weight @ keys, projections.value.weight @ values])


def decode(
    decoder: RecurrentDecoder, attention: Attention, source: tuple[Tensor, Tensor], words: Tensor
) -> tuple[Tensor, Tensor]:
    """y_0 … y_{T−1} (T, D) to e_1 … e_T (T, D), and the weights (T, S)."""
    (forwards, backwards), w_i, w_d = source, decoder.initial, decoder.output.weight
    projections: Any = decoder.attention.keys_and_values
    last = joined(projections, forwards[-1], backwards[-1])
    hidden = list((w_i.weight @ last + w_i.bias).view(len(decoder.layers), -1))
    cells = [torch.zeros_like(state) for state in hidden]
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
