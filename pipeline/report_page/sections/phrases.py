"""Phrases by length and by tag, as the stage `partition` counted them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from mgsa.base.errors import InputError
from pipeline.report_page.charts.line_chart import LineChart, line_chart
from pipeline.report_page.inputs import Inputs
from pipeline.report_page.numbers import Report, read_count, read_table
from pipeline.report_page.section import Context
from pipeline.report_page.tags import family

TAGS_SHOWN = 12
"""Of each level, the most frequent; the rest is one line."""


def context(inputs: Inputs) -> Context | None:
    report, folder = inputs.report("partition"), inputs.path("phrase-counts")
    if report is None and folder is None:
        return None
    return {
        "partitions": [] if report is None else _partitions(report),
        "report": report,
        "chart": None if folder is None else _lengths(folder / "phrase_lengths.csv"),
        "levels": [] if folder is None else _tags(folder / "tags.csv"),
        "paths": [path for path in (report and report.path, folder) if path is not None],
    }


def _partitions(report: Report) -> list[tuple[str, float, float]]:
    """Each partition's phrases a sentence and words a phrase."""
    prefix = "phrases_per_sentence_"
    names = [key.removeprefix(prefix) for key in report.content if key.startswith(prefix)]
    return [
        (
            _shown(name),
            report.number(f"{prefix}{name}"),
            report.number(f"words_per_phrase_{name}"),
        )
        for name in names
    ]


def _shown(name: str) -> str:
    kind, _, number = name.rpartition("_")
    return f"{number}-grams" if kind == "ngram" else f"syntactic, level {number}"


def _counts(path: Path, column: str) -> Iterator[tuple[int, int, int, dict[str, str]]]:
    """Line by line of a file of counts: its number, the level, how often, and all columns."""
    for line, row in read_table(path, ("level", column, "count")):
        level, count = (read_count(row, name, path=path, line=line) for name in ("level", "count"))
        if not count:
            raise InputError("count: expected at least 1", path=path, line=line)
        yield line, level, count, row


def _lengths(path: Path) -> LineChart | None:
    levels: dict[int, dict[int, int]] = defaultdict(dict)
    for line, level, count, row in _counts(path, "length"):
        levels[level][read_count(row, "length", path=path, line=line)] = count
    return line_chart(
        "Phrases by length",
        {
            f"level {level}": [(float(n), float(count)) for n, count in sorted(counts.items())]
            for level, counts in sorted(levels.items())
        },
        x_name="words",
        y_name="phrases",
        scale="log",
        digits=0,
    )


def _tags(path: Path) -> list[dict[str, object]]:
    """For each level its tags, the most frequent first, with their share of the phrases."""
    counted: dict[int, dict[str, int]] = defaultdict(dict)
    for _, level, count, row in _counts(path, "tag"):
        counted[level][row["tag"]] = count
    levels: list[dict[str, object]] = []
    for level, counts in sorted(counted.items()):
        total = sum(counts.values())
        ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
        rest = ordered[TAGS_SHOWN:]
        rows = [(tag, family(tag), count, count / total) for tag, count in ordered[:TAGS_SHOWN]]
        levels.append(
            {
                "level": level,
                "total": total,
                "rows": rows,
                "rest": (len(rest), sum(count for _, count in rest)),
                "largest": ordered[0][1] / total if ordered else 1,
            }
        )
    return levels
