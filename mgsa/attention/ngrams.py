"""The n-grams of a sequence: windows that end at each position, and which of them are whole."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional as F


def windows(x: Tensor, size: int, *, last: bool = False) -> Tensor:
    """(…, S, C) to (…, S, size·C): at t, positions t − size + 1 to t; zeros before the first.

    A linear map of them is a convolution of `size` taps, padded on the left. Given `last`, only the
    window of the last position is made, (…, 1, size·C).
    """
    if last:
        x = x[..., -size:, :]
    if size == 1:
        return x
    length = 1 if last else x.shape[-2]
    padded = F.pad(x, (0, 0, size - 1 + length - x.shape[-2], 0))
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
