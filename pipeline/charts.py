"""Charts: the Vega-Lite templates of `.dvc/plots`, filled in; vl-convert draws them as SVG.

One template serves `dvc plots`, figures as files, and the report. Colours are CSS variables with
their values for light backgrounds, so that a drawing inside a page is as light or dark as the page.
The same numbers are the same bytes; there is no network and no browser.
"""

import json
import re
import resource
from collections.abc import Mapping, Sequence
from copy import deepcopy
from pathlib import Path
from typing import Any

from mgsa.cli.errors import FailedError
from mgsa.cli.files import open_to_write
from pipeline.formats.tables import Row

TEMPLATES = Path(__file__).parents[1] / ".dvc" / "plots"
VEGA_LITE = "5.20"
ADDRESS_SPACE = 66 << 30
"""Bytes that vl-convert's JavaScript engine reserves: without them it ends the process."""
LARGEST = 1e100
"""Larger numbers have no place on an axis: the distance of two such may be infinite."""

Spec = dict[str, Any]

TEXT, MUTED, RULE = "var(--text, #1c2126)", "var(--muted, #59636d)", "var(--rule, #dcdfe3)"
SYSTEMS = tuple(
    f"var(--system-{number}, {colour})"
    for number, colour in enumerate(
        ("#6a21f2", "#cc5900", "#00785f", "#c66893", "#825538", "#0089c8", "#323c3e", "#700001")
    )
)
"""Colours that are told apart without red or green: `templates/page.css` has them for dark too."""
DASHES: tuple[list[float], ...] = ([1, 0], [7, 3], [2, 2.5], [9, 3, 2, 3])
SHAPES = ("circle", "square", "diamond", "triangle-up")
_NO_XML = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_RANGES: dict[str, Sequence[Any]] = {"color": SYSTEMS, "strokeDash": DASHES, "shape": SHAPES}
_CONFIG: Spec = {
    "font": "Arial, Helvetica, 'Liberation Sans', sans-serif",
    "background": None,
    "view": {"stroke": None},
    "title": {"color": TEXT, "anchor": "start", "fontSize": 13},
    "header": {"labelColor": TEXT, "titleColor": MUTED, "labelFontWeight": 600},
    "axis": {
        **dict.fromkeys(("labelColor", "titleColor", "domainColor", "tickColor"), MUTED),
        "gridColor": RULE,
        "titleFontWeight": "normal",
        "labelFontSize": 11,
        "labelFlush": False,
    },
    "axisBand": {"domain": False, "ticks": False},
    "legend": {"labelColor": TEXT, "titleColor": MUTED, "titleFontWeight": "normal"},
    "line": {"strokeWidth": 2, "color": SYSTEMS[0]},
    "rule": {"color": MUTED},
    "bar": {"color": SYSTEMS[0]},
    "point": {"size": 28, "color": SYSTEMS[0], "opacity": 1},
    "range": {"category": list(SYSTEMS), "symbol": list(SHAPES)},
}


def chart(
    template: str,
    rows: Sequence[Row],
    *,
    x: str,
    y: str,
    title: str = "",
    x_label: str = "",
    y_label: str = "",
    styles: Mapping[str, int] | None = None,
) -> Spec:
    """The template filled with `rows`, as `dvc plots` does; only finite values are kept.

    Args:
        x, y: the columns on the axes.
        styles: number of colour, dash and mark of each series, where several charts share them;
            `None`: in the order of the rows.
    """
    values = {
        "TITLE": title,
        "X": x,
        "Y": y,
        "X_LABEL": x_label,
        "Y_LABEL": y_label,
        "DATA": [{"rev": "", **_finite(row)} for row in rows],
    }
    text = (TEMPLATES / f"{template}.json").read_text(encoding="utf-8")
    for name, value in values.items():
        text = text.replace(f'"<DVC_METRIC_{name}>"', json.dumps(value))
    spec: Spec = json.loads(text)
    if styles is not None:
        _set_styles(spec, styles)
    return spec


