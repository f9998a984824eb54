"""The learning rate: linear warm-up, then inverse square root or constant."""

from __future__ import annotations

import math
from typing import Literal


def learning_rate(
    update: int, *, peak: float, warmup: int, decay: Literal["inverse_sqrt", "none"]
) -> float:
    """Linear up to `peak` at update `warmup`, then proportional to 1 / sqrt(update), or constant.

    With `peak = factor / sqrt(d · warmup)` this is Vaswani et al. 2017, equation 3: 0.0007 for
    d = 512, warmup = 4000, factor 1. Updates are counted from 1, so `warmup` 1 is no warm-up.
    """
    after = math.sqrt(warmup / update) if decay == "inverse_sqrt" else 1.0
    return peak * min(update / warmup, after)
