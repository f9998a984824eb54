"""Types of options for argparse: numbers of things, and amounts of them."""

from __future__ import annotations

import argparse
import math


def count(text: str) -> int:
    """A whole number, at least 1.

    Raises:
        argparse.ArgumentTypeError: it is something else.
    """
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"expected a whole number at least 1, got {text!r}")
    return int(text)


def amount(text: str) -> float:
    """A number greater than 0, such as `116e6`.

    Raises:
        argparse.ArgumentTypeError: it is something else.
    """
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not 0 < number < math.inf:
        raise argparse.ArgumentTypeError(f"expected a number greater than 0, got {text!r}")
    return number
