"""Heat maps as files: the labels at their places, the same bytes twice."""

from __future__ import annotations

import struct
from pathlib import Path
from xml.etree import ElementTree

import matplotlib as mpl
import numpy as np
import pytest

from mgsa.analysis.heat_maps import HeatMap
from pipeline.figures import LARGEST, LONGEST_LABEL, draw_heat_map, heat_map_figure

NAME = "$test, sentence$ 7"  # no formula
LONG = "a phrase that goes on for many more words than any axis has room for"
MAP = HeatMap(
    "encoder",
    3,
    queries={"words": ("it", "costs", "$ 5"), "2-grams": ("it costs", "costs $ 5")},
    keys={"words": ("it", "costs", "$ 5"), "3-grams": (LONG,)},
    weights=np.arange(20).reshape(5, 4) / 20,
)


def test_labels_stand_at_their_rows_and_columns() -> None:
    axes, bar = heat_map_figure(MAP, NAME).axes
    assert [tick.get_text() for tick in axes.get_yticklabels()] == [
        *("it", "costs", "$ 5"),
        *("it costs", "costs $ 5"),
    ]
    columns = [tick.get_text() for tick in axes.get_xticklabels()]
    assert columns[:3] == ["it", "costs", "$ 5"]
    assert columns[3] == LONG[: LONGEST_LABEL - 1] + "…"
    (image,) = axes.get_images()
    assert np.array_equal(image.get_array(), MAP.weights)
    assert {text.get_text() for text in axes.texts} == {"words", "2-grams", "3-grams"}
    # One line between the columns' parts, after the third, and one between the rows'.
    assert [list(line.get_data()[0]) for line in axes.lines[:1]] == [[2.5, 2.5]]
    assert [list(line.get_data()[1]) for line in axes.lines[1:]] == [[2.5, 2.5]]
    assert bar.get_ylim() == (0, 1)
    assert [tick.get_text() for tick in bar.get_yticklabels()] == [
        "0.00",
        "0.05",
        "0.20",
        "0.50",
        "1.00",
    ]
    assert axes.get_title(loc="left").startswith("$test, sentence$ 7: encoder, layer 3\n")


def test_a_weight_has_one_colour_in_all_maps() -> None:
    words = {"words": ("a", "b")}
    maps = [
        HeatMap("cross", 1, words, words, np.array([[0.25, highest], [0.0, 0.0]]))
        for highest in (0.3, 1.0)
    ]
    colours = []
    for heat_map in maps:
        (image,) = heat_map_figure(heat_map, NAME).axes[0].get_images()
        colours.append(image.to_rgba(image.get_array())[0, 0])
    assert np.array_equal(colours[0], colours[1])


@pytest.mark.parametrize("kind", ["svg", "png"])
def test_a_map_is_a_picture_and_the_same_bytes_twice(tmp_path: Path, kind: str) -> None:
    first, second = tmp_path / f"one/map.{kind}", tmp_path / f"two/map.{kind}"
    for path in (first, second):
        path.parent.mkdir()
        draw_heat_map(MAP, path, sentence=NAME)
    data = first.read_bytes()
    assert data == second.read_bytes()
    if kind == "svg":
        root = ElementTree.fromstring(data)
        assert root.tag.endswith("svg")
        assert b"<dc:date>" not in data
        texts = {element.text for element in root.iter() if element.tag.endswith("text")}
        assert {"it costs", "$ 5", f"{NAME}: encoder, layer 3", "weight, mean over heads"} <= texts
    else:
        assert data.startswith(b"\x89PNG\r\n")
        width, height = struct.unpack(">II", data[16:24])
        assert width > 200
        assert height > 200


def test_a_users_matplotlibrc_is_not_read(tmp_path: Path) -> None:
    plain, styled = tmp_path / "plain/map.svg", tmp_path / "styled/map.svg"
    for path, settings in ((plain, {}), (styled, {"font.size": 30, "axes.facecolor": "red"})):
        path.parent.mkdir()
        with mpl.rc_context(settings):
            draw_heat_map(MAP, path, sentence=NAME)
    assert plain.read_bytes() == styled.read_bytes()


@pytest.mark.parametrize(("kind", "lines"), [("svg", 0), ("png", 1)])
def test_characters_without_a_glyph_are_one_line_at_most(
    tmp_path: Path, kind: str, lines: int, capsys: pytest.CaptureFixture[str]
) -> None:
    chinese = HeatMap("encoder", 1, {"words": ("你好",)}, {"words": ("你好",)}, np.ones((1, 1)))
    path = tmp_path / f"map.{kind}"
    draw_heat_map(chinese, path, sentence=NAME)
    said = capsys.readouterr().err.splitlines()
    assert said == ["map.png: no font here has 2 of its characters"] * lines
    if kind == "svg":
        assert "你好" in path.read_text("utf-8")


def test_a_part_without_labels_has_no_name_and_no_line() -> None:
    one = HeatMap(
        "decoder",
        1,
        queries={"words": ("<s>",), "2-grams": ()},
        keys={"words": ("<s>",), "2-grams": ()},
        weights=np.ones((1, 1)),
    )
    axes, _ = heat_map_figure(one, NAME).axes
    assert {text.get_text() for text in axes.texts} == {"words"}
    assert len(axes.lines) == 0


@pytest.mark.slow
def test_a_long_sentence_fits_a_picture() -> None:
    words = tuple(f"w{i}" for i in range(2_000))
    long = HeatMap("encoder", 1, {"words": words}, {"words": words}, np.zeros((2_000, 2_000)))
    assert max(heat_map_figure(long, NAME).get_size_inches()) < LARGEST * 1.1
