"""What sections are made of: text, tables, charts, and groups of them; and numbers for people."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from markupsafe import Markup, escape

from pipeline.base.charts import Spec, svg
from pipeline.base.tables import Row

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
    context: Mapping[str, Any] = field(hash=False)
    kind = "part"


Block = Markup | Table | Figure | Group | Details | Legend | Files | Part


def html(template: str, *values: object, **named: object) -> Markup:
    """Markup with values filled in, each escaped unless it is markup."""
    return Markup(template).format(*values, **named)


def figure(title: str, spec: Spec, table: Table | None = None) -> Figure:
    """A chart, drawn."""
    return Figure(title, Markup(svg(spec)), table)


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
    cells: dict[Hashable, dict[str, str]] = {}
    for row in rows:
        cells.setdefault(row[x], {})[row[series]] = cell(row)
    return Table(
        title,
        [x_name, *columns],
        [
            [plain(value) if isinstance(value, int | float) else str(value)]
            + [of_x.get(name, "") for name in columns]
            for value, of_x in cells.items()
        ],
    )


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
    mark = Markup("") if style is None else swatch(style) + " "
    return html('{}<span dir="auto">{}</span>', mark, breakable(name))


def bar(share: float) -> Markup:
    """A share as a bar, as wide as its cell for all."""
    return html('<span class="bar" style="width:{:.1f}%"></span>', 100 * share)


def plain(value: float) -> Number:
    """A number as people write it: `10,000`, `0.5`."""
    return Number(f"{value:,.0f}" if value == int(value) else f"{value:,.4g}")


def fixed(value: float | None, digits: int = 2) -> Number:
    """A number with so many decimal places; nothing for none."""
    return Number("" if value is None else f"{value:,.{digits}f}")


def percent(share: float) -> Number:
    """A share of 1 in per cent."""
    return Number(f"{100 * share:.1f}%")


def signed(value: float, digits: int = 2) -> Number:
    """A difference, with its sign: minus, not hyphen."""
    return Number(f"{value:+.{digits}f}".replace("-", "−"))


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
    return Markup("<wbr>").join(Markup(escape(part)) for part in _NAME_PARTS.findall(name))


def with_legend(spec: Spec, *channels: str) -> Spec:
    """The legend of a chart whose series are no systems."""
    for channel in channels:
        spec["encoding"][channel]["legend"] = {
            "orient": "bottom",
            "title": None,
            "disable": False,
        }
    return spec


def sentence_summary(index: int, words: Sequence[str], language: str) -> Markup:
    """What a drawn sentence is folded to."""
    sentence = foreign(shortened(" ".join(words)), language)
    return html('<span class="muted">Sentence {}</span> {}', index, sentence)
