"""The learning rate of an update: linear warm-up, then the inverse square root or no change."""

from __future__ import annotations

import math
from typing import Literal


def learning_rate(
    update: int, *, peak: float, warmup: int, decay: Literal["inverse_sqrt", "none"]
) -> float:
    """Rises linearly to `peak` at update `warmup`, then falls with 1 / sqrt(update), or stays.

    The former is Vaswani et al. 2017, equation 3, written by its highest value: their
    `factor · d^-0.5 · min(update^-0.5, update · warmup^-1.5)` is this with
    `peak = factor / sqrt(d · warmup)`. For d = 512, warmup = 4000 and factor 1 that is 0.0007.

    Args:
        update: the update about to be made, counted from 1.
        warmup: 1 is none at all: the first update is made at the peak.
    """
    after = math.sqrt(warmup / update) if decay == "inverse_sqrt" else 1.0
    return peak * min(update / warmup, after)
