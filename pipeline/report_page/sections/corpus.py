"""The corpus: how large, how long its sentences are, and what cleaning dropped."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from mgsa.base.errors import InputError
from pipeline.base.stage import SIDES, SPLITS
from pipeline.base.text import read_parallel, read_sentences
from pipeline.report_page.charts.line_chart import LineChart, line_chart
from pipeline.report_page.inputs import Inputs
from pipeline.report_page.numbers import Report, read_count, read_table
from pipeline.report_page.section import Context
from pipeline.tokenize import REASONS

EXAMPLES = 3
"""Dropped pairs that are shown of each reason."""
LONGEST = 100
"""Words: longer sentences are counted with these in the chart."""

MEANINGS = {
    "empty": "a side has no token",
    "short": "a side is shorter than tokenize.min_tokens",
    "long": "a side is longer than tokenize.max_tokens",
    "ratio": "one side is more than tokenize.max_ratio times as long as the other",
    "token": "a token has more than 1,000 characters",
    "duplicate": "the pair came before",
}


class Dropped(NamedTuple):
    """A pair that cleaning dropped: the line of the corpus, and what stands there if known."""

    line: int
    source: str | None
    target: str | None


def context(inputs: Inputs) -> Context | None:
    report = inputs.report("tokenize")
    if report is None:
        return None
    splits = [split for split in SPLITS if f"{split}_pairs" in report]
    tokenized = inputs.path("tokenized")
    return {
        "name": _name(inputs),
        "languages": inputs.languages,
        "splits": [_split(report, split) for split in splits],
        "reasons": _reasons(report, inputs),
        "chart": None if tokenized is None else _lengths(tokenized, "train"),
        "dropped": report.number("train_pairs") - report.number("train_kept"),
        "paths": [path for path in (report.path, tokenized) if path is not None],
    }


def _name(inputs: Inputs) -> str | None:
    corpus = inputs.path("corpus")
    return None if corpus is None else Report.read(corpus / "corpus.json").text("name")


def _split(report: Report, split: str) -> dict[str, float | str]:
    kept = report.number(f"{split}_kept")
    row: dict[str, float | str] = {
        "name": split,
        "pairs": report.number(f"{split}_pairs"),
        "kept": kept,
    }
    for side in SIDES:
        tokens = report.number(f"{split}_{side}_tokens")
        row[f"{side}_tokens"] = tokens
        row[f"{side}_length"] = tokens / kept if kept else 0.0
    return row


def _reasons(report: Report, inputs: Inputs) -> list[dict[str, object]]:
    examples = _examples(inputs)
    return [
        {
            "name": reason,
            "meaning": MEANINGS[reason],
            "count": report.number(f"train_dropped_{reason}"),
            "examples": examples.get(reason, []),
        }
        for reason in REASONS
        if f"train_dropped_{reason}" in report
    ]


def _examples(inputs: Inputs) -> Mapping[str, list[Dropped]]:
    """The first dropped pairs of each reason."""
    tokenized, corpus = inputs.path("tokenized"), inputs.path("corpus")
    if tokenized is None:
        return {}
    path = tokenized / "dropped.tsv"
    lines: dict[str, list[int]] = {reason: [] for reason in REASONS}
    # Of a large corpus the file is large, but only its first lines are kept.
    columns = ("split", "line", "reason")
    for number, row in read_table(path, columns, delimiter="\t"):
        if row["reason"] not in lines:
            raise InputError(f"expected one of {', '.join(REASONS)}", path=path, line=number)
        dropped = read_count(row, "line", path=path, line=number)
        if row["split"] == "train" and len(lines[row["reason"]]) < EXAMPLES:
            lines[row["reason"]].append(dropped)
    wanted = sorted(line for some in lines.values() for line in some)
    pairs = {} if corpus is None or not wanted else _pairs(corpus, wanted)
    return {
        reason: [Dropped(line, *pairs.get(line, (None, None))) for line in some]
        for reason, some in lines.items()
    }


def _pairs(corpus: Path, wanted: list[int]) -> dict[int, tuple[str, str]]:
    """The raw pairs of these lines of the training split, in one pass."""
    rows = enumerate(read_parallel([corpus / f"train.{side}" for side in SIDES]), start=1)
    chosen = set(wanted)
    return {
        line: (source, target)
        for line, (source, target) in islice(rows, wanted[-1])
        if line in chosen
    }


def _lengths(tokenized: Path, split: str) -> LineChart | None:
    """How many sentences of each side have each length."""
    curves = {}
    for side in SIDES:
        counts: Counter[int] = Counter()
        for text in read_sentences(tokenized / f"{split}.{side}"):
            counts[min(text.count(" ") + 1, LONGEST)] += 1
        longest = max(counts)
        curves[side] = [(float(n), float(counts[n])) for n in range(1, longest + 1)]
    return line_chart(
        f"Sentence lengths of {split}",
        curves,
        x_name="tokens",
        y_name="sentences",
        from_zero=True,
        digits=0,
    )
