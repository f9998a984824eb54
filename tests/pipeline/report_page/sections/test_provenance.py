"""Every parameter, and hashes that are those of the files."""

from __future__ import annotations

import platform
from dataclasses import replace
from pathlib import Path

import yaml

from mgsa.base.io import sha256
from pipeline.report_page.sections.provenance import context, flatten
from tests.report_folders import PARAMETERS, SYSTEM, inputs_of, write_run, write_system


def test_every_parameter_is_there(finished_run: Path) -> None:
    sections = dict(context(inputs_of(finished_run))["sections"])
    assert list(sections) == ["corpus", "tokenize", "model", "report"]
    assert sections["model"] == [
        ("kind", "transformer"),
        ("multi_granularity.granularities", '["syntactic_1"]'),
    ]
    assert sections["tokenize"] == [("max_tokens", "100"), ("max_ratio", "null")]


def test_hashes_are_those_of_the_files(finished_run: Path) -> None:
    artifacts = {one.name: one.identity for one in context(inputs_of(finished_run))["artifacts"]}
    assert artifacts == {
        "parser": "c0ffee",
        "alignments": sha256(finished_run / "alignments/aligner.json"),
        "dataset": sha256(finished_run / "dataset/manifest.json"),
        "dataset: tags.json": "deadbeef",
        f"model: {SYSTEM}": sha256(finished_run / "own/model/manifest.json"),
    }


def test_versions_are_of_here_and_of_the_dataset(finished_run: Path) -> None:
    versions = {name: rest for name, *rest in context(inputs_of(finished_run))["versions"]}
    assert versions["Python"] == [platform.python_version(), ""]
    assert versions["numpy"][1] == "0.0.1"
    assert versions["a<b>c"] == ["", "2"]
    assert versions["Jinja2"][0]


def test_a_system_is_told_by_its_own_parameters(tmp_path: Path) -> None:
    write_run(tmp_path, ["a b"])
    second = write_system(tmp_path / "second", ["a b"])
    own = PARAMETERS | {"tokenize": {"max_tokens": 7, "min_tokens": 1}}
    (second / "params.yaml").write_text(yaml.safe_dump(own), "utf-8")
    assert context(inputs_of(tmp_path, compared=[second]))["differences"] == [
        (
            "second",
            [
                ("tokenize.max_tokens", "7", "100"),
                ("tokenize.min_tokens", "1", ""),
                ("tokenize.max_ratio", "", "null"),
            ],
        )
    ]


def write_cells(folder: Path) -> list[Path]:
    """Two cells of one system and one of another, as the experiments lay them out."""
    for system, beam in (("base", 1), ("new", 5)):
        (folder / system).mkdir(parents=True)
        sections = {"corpus": {"kind": "none of theirs"}, "train": {"seed": 1}}
        text = yaml.safe_dump(sections | {"translate": {"beam": beam}})
        (folder / system / "params.yaml").write_text(text, "utf-8")
    return [write_system(folder / name, ["a b"]) for name in ("base-1", "base-2", "new-1")]


def test_cells_are_told_by_the_parameters_of_their_systems(tmp_path: Path) -> None:
    """Beside a run, whose corpus may be another than the one that systems are composed with."""
    write_run(tmp_path, ["a b"])
    shown = context(inputs_of(tmp_path, compared=write_cells(tmp_path / "runs")))
    assert shown["parameter_file"] == tmp_path / "params.yaml"
    assert dict(shown["differences"]) == {
        "base-1": [("train.seed", "1", ""), ("translate.beam", "1", "")],
        "base-2": [("train.seed", "2", ""), ("translate.beam", "1", "")],
        "new-1": [("train.seed", "1", ""), ("translate.beam", "5", "")],
    }


def test_a_comparison_alone_shows_what_its_systems_were_run_with(tmp_path: Path) -> None:
    write_run(tmp_path, ["a b"])
    cells = write_cells(tmp_path / "runs")
    inputs = replace(inputs_of(tmp_path, compared=cells), parameters=None)
    inputs.systems = inputs.systems[1:]
    shown = context(inputs)
    assert shown["parameter_file"] == tmp_path / "runs/base/params.yaml"
    assert shown["parameters_of"] == "base-1"
    assert dict(shown["sections"]) == {"train": [("seed", "1")], "translate": [("beam", "1")]}
    assert shown["differences"] == [
        ("base-2", [("train.seed", "2", "1")]),
        ("new-1", [("translate.beam", "5", "1")]),
    ]
    inputs.systems = []
    shown = context(inputs)
    assert (shown["sections"], shown["parameter_file"], shown["differences"]) == ([], None, [])


def test_keys_of_sections_within_sections() -> None:
    values = {"a": {"b": {"c": 1}, "d": None}, "e": {}}
    assert list(flatten(values)) == [("a.b.c", "1"), ("a.d", "null"), ("e", "{}")]
