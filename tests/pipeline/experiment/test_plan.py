"""The parameter file of the experiments, read strictly."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import pytest
import yaml

from mgsa.cli.errors import InputError
from mgsa.cli.settings import from_mapping
from pipeline.experiment.plan import Cell, Plan
from pipeline.params.presets import compose
from pipeline.params.sections import check_parameters
from tests.imports import ROOT

CONTENT: dict[str, Any] = {
    "seeds": [4, 5, 6],
    "sizes": {
        "tiny": {"overrides": "", "top": "[4]"},
        "base": {"overrides": "train=gpu8", "top": "[6]"},
        "big": {"overrides": ""},
    },
    "systems": {"a": "model=a_$size 'layers=$top'", "b": "model=rnn_attn_tiny"},
    "tables": {"both": {"baseline": "a", "systems": ["b"], "num_seeds": 2}},
    "gold": {},
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


def test_a_system_is_a_difference_to_a_size() -> None:
    assert plan().overrides("a", "tiny") == ["model=a_tiny", "layers=[4]"]
    assert plan().overrides("a", "base") == ["train=gpu8", "model=a_base", "layers=[6]"]
    for words, message in (("a='b", "No closing quotation"), ("$5", "Invalid placeholder")):
        with pytest.raises(InputError, match=rf"^systems\.a: {message}"):
            plan(systems={"a": words, "b": ""}).overrides("a", "tiny")
    with pytest.raises(InputError, match=r"systems\.a: sizes\.big has no 'top'"):
        plan().overrides("a", "big")


def test_a_table_needs_its_systems_alone() -> None:
    systems = {"transformer": "", "b": ""}
    table = plan(systems=systems, tables={"both": {"systems": ["b"]}}).tables["both"]
    assert (table.baseline, table.num_seeds) == ("transformer", 3)


def test_stages_of_a_cell_are_those_of_dvc_yaml() -> None:
    declared = yaml.safe_load((ROOT / "experiments/dvc.yaml").read_text("utf-8"))["stages"]
    stages = plan(table={"analyze": True, "align": True}).tables["both"].stages(Cell("a", 4))
    assert [name.partition("@")[0] for name in stages] == list(declared)
    assert [name.partition("@")[2] for name in stages] == ["a", *["a-4"] * 6]
    assert plan().tables["both"].stages(Cell("a", 4)) == stages[:-2]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"table": {"systems": ["c"]}}, r"tables\.both: c: no such system"),
        ({"table": {"num_seeds": 4}}, r"tables\.both\.num_seeds: expected at most the 3 of seeds"),
        ({"table_s": {}}, "table_s: unknown key"),
        ({"seeds": [1, 1, 2]}, "seeds: expected each once"),
        ({"systems": {"a": "", "b": "", "c>d": ""}}, "systems: c>d: expected letters, digits"),
        ({"sizes": {"tiny": {}}}, r"sizes\.tiny: missing key overrides"),
    ],
)
def test_a_mistake_is_named(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        plan(**changes)


@pytest.mark.parametrize("size", ["tiny", "base", "big"])
def test_every_system_composes_at_every_size(size: str) -> None:
    """Those for WMT14 too, which no test trains; no two are the same."""
    whole = Plan.read(ROOT / "experiments")
    assert set(whole.systems) == {s for t in whole.tables.values() for s in whole.cells(t)}
    composed: dict[str, str] = {}
    for name in whole.systems:
        content = compose(ROOT / "conf", whole.overrides(name, size))
        check_parameters(content, Path("params.yaml"))
        of_model = str((content["model"], content["train"]))
        # The tiny preset weighs links more than the paper, whose weight this system has.
        if not (name == "align_lightly" and size != "tiny"):
            assert composed.setdefault(of_model, name) == name
