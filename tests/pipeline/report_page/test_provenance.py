"""Every parameter, hashes that are those of the files, and when and where stages ran."""

from __future__ import annotations

import platform
from dataclasses import replace
from pathlib import Path

import yaml

from mgsa.base.io import sha256, write_json
from pipeline.report_page.provenance import provenance
from tests.report_folders import (
    PARAMETERS,
    PLAIN,
    SYSTEM,
    inputs_of,
    tables_of,
    text_of,
    write_run,
    write_system,
)

ARTIFACTS = "SHA-256 that tells each artifact from every other"
VERSIONS = "Versions of what this run and this page depend on"


def test_parameters_hashes_and_versions(finished_run: Path) -> None:
    found = tables_of(provenance(inputs_of(finished_run)))
    sections = [title for title in found if title.startswith("Parameters: ")]
    assert sections == [f"Parameters: {name}" for name in ("corpus", "tokenize", "model", "report")]
    assert found["Parameters: model"] == [
        ["kind", "transformer"],
        ["multi_granularity.granularities", '["syntactic_1"]'],
    ]
    assert found["Parameters: tokenize"] == [["max_tokens", "100"], ["max_ratio", "null"]]
    assert {name: identity for name, identity, _ in found[ARTIFACTS]} == {
        "parser": "c0ffee",
        "alignments": sha256(finished_run / "alignments/aligner.json"),
        "dataset": sha256(finished_run / "dataset/manifest.json"),
        "dataset: tags.json": "deadbeef",
        f"model: {SYSTEM}": sha256(finished_run / "own/model/manifest.json"),
    }
    versions = {name: rest for name, *rest in found[VERSIONS]}
    assert versions["Python"] == [platform.python_version(), ""]
    assert versions["numpy"][1] == "0.0.1"
    assert versions["a<b>c"] == ["", "2"]
    assert versions["Jinja2"][0]


def test_stages_are_in_order_of_time(tmp_path: Path) -> None:
    write_run(tmp_path, PLAIN)
    for stage, minute, seconds in (("bpe", 7, 65.4), ("corpus", 2, 0.25)):
        started = f"2026-11-23T08:{minute:02}:00+00:00"
        note = {"started": started, "seconds": seconds, "host": "node", "commit": "c0ffee-dirty"}
        write_json(tmp_path / f"runs/{stage}.json", note)
    found = tables_of(provenance(inputs_of(tmp_path)))
    assert found["When and where each stage ran last"] == [
        ["corpus", "2026-11-23 08:02:00", "0.2 s", "node", "c0ffee-dirty"],
        ["bpe", "2026-11-23 08:07:00", "1 min 5 s", "node", "c0ffee-dirty"],
    ]


def write_cells(folder: Path) -> list[Path]:
    """Two cells of one system and one of another, as the experiments lay them out."""
    for system, beam in (("base", 1), ("new", 5)):
        (folder / system).mkdir(parents=True)
        sections = {"corpus": {"kind": "none of theirs"}, "train": {"seed": 1}}
        text = yaml.safe_dump(sections | {"translate": {"beam": beam}})
        (folder / system / "params.yaml").write_text(text, "utf-8")
    return [write_system(folder / name, ["a b"]) for name in ("base-1", "base-2", "new-1")]


def test_systems_are_told_apart_by_their_parameters(tmp_path: Path) -> None:
    """Beside a run, whose corpus may be another than the one that systems are composed with."""
    write_run(tmp_path, ["a b"])
    cells = write_cells(tmp_path / "runs_of")
    second = write_system(tmp_path / "second", ["a b"])
    own = PARAMETERS | {"tokenize": {"max_tokens": 7, "min_tokens": 1}}
    (second / "params.yaml").write_text(yaml.safe_dump(own), "utf-8")
    found = tables_of(provenance(inputs_of(tmp_path, compared=[*cells, second])))
    assert {name: found[f"Parameters of {name}"] for name in ("base-2", "new-1", "second")} == {
        "base-2": [["train.seed", "2", ""], ["translate.beam", "1", ""]],
        "new-1": [["train.seed", "1", ""], ["translate.beam", "5", ""]],
        "second": [
            ["tokenize.max_tokens", "7", "100"],
            ["tokenize.min_tokens", "1", ""],
            ["tokenize.max_ratio", "", "null"],
        ],
    }


def test_a_comparison_alone_shows_what_its_systems_were_run_with(tmp_path: Path) -> None:
    write_run(tmp_path, ["a b"])
    cells = write_cells(tmp_path / "runs_of")
    inputs = replace(inputs_of(tmp_path, compared=cells), parameters=None)
    inputs.systems = inputs.systems[1:]
    shown = list(provenance(inputs))
    found = tables_of(shown)
    assert "Parameters of base-1" in text_of(shown)
    assert found["Parameters: train"] == [["seed", "1"]]
    assert found["Parameters: translate"] == [["beam", "1"]]
    assert found["Parameters of base-2"] == [["train.seed", "2", "1"]]
    assert found["Parameters of new-1"] == [["translate.beam", "5", "1"]]
    inputs.systems = []
    assert not any(title.startswith("Parameters") for title in tables_of(provenance(inputs)))
