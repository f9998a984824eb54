"""Accuracies stand beside the majority class; encoders of fewer layers have gaps."""

from __future__ import annotations

from pathlib import Path

from pipeline.base.charts import write_figure
from pipeline.probing.accuracies import MAJORITY, Accuracy, last_layers
from pipeline.probing.figures import accuracy_chart, layer_chart


def cell(encoder: str, layer: int, task: str, accuracy: float) -> Accuracy:
    return Accuracy(encoder, layer, task, 2, 10, accuracy, accuracy - 5, accuracy + 2, 30.0)


CELLS = [
    cell("deep", 1, "voice", 60),
    cell("deep", 1, "pos", 50),
    cell("deep", 2, "voice", 80),
    cell("deep", 2, "pos", 70),
    cell("$ flat", 1, "voice", 65),
    cell("$ flat", 1, "pos", 55),
]


def test_last_layers_are_each_encoders_own() -> None:
    assert last_layers(CELLS) == [*CELLS[2:4], *CELLS[4:]]


def test_tasks_stay_in_their_order(tmp_path: Path) -> None:
    spec = accuracy_chart(last_layers(CELLS))
    assert spec["facet"]["row"]["sort"] == ["voice", "pos"]
    values = [(v["encoder"], v["low"], v["majority"]) for v in spec["data"]["values"]]
    assert values[::2] == [("deep", 75, 30), ("$ flat", 60, 30)]
    write_figure(spec, tmp_path / "probe.svg")
    assert "$ flat" in (tmp_path / "probe.svg").read_text("utf-8")


def test_layers_that_an_encoder_lacks_are_gaps() -> None:
    curves: dict[str, list[int]] = {}
    for row in layer_chart(CELLS)["data"]["values"]:
        if row["measure"] == "voice":
            curves.setdefault(row["system"], []).append(row["n"])
    assert curves == {"deep": [1, 2], "$ flat": [1], MAJORITY: [1, 2]}
