"""Which n-grams systems get right: by size, by source length, by syntactic category."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from markupsafe import Markup

from mgsa.base.io import read_lines
from pipeline.base.charts import panel
from pipeline.base.tables import Columns, Row, read_csv
from pipeline.patterns.figures import (
    FEWEST,
    MEASURES,
    drawn_categories,
    drawn_lengths,
    pattern_chart,
)
from pipeline.report_page.blocks import (
    Block,
    Details,
    Figure,
    Files,
    Group,
    Legend,
    Table,
    figure,
    series_table,
)
from pipeline.report_page.inputs import Inputs
from pipeline.report_page.markup import html
from pipeline.report_page.numbers import fixed, interval, p_value, plain, signed


def optional(text: str) -> float | None:
    """An end of an interval: none where no resample has anything of a cell."""
    return float(text) if text else None


CELLS: dict[str, Columns] = {
    "ngrams": {"measure": str, "n": int},
    "lengths": {"measure": str, "source_words": str, "n": int, "sentences": int},
    "categories": {"n": str, "category": str},
}
"""The tables of the stage `phrasal_patterns` with the columns that name a cell."""
SCORE: Columns = {"score": float, "score_low": optional, "score_high": optional}
PAIRED: Columns = {
    "baseline": str,
    "difference": float,
    "difference_low": optional,
    "difference_high": optional,
    "p_value": float,
}
"""The columns that are there if a baseline is."""


def patterns(inputs: Inputs) -> Iterator[Block]:
    """Which n-grams systems get right: by size, by source length, by syntactic category."""
    folder = inputs.paths.get("patterns")
    if folder is None:
        return
    paths = {name: folder / f"{name}.csv" for name in CELLS}
    header = next(read_lines(paths["ngrams"]), "").split(",")
    paired: Columns = PAIRED if "baseline" in header else {}
    tables = {
        name: read_csv(path, {"system": str, **CELLS[name], "ngrams": float, **SCORE, **paired})
        for name, path in paths.items()
        if name == "ngrams" or path.is_file()  # without a source there are no others
    }
    baseline = tables["ngrams"][0].get("baseline")
    styles = inputs.styles
    systems = list(dict.fromkeys(row["system"] for row in tables["ngrams"]))
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
        yield html(
            "<p>The same for sentences of like lengths; lengths that fewer than {} sentences have "
            "are not drawn.</p>",
            FEWEST["sentences"],
        )
        by_length = drawn_lengths(lengths).items()
        yield Group([_pattern(t, "lengths", r, baseline, styles) for t, r in by_length], "charts")
    if "categories" in tables:
        yield from _categories(tables["categories"], baseline, styles)
    yield Files([paths[name] for name in tables])


def _pattern(
    title: str, table: str, rows: Sequence[Row], baseline: str | None, styles: Mapping[str, int]
) -> Figure:
    """A panel of scores or, given a baseline, of differences to it."""
    place, x_name = ("n", "n") if table == "ngrams" else ("source_words", "source words")
    drawn = [row for row in rows if row["system"] != baseline]
    if baseline is not None:
        title = f"{title}, above {baseline}"
    cell = _score if baseline is None else _difference
    numbers = series_table(title, drawn, place, "system", cell, x_name=x_name)
    return figure(title, panel(pattern_chart(table, rows, baseline, styles)), numbers)


def _score(row: Row) -> Markup:
    ends = interval(row["score_low"], row["score_high"])
    return html("{}{}", fixed(row["score"]), _muted(ends) if ends else "")


def _difference(row: Row) -> Markup:
    ends = interval(row["difference_low"], row["difference_high"], signed)
    test = f"{ends}, p {p_value(row['p_value'])}"
    return html("{}{}", signed(row["difference"]), _muted(test) if ends else "")


def _muted(text: str) -> Markup:
    return html(' <span class="muted">({})</span>', text)


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
    columns = ["category", "n-grams", "system", "recall", "difference"]
    for number, (title, some) in enumerate(drawn_categories(rows).items()):
        title = title.capitalize()
        cells = [
            [
                *(row["category"], plain(row["ngrams"]), row["system"], _score(row)),
                "" if row["system"] == baseline or baseline is None else _difference(row),
            ]
            for row in some
        ]
        kept = 4 if baseline is None else 5
        table = Table(title, columns[:kept], [row[:kept] for row in cells])
        spec = panel(pattern_chart("categories", some, baseline, styles), width=420, height=None)
        drawing = figure(title, spec, table)
        yield Details(html("{}{}", title, above), [drawing], number == 0, "drawing")