def chart_of_systems(
    template: str,
    rows: Sequence[Row],
    *,
    x: str,
    baseline: str | None = None,
    styles: Mapping[str, int] | None = None,
) -> Spec:
    """Panels of `score` by `system` with intervals or, given a baseline, of `difference` to it.

    Panels are in the order of the rows. A template with rows of fixed height has scores across.
    """
    score = "score" if baseline is None else "difference"
    drawn = [
        {name: value for name, value in row.items() if not name.startswith("difference")}
        | {f"score{end}": row[f"{score}{end}"] for end in ("", "_low", "_high")}
        for row in rows
        if row["system"] != baseline
    ]
    systems = dict.fromkeys(row["system"] for row in drawn)
    if styles is None:
        styles = {name: number for number, name in enumerate(systems)}
    spec = chart(template, drawn, x=x, y="score", styles=styles)
    del spec["facet"]["column"]
    panels = spec["facet"]["row"]
    panels["sort"] = list(dict.fromkeys(row[panels["field"]] for row in drawn))
    layers = spec["spec"]["layer"]
    for layer in layers:
        for channel in ("strokeDash", "shape"):
            layer["encoding"].get(channel, {}).pop("legend", None)  # joins that of colours
    spec.pop("transform", None)  # what is drawn is chosen already, by the same rule
    across = isinstance(spec["spec"]["height"], dict)
    if across:
        spec["spec"]["height"]["step"] = max(9, 20 / len(systems))
    if baseline is not None:
        channel = "x" if across else "y"
        for layer in layers:
            layer["encoding"][channel]["title"] = f"points above {baseline}"
        zero = dict.fromkeys(spec["spec"]["encoding"]) | {channel: {"datum": 0}}
        layers.append({"mark": {"type": "rule"}, "encoding": zero})
    return spec


def panel(spec: Spec, *, width: int = 360, height: int | None = 220) -> Spec:
    """One panel of a template with several, `width` pixels wide with its axes.

    `height` is `None` for rows of fixed height.
    """
    inner = deepcopy(spec.get("spec", {key: value for key, value in spec.items() if key != "data"}))
    size = {"width": width} if height is None else {"width": width, "height": height}
    fit = {"type": "fit-x" if height is None else "fit", "contains": "padding"}
    return {**inner, **size, "data": spec["data"], "autosize": fit, "title": None}


def svg(spec: Spec) -> str:
    """SVG to inline in a page; colours are the page's CSS variables."""
    config = {**_CONFIG, "padding": 2, "legend": {**_CONFIG["legend"], "disable": True}}
    return _drawn(json.dumps(_xml({**spec, "config": config})))


def figure_svg(spec: Spec) -> str:
    """SVG that stands by itself, on white."""
    config = {**_CONFIG, "background": "#ffffff", "padding": 20}
    text = json.dumps(_xml({**spec, "config": config}))
    return _drawn(re.sub(r"var\(--[\w-]+, (#\w+)\)", r"\1", text))


def _drawn(text: str) -> str:
    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    if 0 <= limit < ADDRESS_SPACE:
        needed = f"{ADDRESS_SPACE >> 30} GiB of address space, of which V8 uses little"
        raise FailedError(f"charts: expected {needed}, got {limit >> 30} (ulimit -v)")
    import vl_convert

    svg: str = vl_convert.vegalite_to_svg(text, vl_version=VEGA_LITE)
    return svg


def write_figure(spec: Spec, path: Path) -> None:
    """Write a chart as SVG."""
    with open_to_write(path) as file:
        file.write(figure_svg(spec))


def labels(texts: Sequence[str]) -> str:
    """A `labelExpr` for an axis whose values are indices into `texts`."""
    return f"{json.dumps(_xml(list(texts)))}[datum.value]"


def _xml(node: Any) -> Any:
    """Replace characters that XML lacks, on which vl-convert aborts, by U+FFFD."""
    match node:
        case dict():
            return {key: _xml(value) for key, value in node.items()}
        case list():
            return [_xml(value) for value in node]
        case str():
            return _NO_XML.sub("\ufffd", node)
    return node


def _finite(row: Row) -> dict[str, Any]:
    return {
        key: None if isinstance(value, float | int) and not abs(value) <= LARGEST else value
        for key, value in row.items()
    }


def _set_styles(node: Any, styles: Mapping[str, int]) -> None:
    """Set the range of every colour, dash and mark scale from `styles`."""
    children = node.items() if isinstance(node, dict) else enumerate(node)
    for key, inner in children:
        if key in _RANGES and isinstance(inner, dict) and "field" in inner:
            choices = _RANGES[key]
            # Beyond eight systems the marks move on, so that a pair is a system's own.
            moved = 0 if key == "color" else 1
            shown = [choices[(n + moved * (n // 8)) % len(choices)] for n in styles.values()]
            inner["scale"] = {"domain": list(styles), "range": shown}
        elif key != "data" and isinstance(inner, dict | list):
            _set_styles(inner, styles)
