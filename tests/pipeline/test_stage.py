"""What every stage shares: a folder and a report that are new together, or as they were."""

from __future__ import annotations

from pathlib import Path

import pytest

from mgsa.errors import InputError
from mgsa.files import read_json
from pipeline.stage import replacing_outputs


def fill(out: Path, report: Path, number: object) -> None:
    with replacing_outputs(out, report) as (folder, numbers):
        (folder / f"file {number}").touch()
        numbers["number"] = number  # type: ignore[assignment]


def test_a_folder_and_its_report_are_replaced(tmp_path: Path) -> None:
    for number in (1, 2):
        fill(tmp_path / "out", tmp_path / "reports" / "out.json", number)
        assert [path.name for path in (tmp_path / "out").iterdir()] == [f"file {number}"]
        assert read_json(tmp_path / "reports" / "out.json") == {"number": number}


def test_a_report_that_cannot_be_written_leaves_the_folder(tmp_path: Path) -> None:
    fill(tmp_path / "out", tmp_path / "out.json", 1)
    with pytest.raises(TypeError, match="not JSON serializable"):
        fill(tmp_path / "out", tmp_path / "out.json", object())
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["file 1"]
    assert read_json(tmp_path / "out.json") == {"number": 1}
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out", "out.json"]


def test_a_report_in_the_folder_that_is_replaced_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"out/report\.json: expected a report outside of "):
        fill(tmp_path / "out", tmp_path / "out" / "report.json", 1)
    assert not (tmp_path / "out").exists()
