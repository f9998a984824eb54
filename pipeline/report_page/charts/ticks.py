"""Round numbers along an axis."""

from __future__ import annotations

import math

STEPS = (1, 2, 5, 10)
LARGEST = 1e100
"""What is larger has no place on an axis: the distance of two such may be infinite."""
SMALLEST = 1 / LARGEST
"""Of a range, or of what has a logarithm: parts of what is smaller may be zero."""

Range = tuple[float, float]
"""The least and the greatest of the values that there can be."""
ANY: Range = (-math.inf, math.inf)
PERCENT: Range = (0.0, 100.0)


def ticks(low: float, high: float, count: int = 5, *, within: Range = ANY) -> list[float]:
    """About `count` multiples of 1, 2 or 5 times a power of ten, the first and last just outside.

    A range of one value, or of values that are as good as one, is widened to have some. No tick is
    beyond `within`, an end of which that is finite is 0 or a power of ten: whatever the step, a
    tick falls on it.
    """
    low, high = (min(max(value, within[0]), within[1]) for value in (low, high))
    largest = max(abs(low), abs(high))
    if high - low <= max(1e-12 * largest, SMALLEST):
        half = largest / 2 if largest > SMALLEST else 0.5
        low, high = low - half, high + half
    rough = (high - low) / max(count - 1, 1)
    exponent = math.floor(math.log10(rough))
    power = 10.0**exponent
    step = next(factor * power for factor in STEPS if factor * power >= rough * (1 - 1e-9))
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    digits = max(12, 2 - exponent)
    marks = [round(number * step, digits) for number in range(first, last + 1)]
    return [mark for mark in marks if within[0] <= mark <= within[1]]


def log_ticks(low: float, high: float) -> list[float]:
    """Powers of ten from `low` to `high`; with few of them, 2 and 5 times them too."""
    assert 0 < low <= high
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
    factors = (1,) if last - first > 2 else (1, 2, 5)
    marks = [factor * 10.0**power for power in range(first, last + 1) for factor in factors]
    below = max((mark for mark in marks if mark <= low), default=marks[0])
    above = min((mark for mark in marks if mark >= high), default=marks[-1])
    return [mark for mark in marks if below <= mark <= above]


def label(value: float) -> str:
    """A tick as text: `0.25`, `−1,500`, `20k`, `5M`."""
    return _label(value).replace("-", "−")


def _label(value: float) -> str:
    for size, letter in ((1e9, "G"), (1e6, "M"), (1e4, "k")):
        if abs(value) >= size:
            unit = 1e3 if letter == "k" else size
            return f"{value / unit:,.4g}{letter}"
    if value and abs(value) < 1e-3:
        return f"{value:.0e}".replace("e-0", "e-")
    return f"{value:,.4g}" if abs(value) < 1000 else f"{value:,.0f}"
