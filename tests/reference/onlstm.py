"""ON-LSTM as the paper writes it, one sequence, one position, one chunk at a time, in float64."""

from __future__ import annotations

import torch
from torch import Tensor


def cumax(logits: Tensor, chunk: int) -> Tensor:
    """The cumulative sum of the softmax up to a chunk."""
    shares = torch.exp(logits) / torch.exp(logits).sum()
    return shares[: chunk + 1].sum()


def on_lstm(
    x: Tensor,
    input_weight: Tensor,
    input_bias: Tensor,
    recurrent_weight: Tensor,
    recurrent_bias: Tensor,
    chunk_size: int,
) -> Tensor:
    """One sequence x (T, D) to hidden states (T, H); rows in the published code's order."""
    H = recurrent_weight.shape[1]
    h = c = torch.zeros(H, dtype=x.dtype)
    states = []
    for x_t in x:
        logits = input_weight @ x_t + input_bias + recurrent_weight @ h + recurrent_bias
        master_input, master_forget, *gates = logits.split([H // chunk_size] * 2 + [H] * 4)
        output, cell, input_, forget = gates
        units = []
        for unit in range(H):
            f_master = cumax(master_forget, unit // chunk_size)
            i_master = 1 - cumax(master_input, unit // chunk_size)
            overlap = f_master * i_master
            f_hat = torch.sigmoid(forget[unit]) * overlap + (f_master - overlap)
            i_hat = torch.sigmoid(input_[unit]) * overlap + (i_master - overlap)
            units.append(f_hat * c[unit] + i_hat * torch.tanh(cell[unit]))
        c = torch.stack(units)
        h = torch.sigmoid(output) * torch.tanh(c)
        states.append(h)
    return torch.stack(states)
