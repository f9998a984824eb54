"""Which cells are finished, as DVC has it; and a table of them, whatever has become of the others.

The cells of this project are made in no time: their stages copy what has been prepared for them.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from mgsa.base.cli import FAILED, run
from mgsa.base.errors import FailedError
from mgsa.base.io import read_json
from pipeline.experiment.__main__ import main
from pipeline.experiment.cells import run_stages, unfinished_stages
from tests.pipeline.experiment.test_results import worse, write_cell

pytestmark = pytest.mark.slow

SYSTEMS = ("base", "new")
CELLS = [f"{system}-1" for system in SYSTEMS]
STAGES = [f"evaluate@{cell}" for cell in CELLS]
MATRIX = {"system": list(SYSTEMS), "seed": [1]}
CONTENT = {
    "stages": {
        "compose": {
            "foreach": "${systems}",
            "do": {
                "cmd": "mkdir -p runs/${key} && cat ../made/${key}/params.yaml > "
                "runs/${key}/params.yaml && "
                "echo 'model: ${item} ${overrides}' >> runs/${key}/params.yaml",
                "outs": ["runs/${key}/params.yaml"],
            },
        },
        "train": {
            "matrix": MATRIX,
            "cmd": "test ! -e ${key}.broken && mkdir -p runs/${key} && "
            "cp -r ../made/${key}/model ../made/${key}/train.json runs/${key}",
            "deps": ["../data/dataset"],
            "params": [{"runs/${item.system}/params.yaml": ["model"]}],
            "outs": ["runs/${key}/model"],
            "metrics": ["runs/${key}/train.json"],
        },
        "translate": {
            "matrix": MATRIX,
            "cmd": "cp -r ../made/${key}/translations runs/${key}",
            "deps": ["runs/${key}/model", "runs/${key}/train.json"],
            "outs": ["runs/${key}/translations"],
        },
        "evaluate": {
            "matrix": MATRIX,
            "cmd": "cp ../made/${key}/evaluate.json runs/${key}",
            "deps": ["runs/${key}/translations"],
            "params": [{"runs/${item.system}/params.yaml": ["evaluate"]}],
            "metrics": ["runs/${key}/evaluate.json"],
        },
    }
}


def dvc(folder: Path, *arguments: str) -> None:
    subprocess.run([sys.executable, "-m", "dvc", *arguments], cwd=folder, check=True)


def set_up(folder: Path, *, overrides: str = "") -> None:
    """The parameter file: one table of both systems."""
    table = {"title": "Two systems", "baseline": "base", "systems": ["new"]}
    params = {
        "overrides": overrides,
        "seeds": [1],
        "systems": {name: f"model={name}" for name in SYSTEMS},
        "tables": {"some": table | {"num_seeds": 1, "analyze": False}},
    }
    (folder / "params.yaml").write_text(yaml.safe_dump(params), "utf-8")


@pytest.fixture(scope="module")
def run_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project whose cells are finished."""
    project = tmp_path_factory.mktemp("cells")
    for system, wrong in zip(SYSTEMS, (4, 1), strict=True):
        write_cell(project / "made", system, 1, worse(wrong))
    (project / "data/dataset").mkdir(parents=True)
    (project / "data/dataset/train").write_text("1\n", "utf-8")
    folder = project / "experiments"
    folder.mkdir()
    set_up(folder)
    (folder / "dvc.yaml").write_text(yaml.safe_dump(CONTENT, sort_keys=False), "utf-8")
    dvc(folder, "init", "--no-scm", "-q")
    assert run_stages(folder, STAGES)
    return project


@pytest.fixture
def folder(run_once: Path, tmp_path: Path) -> Path:
    """The experiments of a copy of it."""
    return shutil.copytree(run_once, tmp_path / "project", symlinks=True) / "experiments"


def of(folder: Path, *steps: str) -> set[str]:
    """Which stages of these steps are unfinished."""
    names = unfinished_stages(folder, STAGES)
    return {name for name in names if name.partition("@")[0] in steps}


def test_a_cell_is_finished_while_dataset_and_parameters_are_its_own(folder: Path) -> None:
    assert unfinished_stages(folder, STAGES) == frozenset()
    (folder / "../data/dataset/train").write_text("2\n", "utf-8")
    assert unfinished_stages(folder, STAGES) == {f"train@{cell}" for cell in CELLS}
    (folder / "../data/dataset/train").write_text("1\n", "utf-8")
    set_up(folder, overrides="train.max_epochs=3")
    assert unfinished_stages(folder, STAGES) == {f"compose@{system}" for system in SYSTEMS}


