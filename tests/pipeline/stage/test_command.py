"""What every stage shares: a folder and a report that are new together, or as they were."""

from __future__ import annotations

import subprocess
from datetime import datetime
from pathlib import Path
from typing import Annotated

import pytest

from mgsa.cli.command import OutputFolder, Report
from mgsa.cli.errors import InputError
from mgsa.cli.files import read_json
from pipeline.stage.command import run_note, stage, stage_outputs


def fill(out: Path, report: Path, number: object) -> None:
    with stage_outputs(out, report) as (folder, numbers):
        (folder / "mark").touch()
        (folder / f"file {number}").touch()
        numbers["number"] = number


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_a_folder_and_its_report_are_replaced(tmp_path: Path) -> None:
    for number in (1, 2):
        fill(tmp_path / "out", tmp_path / "reports" / "out.json", number)
        assert names(tmp_path / "out") == [f"file {number}", "mark"]
        assert read_json(tmp_path / "reports" / "out.json") == {"number": number}


def test_a_report_that_cannot_be_written_leaves_the_folder(tmp_path: Path) -> None:
    fill(tmp_path / "out", tmp_path / "out.json", 1)
    with pytest.raises(TypeError, match="not JSON serializable"):
        fill(tmp_path / "out", tmp_path / "out.json", object())
    assert names(tmp_path / "out") == ["file 1", "mark"]
    assert read_json(tmp_path / "out.json") == {"number": 1}


def test_when_and_where_a_stage_ran_is_noted_beside_its_reports(tmp_path: Path) -> None:
    argv = ["--out", str(tmp_path / "out"), "--report"]
    touch([*argv, str(tmp_path / "reports/touch.json")])
    note = read_json(tmp_path / "runs/touch.json")
    assert set(note) == {"started", "seconds", "host", "commit"}
    assert datetime.fromisoformat(note["started"]).tzinfo is not None
    assert 0 <= note["seconds"] < 60
    for mine in ("[1]", "42", '{"started": "2026-05-03", "notes": ["diverged"]}'):
        (tmp_path / "runs/mine.json").write_text(mine)
        with pytest.raises(InputError, match=r"mine\.json: expected no file, or the note of a run"):
            touch([*argv, str(tmp_path / "reports/mine.json")])
    touch([*argv, str(tmp_path / "elsewhere/touch.json")])
    assert names(tmp_path) == ["elsewhere", "out", "reports", "runs"]
    (tmp_path / "of").mkdir()
    (tmp_path / "of/runs").touch()
    with pytest.raises(InputError, match="of/runs: expected a folder, found a file"):
        touch([*argv, str(tmp_path / "of/reports/touch.json")])
    assert not (tmp_path / "of/reports/touch.json").exists()
    (tmp_path / "of/runs").unlink()
    argv = ["--out", str(tmp_path / "of/runs"), "--report", str(tmp_path / "of/reports/touch.json")]
    with pytest.raises(InputError, match=r"of/runs/touch\.json: expected a folder apart from"):
        touch(argv)


def test_a_commit_is_dirty_by_more_than_a_run_writes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run_note(datetime.now())["commit"] is None
    names = ("dvc.lock", "data/report.json", "params.yaml")
    for name in names:
        Path(name).parent.mkdir(exist_ok=True)
        Path(name).touch()
    author = ("-c", "user.name=x", "-c", "user.email=x@y")
    for words in (["init", "-q"], ["add", "-A"], [*author, "commit", "-qm", "x"]):
        subprocess.run(["git", *words], check=True)
    found = []
    for name in names:
        Path(name).write_text("changed")
        found.append(run_note(datetime.now())["commit"])
    assert [commit.endswith("-dirty") for commit in found] == [False, False, True]


def touch_files(
    *,
    out: Annotated[Path, OutputFolder("files", "mark")],
    report: Annotated[Path | None, Report()] = None,
) -> None:
    """Write one file."""
    with stage_outputs(out, report) as (folder, _):
        (folder / "mark").touch()


touch = stage(touch_files)
