"""torch's LSTM in the precision of its weights."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import PackedSequence


def run_lstm(
    lstm: nn.LSTM, x: Tensor | PackedSequence, states: tuple[Tensor, Tensor] | None = None
) -> Any:
    """`lstm(x, states)` without autocast.

    On a GPU autocast runs an LSTM in float16, whatever it was asked for; without loss scaling its
    gradients underflow.
    """
    dtype: torch.dtype = lstm.weight_hh_l0.dtype  # type: ignore[assignment]
    with torch.autocast(x.data.device.type, enabled=False):
        before = None if states is None else tuple(state.to(dtype) for state in states)
        return lstm(x.to(dtype), before)
