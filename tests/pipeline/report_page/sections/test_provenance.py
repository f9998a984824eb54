"""Every parameter, and hashes that are those of the files."""

from __future__ import annotations

import platform
from pathlib import Path

import yaml

from mgsa.files import sha256
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


def test_keys_of_sections_within_sections() -> None:
    values = {"a": {"b": {"c": 1}, "d": None}, "e": {}}
    assert list(flatten(values)) == [("a.b.c", "1"), ("a.d", "null"), ("e", "{}")]
