"""What every stage shares: a folder and a report that are new together, or as they were."""

from __future__ import annotations

from pathlib import Path

import pytest

from mgsa.base.io import read_json
from pipeline.base.stage import stage_outputs


def fill(out: Path, report: Path, number: object) -> None:
    with stage_outputs(out, report) as (folder, numbers):
        (folder / "mark").touch()
        (folder / f"file {number}").touch()
        numbers["number"] = number  # type: ignore[assignment]


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


def test_a_folder_that_cannot_be_replaced_leaves_the_report(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_paths: Path) -> None:
        raise OSError("no such luck")

    fill(tmp_path / "out", tmp_path / "out.json", 1)
    monkeypatch.setattr("mgsa.base.io._replace_folder", fail)
    with pytest.raises(OSError, match="no such luck"):
        fill(tmp_path / "out", tmp_path / "out.json", 2)
    assert names(tmp_path) == ["out", "out.json"]
    assert names(tmp_path / "out") == ["file 1", "mark"]
    assert read_json(tmp_path / "out.json") == {"number": 1}
    assert names(tmp_path) == ["out", "out.json"]
