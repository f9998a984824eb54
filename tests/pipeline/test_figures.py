"""Heat maps as files: the labels at their places, the same bytes twice."""

from __future__ import annotations

import struct
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from mgsa.analysis.heat_maps import HeatMap
from pipeline.figures import LONGEST_LABEL, draw_heat_map, heat_map_figure

LONG = "a phrase that goes on for many more words than any axis has room for"
MAP = HeatMap(
    "encoder",
    3,
    queries={"words": ("it", "costs", "$ 5"), "2-grams": ("it costs", "costs $ 5")},
    keys={"words": ("it", "costs", "$ 5"), "3-grams": (LONG,)},
    weights=np.arange(20).reshape(5, 4) / 20,
)


def test_labels_stand_at_their_rows_and_columns() -> None:
    axes, bar = heat_map_figure(MAP).axes
    assert [tick.get_text() for tick in axes.get_yticklabels()] == [
        *("it", "costs", r"\$ 5"),
        *("it costs", r"costs \$ 5"),
    ]
    columns = [tick.get_text() for tick in axes.get_xticklabels()]
    assert columns[:3] == ["it", "costs", r"\$ 5"]
    assert columns[3] == LONG[: LONGEST_LABEL - 1] + "…"
    (image,) = axes.get_images()
    assert np.array_equal(image.get_array(), MAP.weights)
    assert {text.get_text() for text in axes.texts} == {"words", "2-grams", "3-grams"}
    # One line between the columns' parts, after the third, and one between the rows'.
    assert [list(line.get_data()[0]) for line in axes.lines[:1]] == [[2.5, 2.5]]
    assert [list(line.get_data()[1]) for line in axes.lines[1:]] == [[2.5, 2.5]]
    assert bar.get_ylim() == (0, 0.95)
    assert axes.get_title(loc="left").startswith("encoder, layer 3")


@pytest.mark.parametrize("kind", ["svg", "png"])
def test_a_map_is_a_picture_and_the_same_bytes_twice(tmp_path: Path, kind: str) -> None:
    first, second = tmp_path / f"one/map.{kind}", tmp_path / f"two/map.{kind}"
    for path in (first, second):
        path.parent.mkdir()
        draw_heat_map(MAP, path)
    data = first.read_bytes()
    assert data == second.read_bytes()
    if kind == "svg":
        root = ElementTree.fromstring(data)
        assert root.tag.endswith("svg")
        assert b"<dc:date>" not in data
    else:
        assert data.startswith(b"\x89PNG\r\n")
        width, height = struct.unpack(">II", data[16:24])
        assert width > 200
        assert height > 200
