"""ON-LSTM as the paper writes it, one sequence, one position, one chunk at a time, in float64."""

from __future__ import annotations

import torch
from torch import Tensor


def cumax(logits: Tensor) -> Tensor:
    """Cumulative sum of the softmax, (chunks,)."""
    shares = torch.exp(logits) / torch.exp(logits).sum()
    return torch.stack([shares[: k + 1].sum() for k in range(len(shares))])


def on_lstm(
    x: Tensor,
    input_weight: Tensor,
    input_bias: Tensor,
    recurrent_weight: Tensor,
    recurrent_bias: Tensor,
    chunk_size: int,
) -> Tensor:
    """One sequence x (T, D) to hidden states (T, H); rows in the published code's order."""
    hidden_size = recurrent_weight.shape[1]
    chunks = hidden_size // chunk_size
    sizes = [chunks, chunks, hidden_size, hidden_size, hidden_size, hidden_size]
    h = torch.zeros(hidden_size, dtype=x.dtype)
    c = torch.zeros(hidden_size, dtype=x.dtype)
    states = []
    for x_t in x:
        logits = input_weight @ x_t + input_bias + recurrent_weight @ h + recurrent_bias
        master_input, master_forget, output, cell, input_, forget = logits.split(sizes)
        units = []
        for unit in range(hidden_size):
            chunk = unit // chunk_size
            f_master = cumax(master_forget)[chunk]
            i_master = 1 - cumax(master_input)[chunk]
            overlap = f_master * i_master
            f_hat = torch.sigmoid(forget[unit]) * overlap + (f_master - overlap)
            i_hat = torch.sigmoid(input_[unit]) * overlap + (i_master - overlap)
            units.append(f_hat * c[unit] + i_hat * torch.tanh(cell[unit]))
        c = torch.stack(units)
        h = torch.sigmoid(output) * torch.tanh(c)
        states.append(h)
    return torch.stack(states)
