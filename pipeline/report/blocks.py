"""HTML building blocks: numbers, tables, charts; text is escaped."""

import base64
import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from pipeline.charts import Spec, chart, panel, svg
from pipeline.formats.tables import Row
from pipeline.report.inputs import Inputs

TEMPLATES = Environment(
    loader=FileSystemLoader(sorted(Path(__file__).parents[1].glob("*/templates"))),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)
"""Templates of the report and of the live page."""
MACROS: Any = TEMPLATES.get_template("blocks.html").module
"""Functions that fill in HTML, by the names that the template gives them."""
PROSE: Any = TEMPLATES.get_template("prose.html").module
"""Introductions of the sections, likewise."""


class Number(str):
    """A formatted number, right-aligned in its column."""


def page(name: str, **values: object) -> str:
    """`name.html` with its style and script, the only one that the security policy allows."""
    style, script = (TEMPLATES.get_template(f"{name}.{kind}").render() for kind in ("css", "js"))
    digest = hashlib.sha256(script.encode()).digest()
    text = TEMPLATES.get_template(f"{name}.html").render(
        **values,
        style=Markup(style),
        script=Markup(script),
        script_hash=base64.b64encode(digest).decode("ascii"),
    )
    return f"{text}\n"


def number(value: float | None, form: str | None = None) -> Number:
    """Format a number with a true minus; `None` is empty.

    Integers are written in full by default, others with four digits.
    """
    if value is None:
        return Number("")
    form = form or (",.0f" if value == int(value) else ",.4g")
    return Number(format(value, form).replace("-", "−"))


def p_value(value: float | None) -> Number:
    """Format a p-value; sacreBLEU's smallest is one over the resamples."""
    return number(value, ".3f") if value is None or value >= 0.001 else Number("< 0.001")


def html(template: str, *values: object) -> Markup:
    """A template filled with values, escaped unless they are markup."""
    return Markup(template).format(*values)


def text_in(language: str, text: str) -> Markup:
    """Text with a `lang` attribute."""
    return html('<span lang="{}" dir="auto">{}</span>', language, text)


def breakable(name: str) -> Markup:
    """A name with break opportunities after points, slashes and underscores."""
    return Markup("<wbr>").join(re.findall(r"[^_./]*[_./]|[^_./]+", name))


def named(name: str, styles: Mapping[str, int]) -> Markup:
    """A system's name, with its colour and dash where several are compared."""
    mark = MACROS.swatch(styles[name]) if len(styles) > 1 else ""
    return html('{} <span dir="auto">{}</span>', mark, breakable(name))


def group(style: str, blocks: Iterable[Markup]) -> Markup:
    """Blocks side by side; `style` is a CSS class: `beside`, `charts`, …."""
    cells = Markup().join(html("<div>{}</div>", block) for block in blocks)
    return html('<div class="{}">{}</div>', style, cells) if cells else cells


def details(summary: str, *blocks: Markup, style: str = "", opened: bool = False) -> Markup:
    """A `<details>` element."""
    template = '<details class="{}"{}><summary>{}</summary>{}</details>'
    return html(template, style, Markup(" open" if opened else ""), summary, Markup().join(blocks))


def drawn_sentence(inputs: Inputs, index: int, words: Sequence[str], *blocks: Markup) -> Markup:
    """A foldable sentence; the two in the middle are open."""
    text = text_in(inputs.languages["source"], " ".join(words))
    summary = html('<span class="muted">Sentence {}</span> {}', index, text)
    middle = len(inputs.drawn) // 2
    opened = index in inputs.drawn[max(middle - 1, 0) : middle + 1]
    return details(summary, *blocks, style="drawing", opened=opened)


def table(caption: str, rows: Sequence[Mapping[str, str]], style: str = "") -> Markup:
    """An HTML table; the first cell heads its row, and empty columns are left out."""
    names = dict.fromkeys(name for row in rows for name in row)
    columns = {name: [row.get(name, "") for row in rows] for name in names}
    columns = {name: cells for name, cells in columns.items() if any(cells)}
    numeric = [any(isinstance(cell, Number) for cell in cells) for cells in columns.values()]
    lines = list(zip(*columns.values(), strict=True))
    return Markup(MACROS.table(caption, list(zip(columns, numeric, strict=True)), lines, style))


def figure(title: str, spec: Spec, *, with_numbers: bool = True) -> Markup:
    """An SVG chart with a table of its rows, less constant text columns."""
    rows: list[Row] = spec["data"]["values"] if with_numbers else []
    names = dict.fromkeys(name for row in rows for name in row)
    values = {name: {row.get(name) for row in rows} for name in names}
    shown = [n for n in names if len(values[n]) > 1 or not isinstance(rows[0].get(n), str)]
    titles = {name: "series" if name == "rev" else name.replace("_", " ") for name in shown}
    cells = [{title: row.get(name) for name, title in titles.items()} for row in rows]
    numbers = [
        {title: cell if isinstance(cell, str) else number(cell) for title, cell in row.items()}
        for row in cells
    ]
    below = table(title, numbers) if numbers else ""
    return Markup(MACROS.figure(title, Markup(svg(spec)), below))


def line_figure(
    title: str,
    rows: Iterable[Row],
    x: str,
    y: str,
    *,
    x_label: str = "",
    scale: Mapping[str, Any] | None = None,
    styles: Mapping[str, int] | None = None,
) -> Markup:
    """A line for each `rev` of the rows, with a legend unless they are systems with `styles`."""
    spec = chart("curves", list(rows), x=x, y=y, x_label=x_label or x, styles=styles)
    y_axis = spec["encoding"]["y"]
    y_axis["scale"] |= scale or {}
    if y_axis["scale"].get("type") == "log":
        y_axis["axis"]["tickCount"] = 2  # powers of ten alone
    return figure(title, panel(spec if styles else with_legend(spec, "color", "strokeDash")))


def with_legend(spec: Spec, *channels: str) -> Spec:
    """The legend of a chart whose series are no systems."""
    for channel in channels:
        spec["encoding"][channel]["legend"] = {"orient": "bottom", "title": None, "disable": False}
    return spec
