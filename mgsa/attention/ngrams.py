"""The n-grams of a sequence: windows that end at each position, and which of them are whole."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional as F


def windows(x: Tensor, size: int, length: int) -> Tensor:
    """(…, S, C) to (…, `length`, size·C): the windows that end at each of the last positions.

    Zeros stand before the first position: a linear map of all S windows is a convolution of `size`
    taps, padded on the left.
    """
    x = x[..., -(length + size - 1) :, :]
    if size == 1:
        return x
    padded = F.pad(x, (0, 0, length + size - 1 - x.shape[-2], 0))
    return torch.cat([padded.narrow(-2, tap, length) for tap in range(size)], dim=-1)


def whole_windows(mask: Tensor | None, x: Tensor, size: int) -> Tensor:
    """Which windows are whole: they begin in the sentence and touch no padding.

    Args:
        mask: (B, 1, 1, S) which positions of x are no padding; `None`: all.
        x: (B, S, D).

    Returns:
        (B, 1, 1, S), or (1, 1, 1, S) without a mask.
    """
    length = x.shape[1]
    if mask is None:
        mask = torch.ones(1, 1, 1, length, dtype=torch.bool, device=x.device)
    if size == 1:
        return mask
    padded = F.pad(mask, (size - 1, 0))
    return torch.stack([padded.narrow(-1, tap, length) for tap in range(size)]).all(dim=0)
