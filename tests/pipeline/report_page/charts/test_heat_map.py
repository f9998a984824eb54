"""What draws stays, and nothing else: no script, no link, no name of another drawing."""

from __future__ import annotations

import re
import time
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from mgsa.analysis.heat_maps import HeatMap
from mgsa.base.errors import InputError
from pipeline.figures import draw_heat_map
from pipeline.report_page.charts.heat_map import clean_svg, read_heat_map

HOSTILE = b"""<?xml version="1.0"?>
<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"
     viewBox="0 0 10 20" onload="alert(1)">
 <script>alert(2)</script><style>* { display: none }</style>
 <foreignObject><iframe src="https://evil.example"/></foreignObject>
 <a xlink:href="javascript:alert(3)"><text>inside a link</text></a>
 <g id="main"><rect id="r" x="1" y="1.23456" width="5" height="5" onclick="alert(4)"
   style="fill: url(https://evil.example/x); stroke: #000000; position: fixed"/></g>
 <image href="https://evil.example/spy.png"/><image xlink:href="data:image/svg+xml;base64,AAAA"/>
 <image xlink:href="data:image/png;base64,
AAAA"/>
 <use xlink:href="https://evil.example#x"/><use xlink:href="#r"/>
 <g clip-path="url(#c)"><path d="M 0 0&#10;L 1 1"/></g>
 <clipPath id="c"><rect width="1" height="1"/></clipPath>
 <text x="1">&lt;b&gt; kept <tspan>too</tspan></text><!-- a comment -->
</svg>"""


SVG = b"<svg viewBox='0 0 1 1'>%b</svg>"


@pytest.fixture(scope="module")
def drawn(tmp_path_factory: pytest.TempPathFactory) -> Path:
    words = {"words": ("<s>", "&amp;"), "2-grams": ("<s> &amp;",)}
    path = tmp_path_factory.mktemp("maps") / "encoder_1.svg"
    weights = np.array([[1.0, 0.0, 0.5], [0.25, 0.5, 0.5], [0.1, 0.2, 0.3]])
    draw_heat_map(HeatMap("encoder", 1, words, words, weights), path, sentence="test, sentence 0")
    return path


def test_a_heat_map_keeps_its_labels_its_cells_and_its_title(drawn: Path) -> None:
    svg = str(read_heat_map(drawn, "m-").svg)
    root = ElementTree.fromstring(svg)
    texts = [element.text for element in root.iter("text")]
    assert {"<s>", "&amp;", "<s> &amp;", "words", "2-grams"} <= set(texts)
    assert "test, sentence 0: encoder, layer 1" in texts
    # The cells, and the bar of the scale.
    assert all((i.get("href") or "").startswith("data:image/png") for i in root.iter("image"))
    assert len(list(root.iter("image"))) == 2
    assert "currentColor" in svg
    assert "#ffffff" not in svg
    assert len(svg) < 0.7 * drawn.stat().st_size


def test_names_are_of_one_drawing_alone(drawn: Path) -> None:
    first, second = (str(read_heat_map(drawn, prefix).svg) for prefix in ("m1-", "m2-"))
    names = [set(re.findall(r' id="([^"]+)"', svg)) for svg in (first, second)]
    assert names[0]
    assert not names[0] & names[1]
    for svg, known in zip((first, second), names, strict=True):
        used = re.findall(r'href="#([^"]+)"', svg) + re.findall(r"url\(#([^)]+)\)", svg)
        assert set(used) == known


def test_of_a_hostile_drawing_only_what_draws_is_left() -> None:
    svg = str(clean_svg(HOSTILE, "p-", Path("x.svg")))
    root = ElementTree.fromstring(svg)
    assert {element.tag for element in root.iter()} == {
        *("svg", "g", "rect", "image", "use", "path", "clipPath", "text", "tspan"),
    }
    assert {element.get("href") for element in root.iter() if element.get("href")} == {
        "data:image/png;base64,AAAA",
        "#p-r",
    }
    for word in ("alert", "evil", "onload", "onclick", "javascript", "position", "comment"):
        assert word not in svg
    (clipped,) = [element for element in root.iter("g") if element.get("clip-path")]
    assert clipped.get("clip-path") == "url(#p-c)"
    assert [element.text for element in root.iter("text")] == ["<b> kept "]


def test_a_png_stands_for_itself(tmp_path: Path) -> None:
    path = tmp_path / "encoder_1.png"
    path.write_bytes(b"\x89PNG\r\n\x1a\nrest")
    drawing = read_heat_map(path, "m-")
    assert drawing.svg is None
    assert drawing.picture == "data:image/png;base64,iVBORw0KGgpyZXN0"


@pytest.mark.parametrize("encoding", ["foo", "utf-7", "big5", "utf-16", "latin-1"])
def test_a_drawing_is_utf_8_whatever_it_says(encoding: str) -> None:
    data = f"<?xml version='1.0' encoding='{encoding}'?>".encode()
    data += SVG % "<text>木 +AGE-</text>".encode()
    assert "<text>木 +AGE-</text>" in clean_svg(data, "p-", Path("x.svg"))


def test_a_long_run_of_digits_takes_no_longer_than_other_text() -> None:
    digits = b"<path d='%b 1.23456'/>" % (b"1" * 300_000)
    started = time.process_time()
    assert '1 1.23"' in str(clean_svg(SVG % digits, "p-", Path("x.svg")))
    assert time.process_time() - started < 5


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"<svg", r"x\.svg:1: expected SVG"),
        (b"<svg xmlns='http://www.w3.org/2000/svg'/>", r"x\.svg: expected SVG with a viewBox"),
        (b"<html viewBox='0 0 1 1'/>", r"x\.svg: expected SVG, found an element html"),
        (b"<svg viewBox='0 0 nan 1'/>", r"x\.svg: expected SVG with a viewBox of four numbers"),
        (b"<svg viewBox='0 -inf 1 1'/>", r"x\.svg: expected SVG with a viewBox of four numbers"),
        (b"<svg viewBox='0 0 1e9 1'/>", r"x\.svg: expected SVG .* each at most 100,000$"),
        (b"<svg>\n\xff</svg>", r"x\.svg:2: expected UTF-8 text: invalid start byte at byte 1$"),
        ("<?xml version='1.0'?><svg/>".encode("utf-16"), r"x\.svg:1: expected UTF-8 text"),
        (b"<!DOCTYPE svg [<!ENTITY a 'aa'>]><svg/>", r"x\.svg: expected SVG without entities"),
        (SVG % (b"<g>" * 100_000 + b"</g>" * 100_000), r"x\.svg: expected SVG of at most 50 level"),
        (SVG % (b" " * (8 << 20)), r"x\.svg: expected a drawing of at most 8,388,608 bytes$"),
    ],
    ids=range(11),
)
def test_what_is_no_drawing_is_named(tmp_path: Path, data: bytes, message: str) -> None:
    path = tmp_path / "x.svg"
    path.write_bytes(data)
    with pytest.raises(InputError, match=message):
        read_heat_map(path, "m-")
    with pytest.raises(InputError, match="no such file"):
        read_heat_map(tmp_path / "y.svg", "m-")
