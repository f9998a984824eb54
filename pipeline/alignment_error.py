"""Alignment error rate, precision and recall of a file of links against gold links."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from mgsa.analysis.alignment_error import AlignmentCounts, GoldLinks, count
from mgsa.base.cli import run
from mgsa.base.io import write_json
from pipeline.base.stage import check_no_input
from pipeline.base.text import read_parallel
from pipeline.links import Notation, read_gold_links, read_links


def count_files(
    alignments: Path, gold: Path, *, notation: Notation, gold_notation: Notation
) -> AlignmentCounts:
    """The counts of all sentence pairs.

    Args:
        alignments: links, a line for each pair, written in `notation`.
        gold: gold links, a line for each pair, written in `gold_notation`.

    Raises:
        InputError: a line is malformed, or the files differ in their numbers of lines.
    """
    total = AlignmentCounts()
    for line, (found, right) in enumerate(read_parallel([alignments, gold]), start=1):
        links = set(read_links(found, notation, path=alignments, line=line))
        sure, possible = read_gold_links(right, gold_notation, path=gold, line=line)
        total += count(links, GoldLinks.of(sure, possible))
    return total


def percentages(counts: AlignmentCounts) -> dict[str, float]:
    """Precision, recall and AER in per cent."""
    return {
        "precision": round(100 * counts.precision, 2),
        "recall": round(100 * counts.recall, 2),
        "aer": round(100 * counts.error_rate, 2),
    }


def describe(counts: AlignmentCounts) -> str:
    """All in one line, for people."""
    shown = percentages(counts)
    return (
        f"AER {shown['aer']:.2f}, precision {shown['precision']:.2f}, recall {shown['recall']:.2f} "
        f"({counts.predicted:,} links, {counts.predicted_possible:,} of them possible; "
        f"{counts.predicted_sure:,} of {counts.sure:,} sure links found)"
    )


def main(argv: Sequence[str] | None = None) -> None:
    """Score a file of links."""
    parser = argparse.ArgumentParser(
        prog="python -m pipeline.alignment_error",
        description="Precision, recall and alignment error rate of word links against gold links.",
    )
    parser.add_argument(
        "--alignments",
        type=Path,
        required=True,
        metavar="FILE",
        help="links, 0-0 1-2, a line for each pair of sentences",
    )
    parser.add_argument(
        "--gold",
        type=Path,
        required=True,
        metavar="FILE",
        help="gold links, a line for each of the same pairs: 3-4 is sure, 3p4 possible",
    )
    for prefix, links in (("", "the links"), ("gold-", "the gold links")):
        parser.add_argument(
            f"--{prefix}first-index",
            type=int,
            choices=[0, 1],
            default=0,
            help=f"the number of a sentence's first word in {links} (default: 0)",
        )
        parser.add_argument(
            f"--{prefix}target-first", action="store_true", help=f"{links} are target-source"
        )
    parser.add_argument("--report", type=Path, metavar="FILE", help="the figures, as JSON")
    arguments = parser.parse_args(argv)
    check_no_input(arguments.report, [arguments.alignments, arguments.gold])
    counts = count_files(
        arguments.alignments,
        arguments.gold,
        notation=Notation(arguments.first_index, arguments.target_first),
        gold_notation=Notation(arguments.gold_first_index, arguments.gold_target_first),
    )
    if arguments.report:
        write_json(arguments.report, {**percentages(counts), **vars(counts)})
    print(describe(counts))


if __name__ == "__main__":
    sys.exit(run(main))
