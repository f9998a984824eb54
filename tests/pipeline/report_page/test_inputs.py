"""Systems are known by what lies in their folder; what was given is read, the rest is `None`."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from mgsa.base.errors import InputError
from mgsa.base.io import write_json
from pipeline.report_page.inputs import (
    CELL_SECTIONS,
    Report,
    System,
    drawn_sentences,
)
from tests.imports import ROOT
from tests.report_folders import HOSTILE, PLAIN, inputs_of, tokens_of, write_run, write_system


def test_what_a_report_lacks_is_named(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    write_json(path, {"bleu": 81.42, "name": "x", "ter": None, "cells": [{"layer": True}]})
    report = Report.read(path)
    assert report.number("bleu") == report.optional("bleu") == 81.42
    assert report.optional("chrf") is report.optional("ter") is None
    assert report.numbers() == {"bleu": 81.42}
    (cell,) = report["cells"]
    for call, message in (
        (lambda: report.number("name"), "name: expected a number, found 'x'"),
        (lambda: cell.number("layer"), "layer: expected a number, found True"),
        (lambda: cell["task"], "task: expected a value, found none"),
    ):
        with pytest.raises(InputError, match=rf"x.json: {message}"):
            call()
    for value in (float("nan"), float("inf")):
        with pytest.raises(InputError, match="expected a number"):
            Report({"n": value}, path).number("n")
    write_json(path, [])
    with pytest.raises(InputError, match="expected an object"):
        Report.read(path)


def test_reports_by_other_names_are_found(tmp_path: Path) -> None:
    """The experiments call what `analyze` reports `attention.json`, and AER `alignment.json`."""
    write_system(tmp_path / "a", PLAIN)
    write_json(tmp_path / "a/attention.json", {"encoder": {}})
    write_json(tmp_path / "a/alignment.json", {"aer": 3.5})
    system = System.in_folder("a", tmp_path / "a")
    assert system.model == tmp_path / "a/model"
    assert system.report("probe") is None
    analyzed, aligned = system.report("analyze"), system.report("align")
    assert analyzed is not None
    assert analyzed.path.name == "attention.json"
    assert aligned is not None
    assert aligned.number("aer") == 3.5


def test_a_cell_was_run_with_the_parameters_of_its_system_and_its_seed(tmp_path: Path) -> None:
    """The layout is that of `experiments/dvc.yaml`: of its stages, which read which sections."""
    stages = yaml.safe_load((ROOT / "experiments/dvc.yaml").read_text("utf-8"))["stages"]
    paths = set()
    for stage in stages.values():
        for params in stage.get("params", []):
            ((path, sections),) = params.items()
            assert set(sections) <= set(CELL_SECTIONS)
            paths.add(path.replace("${item.system}", "a-b"))
    assert "--out runs/${key}/model" in stages["train"]["cmd"]
    assert "--set seed=${item.seed}" in stages["train"]["cmd"]

    cell = write_system(tmp_path / "runs/a-b-12", PLAIN)
    assert System.in_folder("a", cell).parameters() is None
    ran = {"model": {"kind": "rnn"}, "train": {"seed": 1, "lr": 2}}
    composed = {"corpus": {"kind": "sample"}, **ran}
    (path,) = (tmp_path / path for path in paths)
    path.parent.mkdir()
    path.write_text(yaml.safe_dump(composed), "utf-8")
    system = System.in_folder("a", cell)
    assert system.parameters() == (path, ran | {"train": {"seed": 12, "lr": 2}})

    path.rename(cell / "params.yaml")  # a file of its own goes before
    assert system.parameters() == (cell / "params.yaml", composed)


def test_a_folder_of_nothing_is_no_system(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(
        InputError, match=r"empty: --system a: expected translations, evaluate.json"
    ):
        System.in_folder("a", tmp_path / "empty")
    with pytest.raises(InputError, match="missing: --system a: no such folder"):
        System.in_folder("a", tmp_path / "missing")


@pytest.mark.parametrize(
    ("others", "line"), [([PLAIN[0], "Another .", PLAIN[2]], 2), (PLAIN[:2], 3)]
)
def test_other_references_are_named(tmp_path: Path, others: list[str], line: int) -> None:
    write_run(tmp_path, PLAIN)
    second = write_system(tmp_path / "second", others)
    message = rf"second/translations/test.references:{line}: expected the same references as in "
    with pytest.raises(InputError, match=message):
        _ = inputs_of(tmp_path, compared=[second]).translations


def test_text_of_the_split(finished_run: Path) -> None:
    inputs = inputs_of(finished_run)
    assert inputs.sources == [*PLAIN, *HOSTILE]
    assert inputs.tokens("source") == [tokens_of(text) for text in (*PLAIN, *HOSTILE)]
    assert inputs.languages == {"source": "en", "target": "de"}
    assert inputs_of(finished_run, "corpus").languages == inputs.languages  # the dataset's
    nothing = inputs_of(finished_run, "tokenized", "corpus", "dataset", "reports")
    assert nothing.sources is None
    assert nothing.tokens("source") is None
    assert nothing.languages == {"source": "", "target": ""}
    assert nothing.report("evaluate") is None
    assert nothing.drawn == []


def test_only_kept_lines_of_the_corpus_are_sources(tmp_path: Path) -> None:
    write_run(tmp_path, PLAIN)
    (tmp_path / "tokenized/test.lines").write_text("3\n1\n", "utf-8")
    assert inputs_of(tmp_path).sources == [PLAIN[2], PLAIN[0]]


@pytest.mark.parametrize(
    ("count", "longest", "expected"),
    [
        (3, 60, [1, 3, 0]),
        (2, 60, [1, 0]),
        (1, 60, [3]),
        (0, 60, []),
        (9, 60, [1, 4, 3, 5, 0]),
        (2, 100, [1, 2]),
        (2, 0, []),
    ],
)
def test_drawn_sentences_are_spread_over_the_lengths(
    count: int, longest: int, expected: list[int]
) -> None:
    assert drawn_sentences([5, 1, 99, 3, 2, 4], count=count, longest=longest) == expected
