"""What sections are made of: text, tables, charts, and groups of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from markupsafe import Markup

from pipeline.base.charts import Spec, chart, panel, svg
from pipeline.base.tables import Row
from pipeline.report_page.inputs import Inputs, Report
from pipeline.report_page.markup import foreign, html, shortened
from pipeline.report_page.numbers import Number, plain


@dataclass(frozen=True)
class Table:
    """Rows below a caption; the first cell of each row is its name."""

    caption: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str | None]]
    style: str = ""
    kind = "table"

    @property
    def numeric(self) -> list[bool]:
        """Of each column, whether it has numbers."""
        columns = zip(*self.rows, strict=True) if self.rows else [()] * len(self.columns)
        return [any(isinstance(cell, Number) for cell in column) for column in columns]


@dataclass(frozen=True)
class Figure:
    """A chart as SVG, and its numbers as a table."""

    title: str
    svg: Markup
    table: Table | None = None
    kind = "figure"


@dataclass(frozen=True)
class Group:
    """Blocks beside each other; `style` is `beside`, `charts` or another class of the page."""

    blocks: Sequence[Block]
    style: str
    kind = "group"


@dataclass(frozen=True)
class Details:
    """Blocks that a summary unfolds."""

    summary: str
    blocks: Sequence[Block]
    opened: bool = False
    style: str = ""
    kind = "details"


@dataclass(frozen=True)
class Legend:
    """Systems by their style: buttons that single one out. None are shown of one system."""

    styles: Mapping[str, int]
    kind = "legend"


@dataclass(frozen=True)
class Files:
    """The files that a section shows."""

    paths: Sequence[Path]
    kind = "files"


@dataclass(frozen=True)
class Part:
    """A template of its own."""

    template: str
    context: Mapping[str, Any]
    kind = "part"


Block = Markup | Table | Figure | Group | Details | Legend | Files | Part


def files(*sources: Report | Path | None) -> Files:
    """Those of the files that were given."""
    given = [source for source in sources if source is not None]
    return Files([source.path if isinstance(source, Report) else source for source in given])


def drawn_sentence(
    inputs: Inputs, index: int, words: Sequence[str], blocks: Sequence[Block]
) -> Details:
    """What is drawn of a sentence, folded to its text but for the two in the middle."""
    sentence = foreign(shortened(" ".join(words)), inputs.languages["source"])
    summary = html('<span class="muted">Sentence {}</span> {}', index, sentence)
    is_opened = abs(inputs.drawn.index(index) - len(inputs.drawn) // 2 + 0.5) < 1
    return Details(summary, blocks, is_opened, "drawing")


def figure(title: str, spec: Spec, table: Table | None = None) -> Figure:
    """A chart, drawn."""
    return Figure(title, Markup(svg(spec)), table)


def line_figure(
    title: str,
    rows: Sequence[Row],
    x: str,
    y: str,
    cell: Callable[[float], str],
    *,
    x_name: str,
    y_name: str = "",
    scale: Mapping[str, Any] | None = None,
    styles: Mapping[str, int] | None = None,
) -> Figure:
    """A line for each `rev` of the rows, with a legend unless they are systems with `styles`."""
    spec = chart("curves", rows, x=x, y=y, x_label=x_name, y_label=y_name, styles=styles)
    y_axis = spec["encoding"]["y"]
    y_axis["scale"] |= scale or {}
    if y_axis["scale"].get("type") == "log":
        y_axis["axis"]["tickCount"] = 2  # powers of ten alone
    if styles is None:
        with_legend(spec, "color", "strokeDash")
    in_order = sorted(rows, key=lambda row: row[x])
    table = series_table(title, in_order, x, "rev", lambda row: cell(row[y]), x_name=x_name)
    return figure(title, panel(spec), table)


def series_table(
    title: str,
    rows: Sequence[Row],
    x: str,
    series: str,
    cell: Callable[[Row], str],
    *,
    x_name: str,
) -> Table:
    """A line for each value of `x`, a column for each of `series`."""
    columns = list(dict.fromkeys(row[series] for row in rows))
    cells: dict[Any, dict[str, str]] = {}
    for row in rows:
        cells.setdefault(row[x], {})[row[series]] = cell(row)
    lines = [
        [value if isinstance(value, str) else plain(value)]
        + [of_x.get(name, "") for name in columns]
        for value, of_x in cells.items()
    ]
    return Table(title, [x_name, *columns], lines)


def with_legend(spec: Spec, *channels: str) -> Spec:
    """The legend of a chart whose series are no systems."""
    for channel in channels:
        legend = {"orient": "bottom", "title": None, "disable": False}
        spec["encoding"][channel]["legend"] = legend
    return spec
