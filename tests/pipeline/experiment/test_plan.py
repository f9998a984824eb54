"""The parameter file of the experiments, read strictly."""

from __future__ import annotations

import copy
from typing import Any

import pytest
import yaml

from mgsa.cli.errors import InputError
from mgsa.cli.settings import from_mapping, read_yaml
from pipeline.experiment.plan import Cell, Plan
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


def plan(**changes: Any) -> Plan:
    content = copy.deepcopy(CONTENT)
    content["tables"]["both"] |= changes.pop("table", {})
    return from_mapping(Plan, content | changes, "params.yaml")


def test_a_table_has_a_cell_for_each_system_and_seed() -> None:
    table = plan().tables["both"]
    assert plan().cells(table, 1)["a"] == [Cell("a", 4)]
    rows = plan().cells(table)
    assert list(rows.items()) == [
        ("a", [Cell("a", 4), Cell("a", 5)]),
        ("b", [Cell("b", 4), Cell("b", 5)]),
    ]
    assert rows["b"][1].name == "b-5"


def test_stages_of_a_cell_are_those_of_dvc_yaml() -> None:
    declared = yaml.safe_load((ROOT / "experiments/dvc.yaml").read_text("utf-8"))["stages"]
    stages = plan(table={"analyze": True}).tables["both"].stages(Cell("a", 4))
    assert [name.partition("@")[0] for name in stages] == list(declared)
    assert [name.partition("@")[2] for name in stages] == ["a", *["a-4"] * 5]
    assert plan().tables["both"].stages(Cell("a", 4)) == stages[:-1]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"table": {"systems": ["c"]}}, r"tables\.both: c: no such system"),
        ({"table": {"num_seeds": 4}}, r"tables\.both\.num_seeds: expected at most the 3 of seeds"),
        ({"table_s": {}}, "table_s: unknown key"),
    ],
)
def test_a_mistake_is_named(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        plan(**changes)


def test_every_system_of_the_project_composes() -> None:
    """Those for WMT14 too, which no test trains."""
    path = ROOT / "experiments/params.yaml"
    whole = from_mapping(Plan, read_yaml(path), str(path))
    systems = whole.systems
    assert {name for table in whole.tables.values() for name in whole.cells(table)} == set(systems)
    composed = {}
    for name, options in systems.items():
        content = compose(ROOT / "conf", [option.strip("'") for option in options.split()])
        check_parameters(content, path)
        composed[name] = (content["model"], content["train"])
    for name, settings in composed.items():
        assert [other for other in composed if composed[other] == settings] == [name]
