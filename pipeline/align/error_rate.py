"""Alignment error rate, precision and recall against gold links (Och & Ney 2003)."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Set
from dataclasses import astuple, dataclass
from pathlib import Path
from typing import Annotated, Literal

from mgsa.cli.command import Input, Option, Report
from mgsa.cli.errors import InputError
from mgsa.cli.outputs import write_report
from mgsa.cli.provenance import checked_digests
from mgsa.cli.run import run
from mgsa.data.word_links import Link
from pipeline.formats.link_files import evidence, link_lines, tell_contradictions
from pipeline.formats.links import Notation, read_gold_links, read_links
from pipeline.formats.text import read_parallel
from pipeline.stage.command import stage

MARGIN = 0.1
"""Gain in AER from which a file is taken to have its sides the other way round."""


@dataclass(frozen=True)
class AlignmentCounts:
    """Counts for one sentence pair, or their sums: |A|, |S|, |A ∩ S|, |A ∩ P|."""

    predicted: int = 0
    sure: int = 0
    predicted_sure: int = 0
    predicted_possible: int = 0

    def __add__(self, other: AlignmentCounts) -> AlignmentCounts:
        return AlignmentCounts(*map(sum, zip(astuple(self), astuple(other), strict=True)))

    @property
    def precision(self) -> float:
        """|A ∩ P| / |A|; 1 without links."""
        return self.predicted_possible / self.predicted if self.predicted else 1.0

    @property
    def recall(self) -> float:
        """|A ∩ S| / |S|; 1 without sure links."""
        return self.predicted_sure / self.sure if self.sure else 1.0

    @property
    def error_rate(self) -> float:
        """AER: 1 − (|A ∩ S| + |A ∩ P|) / (|A| + |S|); 0 without links."""
        links = self.predicted + self.sure
        return 1 - (self.predicted_sure + self.predicted_possible) / links if links else 0.0


def count(
    predicted: Set[Link], sure: Set[Link], possible: Set[Link] = frozenset()
) -> AlignmentCounts:
    """The counts of one sentence pair; sure gold links are possible too."""
    return AlignmentCounts(
        predicted=len(predicted),
        sure=len(sure),
        predicted_sure=len(predicted & sure),
        predicted_possible=len(predicted & (sure | possible)),
    )


def count_files(
    alignments: Path, gold: Path, *, notation: Notation, gold_notation: Notation
) -> AlignmentCounts:
    """The counts of all sentence pairs, a line each in both files."""
    total = swapped = AlignmentCounts()
    shown, gold_shown = Counter[str](), Counter[str]()
    pairs = sum(1 for _ in link_lines(gold, gold_notation))
    lines = [link_lines(alignments, notation, pairs=pairs), link_lines(gold, gold_notation)]
    for line, (found, right) in enumerate(read_parallel([alignments, gold], lines), start=1):
        links = set(read_links(found, notation, path=alignments, line=line))
        sure, possible = read_gold_links(right, gold_notation, path=gold, line=line)
        total += count(links, sure, possible)
        swapped += count({(j, i) for i, j in links}, sure, possible)
        shown.update(evidence(links))
        gold_shown.update(evidence(sure | possible))
    if not gold_shown["links"]:
        raise InputError("expected gold links, found none", path=gold)
    if notation.first == 0:
        tell_contradictions(alignments, shown, mend="give --first-index 1")
    if gold_notation.first == 0:
        tell_contradictions(gold, gold_shown, mend="give --gold-first-index 1")
    if swapped.error_rate < total.error_rate - MARGIN:
        message = f"AER is {swapped.error_rate:.2%} if one file has the target in front"
        print(f"{alignments}: {message} (--target-first, --gold-target-first)", file=sys.stderr)
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
    if alignments.samefile(gold):
        raise InputError("expected gold links apart from --alignments", path=gold)
    checked_digests([alignments.parent, gold.parent])
    counts = count_files(
        alignments,
        gold,
        notation=Notation(int(first_index), target_first),
        gold_notation=Notation(int(gold_first_index), gold_target_first),
    )
    shown = percentages(counts)
    if report is not None:
        write_report(report, {**shown, **vars(counts)})
    print(
        f"AER {shown['aer']:.2f}, precision {shown['precision']:.2f}, recall {shown['recall']:.2f} "
        f"({counts.predicted:,} links, {counts.predicted_possible:,} of them possible; "
        f"{counts.predicted_sure:,} of {counts.sure:,} sure links found)"
    )


main = stage(score_alignments)

if __name__ == "__main__":
    sys.exit(run(main))