def test_outputs_that_are_gone_are_unfinished(folder: Path) -> None:
    shutil.rmtree(folder / "runs/new-1/model")
    assert unfinished_stages(folder, STAGES) == {"train@new-1", "translate@new-1"}


def test_cells_that_another_process_runs_are_unfinished(folder: Path) -> None:
    from dvc.repo import Repo
    from dvc.rwlock import rwlock

    with Repo(str(folder)) as repo:
        busy = [str(folder / "runs/new-1/translations")]
        # This process holds it, so it has to be another one that asks.
        with rwlock(repo.tmp_dir, repo.fs, "dvc repro", [], busy, False):
            done = run_alone(folder, "--collect-only")
    assert done.returncode == FAILED
    assert done.stderr.splitlines()[-1] == "error: 1 cell has no result: new-1"
    assert "new-1: not run" in (folder / "tables/some.md").read_text("utf-8")


def run_alone(folder: Path, *more: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pipeline.experiment", "--folder", str(folder), "some", *more]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_stale_cells_are_not_run_and_a_failing_one_leaves_the_others(
    folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    argv = ["--folder", str(folder), "some"]
    assert run(main, argv) == 0
    before = read_json(folder / "tables/some.json")
    assert before["dataset"] == "c0ffee"
    assert before["systems"]["new"]["seeds"] == [1]

    shutil.rmtree(folder / "runs/new-1/model")
    capfd.readouterr()
    assert run(main, [*argv, "--collect-only"]) == FAILED
    said = capfd.readouterr()
    assert said.err == "error: 1 cell has no result: new-1\n"
    assert "| new | not run | not run | not run |" in said.out
    collected = read_json(folder / "tables/some.json")
    assert collected["systems"]["new"]["not_run"] == [1]

    (folder / "../data/dataset/train").write_text("2\n", "utf-8")
    assert run(main, [*argv, "--collect-only"]) == FAILED
    assert capfd.readouterr().err.startswith("error: some: no cell is of the present dataset")
    assert read_json(folder / "tables/some.json") == collected

    (folder / "new-1.broken").touch()
    assert run(main, argv) == FAILED
    assert (folder / "runs/new-1/evaluate.json").is_file()  # of the dataset before
    assert capfd.readouterr().err.endswith("error: 1 cell has no result: new-1\n")
    table = read_json(folder / "tables/some.json")["systems"]
    assert (table["base"]["seeds"], table["base"]["failed"]) == ([1], [])
    assert (table["new"]["seeds"], table["new"]["failed"]) == ([], [1])
    assert "new-1: failed" in (folder / "tables/some.md").read_text("utf-8")


@pytest.mark.parametrize("more", [[], ["--collect-only"]])
@pytest.mark.parametrize(
    ("problem", "message"),
    [
        ("broken", "error: dvc: "),
        ("no project", "error: dvc: you are not inside of a DVC repository"),
        ("locked", "error: dvc: Unable to acquire lock"),
        ("dvc.lock", r"error: dvc: .*dvc\.lock.*killed while it wrote that: rm dvc\.lock\)$"),
        (".dvc/tmp/rwlock", r"error: dvc: .*RWLock.*wrote that: rm \.dvc/tmp/rwlock\)$"),
    ],
)
def test_what_stops_dvc_is_one_line_and_makes_no_table(
    folder: Path,
    problem: str,
    message: str,
    more: list[str],
    capfd: pytest.CaptureFixture[str],
) -> None:
    from dvc.lock import make_lock

    argv = ["--folder", str(folder), "some", *more]
    match problem:
        case "broken":
            (folder / "dvc.yaml").write_text("stages: [", "utf-8")
        case "no project":
            shutil.rmtree(folder / ".dvc")
        case "dvc.lock" | ".dvc/tmp/rwlock":
            (folder / problem).write_text("", "utf-8")
    if problem == "locked":
        with make_lock(str(folder / ".dvc/tmp/lock"), tmp_dir=str(folder / ".dvc/tmp")):
            assert run(main, argv) == FAILED
    else:
        assert run(main, argv) == FAILED
    said = capfd.readouterr()
    assert re.match(message, said.err)
    assert said.err.count("\n") == 1
    assert not (folder / "tables").exists()


def test_a_stage_that_there_is_not_is_named(folder: Path) -> None:
    with pytest.raises(FailedError, match="evaluate@none-1"):
        unfinished_stages(folder, ["evaluate@none-1"])
