"""Heat maps as files: the labels at their places, one colour a weight."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import numpy as np

from pipeline.analyze.figures import LONGEST_LABEL, heat_map_chart
from pipeline.analyze.heat_maps import HeatMap, Parts
from pipeline.charts import labels, write_figure

NAME = "$test, sentence$ 7"
LONG = "a phrase that goes on for many more words than any axis has room for"
MAP = HeatMap(
    "encoder",
    3,
    queries={"words": ("it", "costs", '"5"'), "2-grams": ("it costs", "costs 5")},
    keys={"words": ("it", "costs", "你好"), "3-grams": (LONG,), "4-grams": ()},
    weights=np.arange(20).reshape(5, 4) / 20,
)


def test_labels_stand_at_their_rows_and_columns() -> None:
    spec = heat_map_chart(MAP, NAME)
    x, y = spec["encoding"]["x"], spec["encoding"]["y"]
    assert y["axis"]["labelExpr"] == labels(["it", "costs", '"5"', "it costs", "costs 5"])
    cut = LONG[: LONGEST_LABEL - 1] + "…"
    assert x["axis"]["labelExpr"] == labels(["it", "costs", "你好", cut])
    cells = {(cell["row"], cell["column"]): cell["weight"] for cell in spec["data"]["values"]}
    assert cells == {
        (row, column): MAP.weights[row, column] for row in range(5) for column in range(4)
    }
    # A line before the fourth column and one before the fourth row, where parts begin.
    assert [
        layer["data"]["values"] for layer in spec["layer"] if layer["mark"]["type"] == "rule"
    ] == [[{"column": 3}], [{"row": 3}]]


def test_a_weight_has_one_colour_in_all_maps() -> None:
    words: Parts = {"words": ("a", "b")}
    scales = [
        heat_map_chart(HeatMap("cross", 1, words, words, np.full((2, 2), highest)), NAME)["layer"][
            0
        ]["encoding"]["color"]["scale"]
        for highest in (0.3, 1.0)
    ]
    assert scales[0] == scales[1]
    assert scales[0]["domain"] == [0, 1]


def test_a_map_is_a_picture(tmp_path: Path) -> None:
    write_figure(heat_map_chart(MAP, NAME), tmp_path / "map.svg")
    root = ElementTree.fromstring((tmp_path / "map.svg").read_bytes())
    texts = {element.text for element in root.iter() if element.tag.endswith("text")}
    assert {"it costs", '"5"', "你好", "subwords", "2-grams", "3-grams"} <= texts
    assert {f"{NAME}: encoder, layer 3", "weight, mean over heads"} <= texts
    assert "4-grams" not in texts
