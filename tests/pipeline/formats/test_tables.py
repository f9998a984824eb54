"""Tables as files and text that other programs read back."""

from __future__ import annotations

import csv
import re
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


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("a,b\n1,2,3\n", "t.csv:2: expected 2 cells"),
        ("a,b\n1\n", "t.csv:2: expected 2 cells"),
        ("a,a\n1,2\n", "t.csv:1: expected each column once"),
        ("a,b\n1,x\r1\n", "t.csv:2: expected CSV: new-line character"),
        (f'a,b\n1,"{"x" * 140_000}', "t.csv:2: expected CSV: field larger than"),
    ],
)
def test_a_table_that_is_none_is_refused(tmp_path: Path, content: str, message: str) -> None:
    (tmp_path / "t.csv").write_text(content)
    with pytest.raises(InputError, match=re.escape(message)):
        read_csv(tmp_path / "t.csv")
