"""Accuracies are those of the report of the stage `probe`, task by task and by layer."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from mgsa.base.errors import InputError
from mgsa.base.io import read_json, write_json
from pipeline.probing.accuracies import MAJORITY, Accuracy, report_of
from pipeline.report_page.sections.probing import GREY, context
from tests.report_folders import CELLS, inputs_of, write_run


def test_bars_are_the_last_layers_beside_the_majority_class(finished_run: Path) -> None:
    shown = context(inputs_of(finished_run))
    assert shown is not None
    voice, pos = shown["tasks"]
    assert [task["kind"].title for task in (voice, pos)] == ["Voice", "Part of speech (POS)"]
    assert (voice["classes"], voice["counted"]) == (2, 80)
    report = read_json(finished_run / "reports/probe.json")
    for task, name in ((voice, "voice"), (pos, "pos")):
        majority, *others = task["bars"]
        assert (majority.name, majority.layer, majority.low) == (MAJORITY, None, None)
        assert majority.place == task["axis"].interval(majority.accuracy, None, None)
        assert {one.name for one in others} == set(report["encoders"])
        for one in others:
            expected = report["encoders"][one.name][name]
            numbers = [expected[key] for key in ("accuracy", "low", "high")]
            assert [one.accuracy, one.low, one.high] == numbers
            assert one.place == task["axis"].interval(*numbers)
            assert 0 <= majority.place.at < one.place.at <= one.place.high <= 100
            assert majority.accuracy == expected["majority"]
    assert [one.layer for one in voice["bars"]] == [None, 2, 3]
    assert shown["styles"] == {"model": 0, "scratch_<b>": 1, MAJORITY: GREY}
    assert shown["left_out"] == ["Tense"]
    assert shown["sentences"] == 83


def test_every_layer_has_its_place_in_a_chart(finished_run: Path) -> None:
    shown = context(inputs_of(finished_run))
    assert shown is not None
    chart = shown["tasks"][0]["chart"]
    assert chart.names == {0: "1", 1: "2", 2: "3"}
    assert [line.name for line in chart.lines] == ["model", "scratch_<b>", MAJORITY]
    assert chart.rows == (
        (0, (80.0, None, 61.25)),
        (1, (85.0, None, 61.25)),
        (2, (None, 90.0, 61.25)),
    )
    (_, point) = chart.lines[0].points.values()
    assert (point.low, point.high) == (72.0, 95.5)
    assert [len(line.whiskers) for line in chart.lines] == [2, 1, 0]


def test_classes_are_counted_in_every_split(finished_run: Path) -> None:
    shown = context(inputs_of(finished_run))
    assert shown is not None
    voice, pos = (task["counts"] for task in shown["tasks"])
    assert voice == [("active", [49] * 3), ("passive", [31] * 3), ("none", [3] * 3)]
    assert pos == [("NN", [20] * 3), ("<b>", [9] * 3), ("OTHER", [0] * 3)]
    assert shown["paths"] == [
        finished_run / "reports/probe.json",
        finished_run / "reports/probe_data.json",
    ]


def test_many_encoders_keep_off_the_style_of_the_majority_class(tmp_path: Path) -> None:
    write_run(tmp_path, ["a b"])
    (tmp_path / "reports/probe_data.json").unlink()
    cells = [Accuracy(f"m{i}", 1, "voice", 2, 80, 90.0, 89.0, 91.0, 60.0) for i in range(9)]
    recipe: dict[str, Any] = {"sentences": {"test": 80}, "tasks": ["voice"]}
    write_json(tmp_path / "reports/probe.json", report_of(cells, recipe))
    shown = context(inputs_of(tmp_path))
    assert shown is not None
    (task,) = shown["tasks"]
    assert list(shown["styles"].values()) == [0, 1, 2, 3, 4, 5, 7, 8, 9, GREY]
    assert (task["chart"], task["counts"], shown["left_out"]) == (None, [], [])


def test_where_nothing_has_labels_it_is_said(tmp_path: Path) -> None:
    write_run(tmp_path, ["a b"])
    recipe: dict[str, Any] = {"sentences": {"test": 80}, "tasks": ["tss", "odd"]}
    write_json(tmp_path / "reports/probe.json", report_of([], recipe))
    shown = context(inputs_of(tmp_path))
    assert shown is not None
    assert shown["tasks"] == []
    assert shown["left_out"] == ["Top-level sequence (TSS)", "odd"]


def test_without_its_report_there_is_no_section(finished_run: Path, tmp_path: Path) -> None:
    assert context(inputs_of(finished_run, "reports")) is None
    write_run(tmp_path, ["a b"])
    (tmp_path / "reports/probe.json").unlink()
    assert context(inputs_of(tmp_path)) is None


@pytest.mark.parametrize(
    ("stage", "key", "value", "message"),
    [
        ("probe", "cells", {}, "probe.json: cells: expected a list"),
        ("probe", "cells", [{"encoder": 1}], r"probe.json: cells\[0\].encoder: expected text"),
        ("probe", "test_sentences", "many", "probe.json: test_sentences: expected a number"),
        ("probe_data", "valid", {}, "probe_data.json: valid.voice: expected an object"),
        ("probe_data", "test", {"voice": {}}, "test.voice.active: expected a number, found none"),
    ],
)
def test_what_is_malformed_is_named(
    tmp_path: Path, stage: str, key: str, value: object, message: str
) -> None:
    write_run(tmp_path, ["a b"])
    path = tmp_path / f"reports/{stage}.json"
    write_json(path, read_json(path) | {key: value})
    with pytest.raises(InputError, match=message):
        context(inputs_of(tmp_path))


def test_an_accuracy_that_is_none_is_named(tmp_path: Path) -> None:
    write_run(tmp_path, ["a b"])
    path = tmp_path / "reports/probe.json"
    report = read_json(path)
    report["cells"][len(CELLS) - 1]["low"] = None
    write_json(path, report)
    with pytest.raises(InputError, match=r"cells\[5\].low: expected a number, found None"):
        context(inputs_of(tmp_path))
