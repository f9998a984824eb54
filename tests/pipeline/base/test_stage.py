"""What every stage shares: a folder and a report that are new together, or as they were."""

from __future__ import annotations

from pathlib import Path

import pytest

from mgsa.base.errors import InputError
from mgsa.base.io import read_json
from pipeline.base.stage import atomic_outputs, check_no_input, check_replaceable


def fill(out: Path, report: Path, number: object) -> None:
    with atomic_outputs(out, report, "mark") as (folder, numbers):
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


def test_a_report_in_the_folder_that_is_replaced_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"out/report\.json: expected a report outside of "):
        fill(tmp_path / "out", tmp_path / "out" / "report.json", 1)
    assert not (tmp_path / "out").exists()


def test_a_folder_that_holds_something_else_is_not_replaced(tmp_path: Path) -> None:
    """`--out data` for `--out data/bpe` must not remove what all the other stages wrote."""
    fill(tmp_path / "data" / "bpe", tmp_path / "bpe.json", 1)
    with pytest.raises(InputError, match="data: expected an empty folder, or one with mark, to"):
        fill(tmp_path / "data", tmp_path / "bpe.json", 2)
    assert names(tmp_path / "data" / "bpe") == ["file 1", "mark"]
    assert read_json(tmp_path / "bpe.json") == {"number": 1}
    (tmp_path / "empty").mkdir()
    fill(tmp_path / "empty", tmp_path / "bpe.json", 3)
    assert names(tmp_path / "empty") == ["file 3", "mark"]


def test_a_folder_is_known_by_all_of_its_marks(tmp_path: Path) -> None:
    (tmp_path / "one").touch()
    with pytest.raises(InputError, match="an empty folder, or one with one and two, to replace"):
        check_replaceable(tmp_path, "one", "two")
    (tmp_path / "two").touch()
    check_replaceable(tmp_path, "one", "two")


@pytest.mark.parametrize("given", ["out", "out/text.en", "link"])
def test_a_folder_that_an_input_lies_in_is_not_replaced(tmp_path: Path, given: str) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "mark").touch()
    (tmp_path / "out" / "text.en").touch()
    (tmp_path / "link").symlink_to("out/text.en")
    message = r"out: expected a folder without the input .*, for it is replaced as a whole"
    with pytest.raises(InputError, match=message):
        check_replaceable(tmp_path / "out", "mark", inputs=[tmp_path / "else", tmp_path / given])
    check_replaceable(tmp_path / "out", "mark", inputs=[tmp_path, tmp_path / "out_"])


def test_a_report_replaces_no_input(tmp_path: Path) -> None:
    check_no_input(None, [tmp_path / "links"])
    check_no_input(tmp_path / "report.json", [tmp_path / "links"])
    with pytest.raises(
        InputError, match=r"links: expected a report beside the input .*links, not in its place"
    ):
        check_no_input(tmp_path / "x" / ".." / "links", [tmp_path / "gold", tmp_path / "links"])


def test_a_report_replaces_no_input_and_lies_in_none(tmp_path: Path) -> None:
    artifact = tmp_path / "artifact"
    artifact.mkdir()
    for report in (artifact, artifact / "config.json"):
        outputs = atomic_outputs(tmp_path / "out", report, "mark", inputs=[artifact])
        with pytest.raises(InputError, match="expected a report beside the input"), outputs:
            pass
    assert names(tmp_path) == ["artifact"]
    assert names(artifact) == []
