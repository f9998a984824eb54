"""Options of benchmarks: the device and the file of figures, numbers of things, and amounts."""

from __future__ import annotations

import argparse
import math
from pathlib import Path


def device_parser(docstring: str | None) -> argparse.ArgumentParser:
    """A parser of --accelerator and --json, described by the first line of a module's docstring."""
    parser = argparse.ArgumentParser(description=(docstring or "").partition("\n")[0])
    parser.add_argument(
        "--accelerator", choices=["cpu", "gpu", "auto"], default="auto", help="(default: auto)"
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the figures here")
    return parser


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
