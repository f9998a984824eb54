"""Accuracies are those of the report of the stage `probe`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from mgsa.base.io import write_json
from pipeline.probing.accuracies import MAJORITY, Accuracy, report_of
from pipeline.report_page.blocks import Legend
from pipeline.report_page.probing import GREY, probing
from tests.report_folders import (
    inputs_of,
    tables_of,
    text_of,
    titles_of,
    write_run,
)


def test_accuracies_are_of_the_last_layers_and_of_all(finished_run: Path) -> None:
    shown = list(probing(inputs_of(finished_run)))
    found = tables_of(shown)
    assert found["Voice"] == [
        [MAJORITY, "", "61.2", ""],
        ["model", "2", "85.0", "72.0 to 95.5"],
        ["scratch_<b>", "3", "90.0", "73.0 to 95.5"],
    ]
    assert found["Voice by layer"] == [
        ["1", "80.0 (71.0 to 95.5)", ""],
        ["2", "85.0 (72.0 to 95.5)", ""],
        ["3", "", "90.0 (73.0 to 95.5)"],
    ]
    assert found["Classes of Voice in each split"] == [
        ["active", *["49"] * 3],
        ["passive", *["31"] * 3],
        ["none", *["3"] * 3],
    ]
    assert "Left out, for want of labels: Tense." in text_of(shown)
    (legend,) = (block for block in shown if isinstance(block, Legend))
    assert legend.styles == {"model": 0, "scratch_<b>": 1, MAJORITY: GREY}


def write_probes(folder: Path, cells: list[Accuracy], tasks: list[str]) -> None:
    write_run(folder, ["a b"])
    (folder / "reports/probe_data.json").unlink()
    recipe: dict[str, Any] = {"sentences": {"test": 80}, "tasks": tasks}
    write_json(folder / "reports/probe.json", report_of(cells, recipe))


def test_of_one_layer_there_is_no_curve(tmp_path: Path) -> None:
    cells = [Accuracy(f"m{i}", 1, "voice", 2, 80, 90.0, 89.0, 91.0, 60.0) for i in range(9)]
    write_probes(tmp_path, cells, ["voice"])
    shown = list(probing(inputs_of(tmp_path)))
    assert titles_of(shown) == ["Voice, last layers"]
    assert not any(isinstance(block, Legend) for block in shown)


def test_without_accuracies_there_is_no_section(tmp_path: Path) -> None:
    """As without a parser, which gives no labels."""
    write_probes(tmp_path, [], ["tss"])
    assert list(probing(inputs_of(tmp_path))) == []
    assert list(probing(inputs_of(tmp_path, "reports"))) == []
