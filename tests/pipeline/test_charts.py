"""Templates are filled as DVC fills them, drawn in the page's colours, and the same bytes twice."""

from __future__ import annotations

import json
import math
from pathlib import Path
from xml.etree import ElementTree

import pytest
from dvc_render.vega import VegaRenderer

from mgsa.cli.errors import FailedError
from pipeline.charts import DASHES, SYSTEMS, TEMPLATES, chart, labels, panel, svg, write_figure

ROWS = [
    {"step": step, "loss": loss, "rev": system}
    for system in ("one", "<b>other</b>")
    for step, loss in ((0, 3.0), (10, 2.5), (20, 2.0))
]


def texts(drawn: str | bytes) -> list[str]:
    root = ElementTree.fromstring(drawn)
    return [element.text or "" for element in root.iter() if element.tag.endswith("text")]


@pytest.mark.parametrize("path", sorted(TEMPLATES.glob("*.json")), ids=lambda path: path.stem)
def test_every_template_is_one_of_dvc(path: Path) -> None:
    assert VegaRenderer([{"a": 1}], "p", template=path.name, template_dir=str(TEMPLATES))
    assert "<DVC" not in json.dumps(chart(path.stem, [{"a": 1}], x="a", y="a"))
    assert "<svg" in svg(chart(path.stem, [{"a": 1, "system": "s"}], x="a", y="a"))


def test_a_drawing_inside_a_page_has_the_pages_colours_and_escapes_text() -> None:
    spec = chart("curves", ROWS, x="step", y="loss", x_label="a < b", styles={"<b>other</b>": 2})
    drawn = svg(panel(spec))
    assert SYSTEMS[2] in drawn
    assert "var(--muted" in drawn
    assert "<b>" not in drawn
    assert "a < b" in texts(drawn)
    assert 'width="360"' in drawn


def test_characters_that_no_svg_can_have_are_replaced() -> None:
    rows = [{"source": 0, "target": 0, "kind": "a\x07"}]
    spec = chart("link_matrix", rows, x="source", y="target", title="\x00\ud800\uffff")
    spec["encoding"]["x"]["axis"]["labelExpr"] = labels(["\x07", "ok"])
    assert {"\ufffd\ufffd\ufffd", "\ufffd"} <= set(texts(svg(spec)))


def test_little_address_space_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("resource.getrlimit", lambda _: (16 << 30, 16 << 30))
    with pytest.raises(FailedError, match=r"expected 66 GiB of address space, .* got 16"):
        svg(chart("curves", ROWS, x="step", y="loss"))


def test_styles_are_a_systems_own() -> None:
    spec = chart("curves", ROWS, x="step", y="loss", styles={"one": 0, "<b>other</b>": 9})
    assert spec["encoding"]["color"]["scale"]["range"] == [SYSTEMS[0], SYSTEMS[1]]
    assert spec["encoding"]["strokeDash"]["scale"]["range"] == [DASHES[0], DASHES[2]]


@pytest.mark.parametrize("value", [math.nan, math.inf, 1e300, 10**400])
def test_what_is_not_finite_is_left_out(value: float) -> None:
    spec = chart("curves", [*ROWS, {"step": 30, "loss": value}], x="step", y="loss")
    assert spec["data"]["values"][-1] == {"rev": "", "step": 30, "loss": None}
    assert "NaN" not in svg(panel(spec))


def test_the_same_rows_are_the_same_bytes(tmp_path: Path) -> None:
    paths = [tmp_path / f"{name}.svg" for name in ("one", "two")]
    for path in paths:
        write_figure(chart("curves", ROWS, x="step", y="loss", title="losses"), path)
    first, second = (path.read_bytes() for path in paths)
    assert first == second
    assert {"losses", "one", "<b>other</b>"} <= set(texts(first))
    assert b"var(" not in first
