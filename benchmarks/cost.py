"""What the text stages would take for a corpus of another size, by measurements of others.

    python -m benchmarks.cost docs/scale.json --models docs/scale_models.json --words 116e6

Files are those of `benchmarks.scale`: of the generated corpus, and of one that models parsed and
aligned, from which these two stages are taken. A stage counts where its corpus was largest, and its
seconds grow with the words of the source side. On n cores it takes the n-th part of all processor
time, but never less than its own process takes, which reads, gives out and writes: no number of
workers shortens that. A stage without workers takes the same on any.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from benchmarks.scale import LOADER, WORKING, Measurement
from mgsa.cli.errors import InputError
from mgsa.cli.files import read_json
from mgsa.cli.run import run
from mgsa.cli.settings import from_mapping

MODELS = ("parse", "align")
"""Stages that are more than copying only where models do them."""


def largest_of_each_stage(file: Path) -> dict[str, Measurement]:
    """The measurement to go by, for each stage but the loader.

    Raises:
        InputError: the file is missing or malformed.
    """
    measured = from_mapping(list[Measurement], read_json(file), f"{file}: measurements")
    by_size = sorted(measured, key=lambda one: one.words)
    return {one.stage: one for one in by_size if not one.stage.startswith(LOADER)}


def estimate(measured: Measurement, words: float, cores: int) -> float:
    """Seconds of a stage for so many words."""
    total = measured.main_seconds + measured.worker_seconds
    shared = cores if measured.stage in WORKING else 1
    return max(measured.main_seconds, total / shared) * words / measured.words


def in_words(seconds: float) -> str:
    """Minutes or hours, with as many digits as mean something."""
    if seconds < 5400:
        return f"{seconds / 60:.1f} min"
    return f"{seconds / 3600:.1f} h"


def main(argv: Sequence[str] | None = None) -> None:
    """Print a table: a row a stage, a column a number of cores."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("measurements", type=Path, metavar="FILE")
    parser.add_argument("--models", type=Path, required=True, metavar="FILE")
    parser.add_argument("--words", type=float, required=True, help="of the source side")
    parser.add_argument("--cores", type=int, nargs="+", default=[1, 16, 128])
    arguments = parser.parse_args(argv)
    of_models = largest_of_each_stage(arguments.models)
    measured = largest_of_each_stage(arguments.measurements)
    for stage in MODELS:
        if stage not in of_models:
            raise InputError(f"expected a measurement of {stage}", path=arguments.models)
        measured[stage] = of_models[stage]
    print("| stage | measured with, words |", *(f"{cores} |" for cores in arguments.cores))
    print("| --- | ---: |", *("---: |" for _ in arguments.cores))
    totals = [0.0] * len(arguments.cores)
    for stage, one in measured.items():
        seconds = [estimate(one, arguments.words, cores) for cores in arguments.cores]
        totals = [total + more for total, more in zip(totals, seconds, strict=True)]
        print(f"| {stage} | {one.words:,} |", *(f"{in_words(each)} |" for each in seconds))
    print("| all | |", *(f"{in_words(total)} |" for total in totals))


if __name__ == "__main__":
    sys.exit(run(main))
