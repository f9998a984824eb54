"""The learning rate: linear warm-up, then one of three ways down, or none."""

from __future__ import annotations

import math
from typing import Literal

Decay = Literal["inverse_sqrt", "linear", "none"]


def learning_rate(
    update: int, *, peak: float, warmup: int, decay: Decay, left: float = 1.0
) -> float:
    """Linear up to `peak` at update `warmup`, then proportional to 1 / sqrt(update) or to `left`,
    the share of the run that is left, or constant.

    With `peak = factor / sqrt(d · warmup)` this is Vaswani et al. 2017, equation 3: 0.0007 for
    d = 512, warmup = 4000, factor 1. Updates are counted from 1, so `warmup` 1 is no warm-up.
    """
    after = {"inverse_sqrt": math.sqrt(warmup / update), "linear": left, "none": 1.0}[decay]
    return peak * min(update / warmup, after)
