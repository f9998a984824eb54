"""The command as its users run it."""

from __future__ import annotations

from pathlib import Path

import pytest

from mgsa.base.cli import run
from mgsa.base.io import read_json
from pipeline.alignment_error import main

FOUND = "0-0 1-2\n0-1\n"
GOLD = "0-0 1-1 1p2\n0-1 1-0\n"
SAME = [
    (FOUND, GOLD, []),
    (FOUND, "1-1 2-2 3p2\n2-1 1-2\n", ["--gold-first-index", "1", "--gold-target-first"]),
    ("1-1 3-2\n2-1\n", GOLD, ["--first-index", "1", "--target-first"]),
]
"""Three links, all of them possible; two of four sure ones. AER: 1 - (2 + 3) / (3 + 4)."""


def argv(folder: Path, found: str, gold: str) -> list[str]:
    (folder / "found").write_text(found)
    (folder / "gold").write_text(gold)
    return ["--alignments", str(folder / "found"), "--gold", str(folder / "gold")]


@pytest.mark.parametrize(("found", "gold", "notation"), SAME)
def test_files_are_scored(
    tmp_path: Path, found: str, gold: str, notation: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    report = ["--report", str(tmp_path / "report.json")]
    assert run(main, [*argv(tmp_path, found, gold), *notation, *report]) == 0
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
