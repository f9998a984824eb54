"""Options of benchmarks: the device and the file of figures."""

from __future__ import annotations

import argparse
from pathlib import Path


def device_parser(docstring: str | None) -> argparse.ArgumentParser:
    """A parser of --accelerator and --json, described by the first line of a module's docstring."""
    parser = argparse.ArgumentParser(description=(docstring or "").partition("\n")[0])
    parser.add_argument(
        "--accelerator", choices=["cpu", "gpu", "auto"], default="auto", help="(default: auto)"
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the figures here")
    return parser
