"""The learning rate of an update: linear warm-up, then the inverse square root."""

from __future__ import annotations

import math


def learning_rate(update: int, *, peak: float, warmup: int) -> float:
    """Rises linearly to `peak` at update `warmup`, then falls with 1 / sqrt(update).

    Vaswani et al. 2017, equation 3, written by its highest value: their
    `factor · d^-0.5 · min(update^-0.5, update · warmup^-1.5)` is this with
    `peak = factor / sqrt(d · warmup)`. For d = 512, warmup = 4000 and factor 1 that is 0.0007.

    Args:
        update: the update about to be made, counted from 1.
    """
    return peak * min(update / warmup, math.sqrt(warmup / update))
