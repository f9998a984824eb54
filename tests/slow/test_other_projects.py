"""Projects that take the dataset, or a model, and nothing else of this one."""

from __future__ import annotations

import shutil
import subprocess
import sys
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

from mgsa.cli.outputs import sha256
from tests.dvc_project import SIZES, Project, project_at, ran
from tests.imports import ROOT
from tests.team import RESULTS, Team

pytestmark = pytest.mark.slow

TRAIN = "mgsa train --dataset dataset --config params.yaml --out model --restart"


def another_project(tmp_path: Path, *installed: Path) -> Project:
    """An empty folder of somebody who has these packages."""
    folder, home, packages = tmp_path / "other", tmp_path / "other_home", tmp_path / "packages"
    for new in (folder, home, packages):
        new.mkdir()
    for package in installed:
        shutil.copytree(package, packages / package.name)
    project = project_at(folder, home)
    return replace(project, environment=project.environment | {"PYTHONPATH": str(packages)})


def test_a_project_imports_the_dataset_trains_on_it_and_follows_it(
    team: Team, tmp_path: Path
) -> None:
    ours = team.first.folder
    project = another_project(tmp_path, ours / "mgsa")
    project.run("git", "init", "--quiet")
    project.run("dvc", "init", "--quiet")
    project.run("dvc", "import", str(team.repository), "data/dataset")
    project.run("dvc", "import", str(team.repository), "params.yaml")
    stage = ("--name", "train", "--deps", "dataset", "--params", "model,train", "--outs", "model")
    project.run("dvc", "stage", "add", *stage, TRAIN)
    assert f"    '{TRAIN}'\n" in (ROOT / "docs/howto/sharing.md").read_text("utf-8")
    assert ran(project.run("dvc", "repro")) == ["train"]
    weights = project.folder / "model/model.safetensors"
    assert sha256(weights) == sha256(ours / "data/model/model.safetensors")
    project.commit()
    said = project.run("dvc", "update", "dataset.dvc")
    assert project.run("git", "status", "--porcelain") == "", said
    assert ran(project.run("dvc", "repro")) == []

    team.first.compose("bpe.merges=150")
    team.first.run("dvc", "repro", "dataset")
    team.first.commit()
    team.publish()
    project.run("dvc", "update", "dataset.dvc")
    manifest = "dataset/manifest.json"
    assert sha256(project.folder / manifest) == sha256(ours / "data" / manifest)
    before = sha256(weights)
    assert ran(project.run("dvc", "repro")) == ["train"]
    assert sha256(weights) != before


def test_a_project_gets_a_model_and_translates(team: Team, tmp_path: Path) -> None:
    """A split of the dataset, and raw text, for which this model needs the parser."""
    ours = team.first.folder
    project = another_project(tmp_path, ours / "mgsa", ours / "pipeline")
    for name in ("data/model", "data/dataset", "data/parser", "data/corpus/test.source"):
        project.run("dvc", "get", "--rev", RESULTS, str(team.repository), name)
    project.run("dvc", "artifacts", "get", "--out", "released", str(team.repository), "model")
    weights = project.folder / "released/model.safetensors"
    assert sha256(weights) == sha256(ours / "data/model/model.safetensors")

    split = "--dataset dataset --split test"
    said = project.run("sh", "-c", f"mgsa translate --model model {split} --set beam=2")
    assert said.count("\n") == SIZES["test"]
    options = "--model model --set beam=2"
    command = f"python -m pipeline.translate {options}"
    project.run(
        "sh", "-c", f"python -m pipeline.translate.split {options} {split} --out translations"
    )
    for name in ("hypotheses", "references", "scores"):
        found = project.folder / f"translations/test.{name}"
        assert found.read_bytes() == (ours / f"data/translations/test.{name}").read_bytes()

    hypotheses = (ours / "data/translations/test.hypotheses").read_text("utf-8")
    assert project.run("sh", "-c", f"{command} --parser parser < test.source") == hypotheses
    said = project.run("sh", "-c", f"{command} < test.source", status=2)
    assert said.startswith("error: expected --parser and the parser of the training data")


def test_a_wheel_makes_a_project_and_an_upgrade_reruns_what_it_changes(tmp_path: Path) -> None:
    pip = (sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir")
    subprocess.run([*pip, str(tmp_path), str(ROOT)], check=True)
    project = another_project(tmp_path)
    packages = Path(project.environment["PYTHONPATH"])
    with zipfile.ZipFile(next(tmp_path.glob("*.whl"))) as wheel:
        wheel.extractall(packages)
    project.run("python", "-m", "pipeline.new", ".")
    assert (project.folder / "pipeline").resolve() == packages / "pipeline"
    project.compose()
    assert ran(project.run("dvc", "repro", "train"))[-1] == "train"
    with (packages / "pipeline/bpe.py").open("a", encoding="utf-8") as code:
        code.write("# An upgrade.\n")
    assert ran(project.run("dvc", "repro", "bpe")) == ["bpe"]
