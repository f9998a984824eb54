"""Tables as files and text that other programs read back."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from mgsa.cli.errors import InputError
from pipeline.formats.tables import Record, Row, markdown, read_csv, write_csv

ROWS: list[Row] = [{"system": 'a "name", with', "score": 1.5}, {"system": "ü | v", "score": None}]


def test_csv_is_read_back(tmp_path: Path) -> None:
    write_csv(ROWS, tmp_path / "table.csv")
    with (tmp_path / "table.csv").open(encoding="utf-8", newline="") as file:
        assert list(csv.DictReader(file)) == [
            {"system": 'a "name", with', "score": "1.5"},
            {"system": "ü | v", "score": ""},
        ]
    assert read_csv(tmp_path / "table.csv", "system") == ROWS
    write_csv([], tmp_path / "empty.csv", ["system", "score"])
    assert (tmp_path / "empty.csv").read_text("utf-8") == "system,score\n"


def test_bars_in_markdown_are_escaped() -> None:
    assert list(markdown(["system", "score"], [["ü | v", None]])) == [
        "| system | score |",
        "| --- | ---: |",
        r"| ü \| v | None |",
    ]


@pytest.mark.parametrize("number", ["NaN", "Infinity", "1e999", "1" + "0" * 400])
def test_a_number_that_is_none_is_refused(tmp_path: Path, number: str) -> None:
    path = tmp_path / "report.json"
    path.write_text(f'{{"bleu": {number}}}')
    with pytest.raises(InputError, match=r"report\.json: expected finite numbers, found "):
        Record.read(path)
