"""Command `new`: a project of one's own, which runs the installed code."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from mgsa.cli.run import BAD_INPUT, DONE, run
from mgsa.cli.settings import read_yaml
from pipeline.new import CODE, FILES, _template, main
from pipeline.params.presets import compose
from tests.imports import ROOT


def test_a_project_has_all_that_dvc_needs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    project = tmp_path / "mine"
    (project / ".partial-x").mkdir(parents=True)  # of a run that was killed
    monkeypatch.chdir(project)
    assert run(main, ["."]) == DONE
    assert Path.cwd() == project
    assert (project / "mgsa").resolve() == CODE["mgsa"]
    assert (project / "experiments/mgsa_code").resolve() == CODE["mgsa"]
    assert read_yaml(project / "params.yaml") == compose(ROOT / "conf", [])
    for name in ("dvc.yaml", "experiments/dvc.yaml", "conf/model/mgsa_plus_tiny.yaml"):
        assert (project / name).read_bytes() == (ROOT / name).read_bytes()
    environment = os.environ | {"DVC_NO_ANALYTICS": "1"}
    said = subprocess.run(
        ["dvc", "status", "bpe"], cwd=project, env=environment, capture_output=True, text=True
    )
    assert "pipeline/bpe.py" in said.stdout
    listed = subprocess.run(
        ["git", "ls-files"],
        cwd=project,
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert not any(name in listed.splitlines() for name in ("pipeline", "mgsa"))
    assert "data/own/treebank/README.md" in listed
    assert ".dvc/plots/accuracies.json" in listed


def test_a_clone_of_a_project_is_linked(tmp_path: Path) -> None:
    run(main, [str(tmp_path / "mine")])
    (tmp_path / "mine/params.yaml").write_text("mine")
    (tmp_path / "mine/mgsa").unlink()
    assert run(main, [str(tmp_path / "mine")]) == DONE
    assert (tmp_path / "mine/mgsa").resolve() == CODE["mgsa"]
    assert (tmp_path / "mine/params.yaml").read_text() == "mine"


def test_what_is_installed_read_only_can_be_edited(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    template = shutil.copytree(_template() / "conf", tmp_path / "installed/conf").parent
    for name in (*FILES, ".dvc/plots/curves.json"):
        (template / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(_template() / name, template / name)
    for path in template.rglob("*"):
        path.chmod(0o444 if path.is_file() else 0o555)
    monkeypatch.setattr("pipeline.new._template", lambda: template)
    assert run(main, [str(tmp_path / "mine")]) == DONE
    for name in ("conf", "conf/model", "conf/config.yaml", ".dvc/plots", "dvc.yaml"):
        assert (tmp_path / "mine" / name).stat().st_mode & 0o200


def test_a_project_may_lack_experiments(tmp_path: Path) -> None:
    run(main, [str(tmp_path / "mine")])
    shutil.rmtree(tmp_path / "mine/experiments")
    (tmp_path / "mine/mgsa").unlink()
    assert run(main, [str(tmp_path / "mine")]) == DONE
    assert (tmp_path / "mine/mgsa").exists()


def test_no_other_repository_gets_its_commit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    git = ["git", "-C", str(tmp_path)]
    subprocess.run([*git, "init", "--quiet", "theirs"], check=True)
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "theirs/.git"))
    monkeypatch.setenv("GIT_WORK_TREE", str(tmp_path))
    assert run(main, [str(tmp_path / "mine")]) == DONE
    assert subprocess.run([*git, "log"], capture_output=True).returncode == 128
    monkeypatch.delenv("GIT_DIR")
    monkeypatch.delenv("GIT_WORK_TREE")
    subprocess.run(["git", "-C", str(tmp_path / "mine"), "log"], capture_output=True, check=True)


@pytest.mark.parametrize("theirs", ["thesis.tex", "dvc.yaml"])
def test_a_folder_with_other_files_is_left_alone(
    tmp_path: Path, theirs: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "pipeline").symlink_to("../lib/pipeline")
    (tmp_path / "conf").mkdir()
    (tmp_path / "conf/config.yaml").touch()
    (tmp_path / theirs).write_text("stages: {}")
    before = sorted(tmp_path.rglob("*"))
    assert run(main, [str(tmp_path)]) == BAD_INPUT
    assert capsys.readouterr().err.endswith(", found conf\n")
    assert sorted(tmp_path.rglob("*")) == before
