"""Alignment error rate, precision and recall of a file of links against gold links."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Literal

from mgsa.analysis.alignment_error import AlignmentCounts, GoldLinks, count
from mgsa.base.cli import run
from mgsa.base.command import Input, Option, Report
from mgsa.base.io import write_json
from pipeline.base.stage import stage
from pipeline.base.text import read_parallel
from pipeline.links import Notation, read_gold_links, read_links


def count_files(
    alignments: Path, gold: Path, *, notation: Notation, gold_notation: Notation
) -> AlignmentCounts:
    """The counts of all sentence pairs, a line each in both files."""
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


First = Literal["0", "1"]


def score_alignments(
    *,
    alignments: Annotated[Path, Input("links, 0-0 1-2, a line for each pair of sentences", "FILE")],
    gold: Annotated[
        Path,
        Input("gold links, a line for each of the same pairs: 3-4 is sure, 3p4 possible", "FILE"),
    ],
    first_index: Annotated[
        First, Option("number of a sentence's first word in the links (default: 0)")
    ] = "0",
    target_first: Annotated[bool, Option("the links are target-source")] = False,
    gold_first_index: Annotated[First, Option("likewise of the gold links (default: 0)")] = "0",
    gold_target_first: Annotated[bool, Option("the gold links are target-source")] = False,
    report: Annotated[Path | None, Report()] = None,
) -> None:
    """Precision, recall and alignment error rate of word links against gold links."""
    counts = count_files(
        alignments,
        gold,
        notation=Notation(int(first_index), target_first),
        gold_notation=Notation(int(gold_first_index), gold_target_first),
    )
    shown = percentages(counts)
    if report is not None:
        write_json(report, {**shown, **vars(counts)})
    print(
        f"AER {shown['aer']:.2f}, precision {shown['precision']:.2f}, recall {shown['recall']:.2f} "
        f"({counts.predicted:,} links, {counts.predicted_possible:,} of them possible; "
        f"{counts.predicted_sure:,} of {counts.sure:,} sure links found)"
    )


main = stage(score_alignments)

if __name__ == "__main__":
    sys.exit(run(main))
