"""Which n-grams systems get right: by size, source length, category, as `phrasal_patterns` says."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from mgsa.base.errors import InputError
from pipeline.patterns.selection import FEWEST, MEASURES, drawn_categories, drawn_lengths
from pipeline.report_page.charts.bars import axis
from pipeline.report_page.charts.line_chart import LineChart, Point, line_chart
from pipeline.report_page.charts.ticks import ANY, LARGEST, PERCENT
from pipeline.report_page.inputs import Inputs
from pipeline.report_page.numbers import read_count, read_number, read_table
from pipeline.report_page.section import Context

if TYPE_CHECKING:
    from pipeline.base.tables import Row


class Table(NamedTuple):
    """The columns of a table that say which cell a row is about: text, and whole numbers."""

    texts: tuple[str, ...]
    counts: tuple[str, ...] = ()


TABLES = {
    "ngrams": Table(("measure",), ("n",)),
    "lengths": Table(("measure", "source_words"), ("n", "sentences")),
    "categories": Table(("n", "category")),
}
"""The tables of the stage; without a source there is the first one alone."""

SCORE = ("score", "score_low", "score_high")
DIFFERENCE = ("difference", "difference_low", "difference_high", "p_value")


def context(inputs: Inputs) -> Context | None:
    folder = inputs.path("patterns")
    if folder is None:
        return None
    paths = {name: folder / f"{name}.csv" for name in TABLES}
    rows = {
        name: read_rows(path, TABLES[name])
        for name, path in paths.items()
        if name == "ngrams" or path.is_file()
    }
    baseline = rows["ngrams"][0].get("baseline")
    systems = list(dict.fromkeys(row["system"] for row in rows["ngrams"]))
    for name, table in rows.items():
        if {(row["system"], row.get("baseline")) for row in table} != {
            (system, baseline) for system in systems
        }:
            message = f"expected the systems and the baseline of {paths['ngrams']}"
            raise InputError(message, path=paths[name])
    styles = _styles(systems, inputs)
    lengths = rows.get("lengths", [])
    return {
        "systems": systems,
        "styles": styles,
        "baseline": baseline,
        "drawn": [system for system in systems if system != baseline],
        "sizes": _sizes(rows["ngrams"], baseline, styles),
        "lengths": _lengths(lengths, baseline, styles) if lengths else [],
        "categories": _categories(rows["categories"], baseline) if "categories" in rows else [],
        "sentences": sum({row["source_words"]: row["sentences"] for row in lengths}.values()),
        "fewest": FEWEST,
        "paths": [paths[name] for name in rows],
    }


def read_rows(path: Path, table: Table) -> list[Row]:
    """The rows of a table as the stage had them: text, numbers, `None` where there is no number.

    Raises:
        InputError: it is missing or malformed, or has no rows.
    """
    columns = ("system", *table.texts, *table.counts, "ngrams", *SCORE)
    first = next(read_table(path, columns), None)
    if first is None:
        raise InputError("expected rows below the header", path=path)
    if "baseline" in first[1]:
        columns = (*columns, "baseline", *DIFFERENCE)
    texts = {"system", "baseline", *table.texts}
    return [
        {
            column: row[column]
            if column in texts
            else _number(row, column, table, path=path, line=line)
            for column in columns
        }
        for line, row in read_table(path, columns)
    ]


def _number(
    row: Mapping[str, str], column: str, table: Table, *, path: Path, line: int
) -> float | None:
    if column in table.counts:
        return read_count(row, column, path=path, line=line)
    text = row[column]
    # Where no resample has anything of a cell, there is no interval.
    if not text and column.endswith(("_low", "_high")):
        return None
    number = read_number(text, path=path, line=line)
    if not abs(number) <= LARGEST:
        raise InputError(f"{column}: expected a number, found {text!r}", path=path, line=line)
    return number


def _styles(systems: Sequence[str], inputs: Inputs) -> dict[str, int]:
    """Of each system the style that it has in other sections, where these have all of them."""
    known = {system.name: number for number, system in enumerate(inputs.systems)}
    if known.keys() >= set(systems):
        return {system: known[system] for system in systems}
    return {system: number for number, system in enumerate(systems)}


def _sizes(rows: Sequence[Row], baseline: str | None, styles: Mapping[str, int]) -> list[LineChart]:
    """Each measure by n: scores and, where there is a baseline, how far they are above it."""
    return [
        chart
        for to in ([None] if baseline is None else [None, baseline])
        for measure, title in MEASURES.items()
        if (of_measure := [row for row in rows if row["measure"] == measure])
        and (chart := _chart(title, of_measure, to, styles, place="n", x_name="n"))
    ]


def _lengths(
    rows: Sequence[Row], baseline: str | None, styles: Mapping[str, int]
) -> list[LineChart]:
    """BLEU restricted to some n by source length."""
    return [
        chart
        for title, some in drawn_lengths(rows).items()
        if (
            chart := _chart(
                title, some, baseline, styles, place="source_words", x_name="source words"
            )
        )
    ]


def _chart(
    title: str,
    rows: Sequence[Row],
    baseline: str | None,
    styles: Mapping[str, int],
    *,
    place: str,
    x_name: str,
) -> LineChart | None:
    """A curve for each system, of its scores; given a baseline, of its differences to that.

    Args:
        place: the column that says where a point is.
    """
    names = [str(name) for name in dict.fromkeys(row[place] for row in rows)]
    curves: dict[str, list[Point]] = {}
    for row in rows:
        if row["system"] != baseline:
            numbers = (row[column] for column in (SCORE if baseline is None else DIFFERENCE))
            point = Point(names.index(str(row[place])), *numbers)
            curves.setdefault(row["system"], []).append(point)
    return line_chart(
        title if baseline is None else f"{title}, above {baseline}",
        curves,
        x_name=x_name,
        y_name="per cent",
        styles=styles,
        x_names=[name.replace("-", "–") for name in names],
        signed=baseline is not None,
        within=PERCENT if baseline is None else ANY,
    )


def _categories(rows: Sequence[Row], baseline: str | None) -> list[dict[str, Any]]:
    """Recall by category, a table for each size of n-grams, on an axis of its own.

    Drawn are scores or, given a baseline, differences to it, each system's below the other's.
    """
    columns = SCORE if baseline is None else DIFFERENCE[:3]
    tables = []
    for title, of_size in drawn_categories(rows).items():
        drawn = [row for row in of_size if row["system"] != baseline]
        ends = [row[column] for row in drawn for column in columns if row[column] is not None]
        scale = axis(ends, PERCENT) if baseline is None else axis([*ends, 0.0])
        categories: dict[str, list[Any]] = {}
        for row in drawn:
            place = scale.interval(*(row[column] for column in columns))
            categories.setdefault(row["category"], []).append((row, place))
        tables.append(
            {
                "title": title,
                "axis": scale,
                "zero": None if baseline is None else scale.place(0.0),
                "categories": categories,
                "rows": of_size,
            }
        )
    return tables
