"""What sections are made of: text, tables, charts, and groups of them; and numbers for people."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from markupsafe import Markup, escape

from pipeline.base.charts import Spec, chart, panel, svg
from pipeline.base.tables import Row
from pipeline.report_page.inputs import Report

LONGEST_SUMMARY = 140
"""Characters of a sentence where it only stands for itself."""
_NAME_PARTS = re.compile(r"[^_./]*[_./]|[^_./]+")


class Number(str):
    """A formatted number: it stands at the right of its column."""


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


def html(template: str, *values: object) -> Markup:
    """Markup with values filled in, each escaped unless it is markup."""
    return Markup(template).format(*values)


def join(parts: Iterable[Markup], between: str = "") -> Markup:
    """Pieces of markup, one after the other."""
    return Markup(between).join(parts)


def listed(style: str, items: Iterable[Markup]) -> Markup:
    """A list of the class `style`."""
    return html('<ul class="{}">{}</ul>', style, join(html("<li>{}</li>", i) for i in items))


def files(*sources: Report | Path | None) -> Files:
    """Those of the files that were given."""
    given = [source for source in sources if source is not None]
    return Files([source.path if isinstance(source, Report) else source for source in given])


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


def foreign(text: str, language: str) -> Markup:
    """Text of a language."""
    return html('<span lang="{}" dir="auto">{}</span>', language, text)


def swatch(style: int) -> Markup:
    """The colour and dash of a system."""
    return html(
        '<svg class="swatch s{} d{}" viewBox="0 0 26 8" width="26" height="8" aria-hidden="true">'
        '<path d="M1 4H25"/></svg>',
        style % 8,
        (style + style // 8) % 4,
    )


def named(name: str, style: int | None) -> Markup:
    """A system's name, with its colour where several are compared."""
    mark = "" if style is None else swatch(style) + " "
    return html('{}<span dir="auto">{}</span>', mark, breakable(name))


def bar(share: float) -> Markup:
    """A share as a bar, as wide as its cell for all."""
    return html('<span class="bar" style="width:{:.1f}%"></span>', 100 * share)


def plain(value: float | None) -> Number:
    """A number as people write it: `10,000`, `0.5`; nothing for none."""
    if value is None:
        return Number("")
    return Number(f"{value:,.0f}" if value == int(value) else f"{value:,.4g}")


def fixed(value: float | None, digits: int = 2) -> Number:
    """A number with so many decimal places; nothing for none."""
    return Number("" if value is None else f"{value:,.{digits}f}")


def percent(share: float) -> Number:
    """A share of 1 in per cent."""
    return Number(f"{100 * share:.1f}%")


def signed(value: float | None) -> Number:
    """A difference, with its sign: minus, not hyphen; nothing for none."""
    return Number("" if value is None else f"{value:+.2f}".replace("-", "−"))


def counted(number: int, noun: str) -> str:
    """A number of things: `1 value`, `2 values`."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def p_value(value: float | None) -> Number:
    """A probability; sacreBLEU's smallest is one over the resamples."""
    return Number("" if value is None else f"{value:.3f}" if value >= 0.001 else "< 0.001")


def interval(
    low: float | None, high: float | None, shown: Callable[[float], str] = fixed
) -> Number:
    """The ends of an interval, if there is one."""
    return Number("" if low is None or high is None else f"{shown(low)} to {shown(high)}")


def duration(seconds: float) -> Number:
    """`2 h 5 min`, `5 min 3 s` or `4.2 s`."""
    minutes, rest = divmod(round(seconds), 60)
    if minutes >= 60:
        return Number(f"{minutes // 60} h {minutes % 60} min")
    return Number(f"{minutes} min {rest} s" if minutes else f"{seconds:.1f} s")


def shortened(text: str) -> str:
    """Text of a summary's length."""
    return text if len(text) <= LONGEST_SUMMARY else f"{text[: LONGEST_SUMMARY - 1]}…"


def breakable(name: str) -> Markup:
    """A name that may be broken after its points and underscores."""
    return join(map(escape, _NAME_PARTS.findall(name)), "<wbr>")


def with_legend(spec: Spec, *channels: str) -> Spec:
    """The legend of a chart whose series are no systems."""
    for channel in channels:
        legend = {"orient": "bottom", "title": None, "disable": False}
        spec["encoding"][channel]["legend"] = legend
    return spec


def sentence_summary(index: int, words: Sequence[str], language: str) -> Markup:
    """What a drawn sentence is folded to."""
    sentence = foreign(shortened(" ".join(words)), language)
    return html('<span class="muted">Sentence {}</span> {}', index, sentence)
