"""The parameter file of the experiments, read strictly."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import pytest
import yaml

from mgsa.base.errors import InputError
from pipeline.experiment.plan import Cell, read_plan
from pipeline.params import check_parameters, compose
from tests.imports import ROOT

CONTENT: dict[str, Any] = {
    "seeds": [4, 5, 6],
    "systems": {"a": "model=transformer_tiny", "b": "model=rnn_attn_tiny"},
    "tables": {
        "both": {
            "title": "a and b",
            "baseline": "a",
            "systems": ["b"],
            "num_seeds": 2,
            "analyze": False,
        }
    },
}


def write(folder: Path, **changes: Any) -> Path:
    content = copy.deepcopy(CONTENT)
    content["tables"]["both"] |= changes.pop("table", {})
    path = folder / "params.yaml"
    path.write_text(yaml.safe_dump(content | changes), "utf-8")
    return path


def test_a_table_has_a_cell_for_each_system_and_seed(tmp_path: Path) -> None:
    plan = read_plan(write(tmp_path))
    assert plan.cells("both", 1)["a"] == [Cell("a", 4)]
    rows = plan.cells("both")
    assert list(rows.items()) == [
        ("a", [Cell("a", 4), Cell("a", 5)]),
        ("b", [Cell("b", 4), Cell("b", 5)]),
    ]
    assert rows["b"][1].name == "b-5"


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"table": {"systems": ["c"]}}, r"tables\.both: c: no such system"),
        ({"table": {"systems": ["a"]}}, r"tables\.both: expected each system once"),
        ({"table": {"num_seeds": 4}}, r"tables\.both\.num_seeds: expected at most the 3 of seeds"),
        ({"table_s": {}}, "table_s: unknown key"),
    ],
)
def test_a_mistake_is_named(tmp_path: Path, changes: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_plan(write(tmp_path, **changes))


def test_every_system_of_the_project_composes() -> None:
    """Those for WMT14 too, which no test trains."""
    path = ROOT / "experiments/params.yaml"
    systems = yaml.safe_load(path.read_text("utf-8"))["systems"]
    plan = read_plan(path)
    assert {name for table in plan.tables for name in plan.cells(table)} == set(systems)
    composed = {}
    for name, options in systems.items():
        content = compose(ROOT / "conf", [option.strip("'") for option in options.split()])
        check_parameters(content, path)
        composed[name] = (content["model"], content["train"])
    for name, settings in composed.items():
        assert [other for other in composed if composed[other] == settings] == [name]
