"""The command as its users run it."""

from __future__ import annotations

from pathlib import Path

import pytest

from mgsa.base.cli import run
from mgsa.base.io import read_json
from pipeline.alignment_error import main

FOUND = "0-0 1-2\n0-1\n"
GOLD = {  # the same links in every notation
    (): "0-0 1-1 1p2\n0-1 1-0\n",
    ("--gold-first-index", "1"): "1-1 2-2 2p3\n1-2 2-1\n",
    ("--gold-target-first",): "0-0 1-1 2p1\n1-0 0-1\n",
    ("--gold-first-index", "1", "--gold-target-first"): "1-1 2-2 3p2\n2-1 1-2\n",
}


def argv(folder: Path, found: str, gold: str) -> list[str]:
    (folder / "found").write_text(found)
    (folder / "gold").write_text(gold)
    return ["--alignments", str(folder / "found"), "--gold", str(folder / "gold")]


@pytest.mark.parametrize("notation", GOLD)
def test_files_are_scored(
    tmp_path: Path, notation: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    """Three links, all of them possible; two of four sure ones. AER: 1 - (2 + 3) / (3 + 4)."""
    report = ["--report", str(tmp_path / "report.json")]
    assert run(main, [*argv(tmp_path, FOUND, GOLD[notation]), *notation, *report]) == 0
    assert capsys.readouterr().out == (
        "AER 28.57, precision 100.00, recall 50.00 "
        "(3 links, 3 of them possible; 2 of 4 sure links found)\n"
    )
    assert read_json(tmp_path / "report.json") == {
        "precision": 100,
        "recall": 50,
        "aer": 28.57,
        "predicted": 3,
        "sure": 4,
        "predicted_sure": 2,
        "predicted_possible": 3,
    }


@pytest.mark.parametrize(
    ("found", "notation"),
    [
        ("1-1 2-3\n1-2\n", ["--first-index", "1"]),
        ("0-0 2-1\n1-0\n", ["--target-first"]),
        ("1-1 3-2\n2-1\n", ["--first-index", "1", "--target-first"]),
    ],
)
def test_the_links_may_be_written_otherwise(
    tmp_path: Path, found: str, notation: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(main, [*argv(tmp_path, found, GOLD[()]), *notation]) == 0
    assert capsys.readouterr().out.startswith("AER 28.57, precision 100.00, recall 50.00 ")


@pytest.mark.parametrize(
    ("found", "gold", "notation", "message"),
    [
        ("0-0\n\n", "0-0\n1:1\n", (), "gold:2: expected gold links such as 3-4 and 3p4, got '1:1'"),
        (
            "0-0\n\n",
            "1-1\n1p0\n",
            ("--gold-first-index", "1"),
            "gold:2: expected words counted from 1, got '1p0'",
        ),
        (
            "1-1\n0-1\n",
            "1-1\n\n",
            ("--first-index", "1"),
            "found:2: expected words counted from 1, got '0-1'",
        ),
    ],
)
def test_a_mistake_is_one_line(
    tmp_path: Path,
    found: str,
    gold: str,
    notation: tuple[str, ...],
    message: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert run(main, [*argv(tmp_path, found, gold), *notation]) == 2
    said = capsys.readouterr().err
    assert said.startswith(f"error: {tmp_path}/{message}")
    assert said.count("\n") == 1
