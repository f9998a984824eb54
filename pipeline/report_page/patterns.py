"""Which n-grams systems get right: by size, by source length, by syntactic category."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from markupsafe import Markup

from mgsa.base.errors import InputError
from pipeline.base.charts import panel
from pipeline.base.tables import Row
from pipeline.patterns.figures import pattern_chart
from pipeline.patterns.selection import FEWEST, MEASURES, drawn_categories, drawn_lengths
from pipeline.report_page.blocks import (
    Block,
    Details,
    Figure,
    Files,
    Group,
    Legend,
    Table,
    figure,
    fixed,
    html,
    interval,
    p_value,
    plain,
    series_table,
    signed,
)
from pipeline.report_page.files import read_count, read_number, read_table
from pipeline.report_page.inputs import Inputs

PATTERN_TABLES = {
    "ngrams": ("measure", "n"),
    "lengths": ("measure", "source_words", "n", "sentences"),
    "categories": ("n", "category"),
}
"""The tables of the stage `phrasal_patterns` with the columns that name a cell."""
_TEXTS = {"system", "baseline", "measure", "source_words", "category"}
_SCORE = ("score", "score_low", "score_high")
_DIFFERENCE = ("difference", "difference_low", "difference_high", "p_value")


def patterns(inputs: Inputs) -> Iterator[Block]:
    """Which n-grams systems get right: by size, by source length, by syntactic category."""
    folder = inputs.path("patterns")
    if folder is None:
        return
    paths = {name: folder / f"{name}.csv" for name in PATTERN_TABLES}
    tables = {
        name: read_patterns(path, PATTERN_TABLES[name])
        for name, path in paths.items()
        if name == "ngrams" or path.is_file()  # without a source there are no others
    }
    baseline = tables["ngrams"][0].get("baseline")
    systems = list(dict.fromkeys(row["system"] for row in tables["ngrams"]))
    for name, rows in tables.items():
        if {(row["system"], row.get("baseline")) for row in rows} != {
            (system, baseline) for system in systems
        }:
            message = f"expected the systems and the baseline of {paths['ngrams']}"
            raise InputError(message, path=paths[name])
    styles = inputs.styles
    if not styles.keys() >= set(systems):
        styles = {system: number for number, system in enumerate(systems)}
    lengths = tables.get("lengths", [])
    sizes = {row["source_words"]: row["sentences"] for row in lengths}
    yield html(
        "<p>The precision of n-grams as BLEU counts it, and BLEU restricted to n: all of its "
        "weight on one n, with the brevity penalty and no smoothing{}. Scores are in per cent; "
        "whiskers are 95% intervals of bootstrap resamples.{}</p>",
        f", of {plain(sum(sizes.values()))} sentences" if sizes else "",
        ""
        if baseline is None
        else f" Differences are points above {baseline}, with p-values of a two-sided paired "
        "bootstrap.",
    )
    yield Legend({system: styles[system] for system in systems})
    charts = [
        _pattern(title, "ngrams", some, to, styles)
        for to in dict.fromkeys((None, baseline))
        for measure, title in MEASURES.items()
        if (some := [row for row in tables["ngrams"] if row["measure"] == measure])
    ]
    yield Group(charts, "charts")
    if lengths:
        yield Markup("<h3>By source length</h3>")
        few = FEWEST["sentences"]
        yield html(
            "<p>The same for sentences of like lengths; lengths that fewer than {} sentences have "
            "are not drawn.</p>",
            few,
        )
        yield Group(
            [
                _pattern(title, "lengths", some, baseline, styles)
                for title, some in drawn_lengths(lengths).items()
            ],
            "charts",
        )
    if "categories" in tables:
        yield from _categories(tables["categories"], baseline, styles)
    yield Files([paths[name] for name in tables])


def read_patterns(path: Path, cell: Sequence[str]) -> list[Row]:
    """The rows of a table: text, numbers, `None` where there is no number.

    Raises:
        InputError: it is missing or malformed, or has no rows.
    """
    columns = ("system", *cell, "ngrams", *_SCORE)
    table = read_table(path, columns)
    rows = []
    for line, row in table:
        names = (*columns, "baseline", *_DIFFERENCE) if "baseline" in row else columns
        for name in names:
            if name not in row:
                raise InputError(f"expected a column {name}", path=path, line=1)
        values: Row = {}
        for name in names:
            if name in _TEXTS or (name == "n" and "category" in cell):
                values[name] = row[name]
            elif name in cell:
                values[name] = read_count(row, name, path=path, line=line)
            elif not row[name] and name.endswith(("_low", "_high")):
                values[name] = None  # no resample has anything of this cell
            else:
                values[name] = read_number(row, name, path=path, line=line)
        rows.append(values)
    if not rows:
        raise InputError("expected rows below the header", path=path)
    return rows


def _pattern(
    title: str, table: str, rows: Sequence[Row], baseline: str | None, styles: Mapping[str, int]
) -> Figure:
    """A panel of scores or, given a baseline, of differences to it."""
    place, x_name = ("n", "n") if table == "ngrams" else ("source_words", "source words")
    drawn = [row for row in rows if row["system"] != baseline]
    if baseline is not None:
        title = f"{title}, above {baseline}"
    numbers = series_table(
        title, drawn, place, "system", lambda row: _with_interval(row, baseline), x_name=x_name
    )
    return figure(title, panel(pattern_chart(table, rows, baseline, styles)), numbers)


def _with_interval(row: Row, baseline: str | None) -> Markup:
    score, low, high = _SCORE if baseline is None else _DIFFERENCE[:3]
    shown = fixed if baseline is None else signed
    ends = interval(row[low], row[high], shown)
    test = "" if baseline is None else f", p {p_value(row['p_value'])}"
    rest = html(' <span class="muted">({}{})</span>', ends, test) if ends else ""
    return html("{}{}", shown(row[score]), rest)


def _categories(
    rows: Sequence[Row], baseline: str | None, styles: Mapping[str, int]
) -> Iterator[Block]:
    """Recall by category, a chart for each size of n-grams."""
    yield Markup("<h3>By syntactic category</h3>")
    yield html(
        "<p>Which share of the references’ n-grams the translations have, by the label of the "
        "smallest constituent of the source over the words that an n-gram is aligned to; whole "
        "phrases are what constituents were translated to. Drawn are the most frequent categories "
        "with at least {} n-grams.{}</p>",
        FEWEST["ngrams"],
        "" if baseline is None else " Of many, some differ by chance.",
    )
    above = "" if baseline is None else html(' <span class="muted">above {}</span>', baseline)
    for number, (title, some) in enumerate(drawn_categories(rows).items()):
        title = title.capitalize()
        columns = ["category", "n-grams", "system", "recall"]
        columns += [] if baseline is None else ["difference"]
        cells = [
            [row["category"], plain(row["ngrams"]), row["system"], _with_interval(row, None)]
            + ([] if baseline is None else [_difference(row, baseline)])
            for row in some
        ]
        spec = panel(pattern_chart("categories", some, baseline, styles), width=420, height=None)
        drawing = figure(title, spec, Table(title, columns, cells))
        yield Details(html("{}{}", title, above), [drawing], number == 0, "drawing")


def _difference(row: Row, baseline: str) -> str:
    return "" if row["system"] == baseline else _with_interval(row, baseline)
