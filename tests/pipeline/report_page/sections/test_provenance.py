"""Every parameter, and hashes that are those of the files."""

from __future__ import annotations

import platform
from pathlib import Path

from mgsa.files import sha256
from pipeline.report_page.sections.provenance import context, flatten
from tests.report_folders import SYSTEM, inputs_of


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


def test_keys_of_sections_within_sections() -> None:
    values = {"a": {"b": {"c": 1}, "d": None}, "e": {}}
    assert list(flatten(values)) == [("a.b.c", "1"), ("a.d", "null"), ("e", "{}")]
