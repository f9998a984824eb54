"""n-grams as windows that end at each position, and which of them are whole."""

import torch
from torch import Tensor
from torch.nn import functional as F


def windows(x: Tensor, size: int, length: int) -> Tensor:
    """(…, S, C) to (…, `length`, size·C): the windows that end at the last `length` positions.

    The sequence is padded with zeros on the left, so that a linear map of the windows is a causal
    convolution of `size` taps.
    """
    x = x[..., -(length + size - 1) :, :]
    if size == 1:
        return x
    padded = F.pad(x, (0, 0, length + size - 1 - x.shape[-2], 0))
    return torch.cat([padded.narrow(-2, tap, length) for tap in range(size)], dim=-1)


def whole_windows(mask: Tensor | None, x: Tensor, size: int) -> Tensor:
    """(B, 1, 1, S): which windows lie in the sentence and touch no padding.

    `mask` (B, 1, 1, S) marks the positions of x (B, S, D) without padding; without one the result
    is (1, 1, 1, S).
    """
    length = x.shape[1]
    if mask is None:
        mask = torch.ones(1, 1, 1, length, dtype=torch.bool, device=x.device)
    if size == 1:
        return mask
    padded = F.pad(mask, (size - 1, 0))
    return torch.stack([padded.narrow(-1, tap, length) for tap in range(size)]).all(dim=0)
