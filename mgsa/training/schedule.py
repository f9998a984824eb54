"""The learning rate: linear warm-up, then inverse square root, straight to zero, or constant."""

import math

from mgsa.config import Decay


def learning_rate(update: int, *, peak: float, warmup: int, decay: Decay, last: int) -> float:
    """Linear up to `peak` at update `warmup`; then as `decay` says.

    That is proportional to 1 / sqrt(update), or linear down to zero at update `last`, or constant.
    With `peak = factor / sqrt(d · warmup)` and the root this is Vaswani et al. 2017, equation 3:
    0.0007 for d = 512, warmup = 4000, factor 1. Updates are counted from 1, so `warmup` 1 is no
    warm-up.
    """
    if update < warmup:
        return peak * update / warmup
    if decay == "inverse_sqrt":
        return peak * math.sqrt(warmup / update)
    if decay == "linear":
        return peak * max(last - update, 0) / max(last - warmup, 1)
    return peak
