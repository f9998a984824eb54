"""What is wrong with a report or a table is one line that names it."""

from __future__ import annotations

from pathlib import Path

import pytest

from mgsa.base.errors import InputError
from mgsa.base.io import write_json
from pipeline.report_page.files import Report, read_count, read_number, read_table


def report(path: Path, content: object) -> Report:
    write_json(path, content)
    return Report.read(path)


def test_numbers_are_what_the_file_has(tmp_path: Path) -> None:
    read = report(
        tmp_path / "x.json", {"bleu": 81.42399494, "name": "x", "ter": None, "n": 10**400}
    )
    assert read.number("bleu") == read.get("bleu") == 81.42399494
    assert read.get("chrf") is read.get("ter") is None
    assert read.text("name") == "x"
    assert read.numbers() == {"bleu": 81.42399494}


@pytest.mark.parametrize(
    ("value", "found"),
    [
        ("81", "'81'"),
        (True, "True"),
        (None, "None"),
        ([1], r"\[1\]"),
        (float("nan"), "nan"),
        (float("inf"), "inf"),
        (10**400, "10{199}…"),
    ],
)
def test_what_is_no_number_is_named(tmp_path: Path, value: object, found: str) -> None:
    read = report(tmp_path / "x.json", {"bleu": value})
    with pytest.raises(InputError, match=rf"x.json: bleu: expected a number, found {found}$"):
        read.number("bleu")


def test_objects_inside_a_report_are_read_as_strictly(tmp_path: Path) -> None:
    content = {"cells": [{"layer": 1}, {"layer": "top"}], "odd": [{}, 3], "train": {"a": {"b": 3}}}
    read = report(tmp_path / "x.json", content)
    first, second = read.parts("cells")
    assert (first.path, first.number("layer")) == (tmp_path / "x.json", 1)
    assert read.part("train").part("a").number("b") == 3
    for call, message in (
        (lambda: second.number("layer"), r"cells\[1\].layer: expected a number, found 'top'"),
        (lambda: first.text("task"), r"cells\[0\].task: expected text, found none"),
        (lambda: read.part("train").part("a").number("c"), "train.a.c: expected a number"),
        (lambda: read.parts("train"), "train: expected a list"),
        (lambda: read.parts("odd"), r"odd\[1\]: expected an object"),
        (lambda: read.part("none"), "none: expected an object, found none"),
    ):
        with pytest.raises(InputError, match=rf"x.json: {message}"):
            call()
    with pytest.raises(InputError, match=r"y.json: expected an object"):
        report(tmp_path / "y.json", [])


def test_a_table_is_read_by_column(tmp_path: Path) -> None:
    path = tmp_path / "tags.csv"
    path.write_text('level,tag,count\n1,",",3\n', "utf-8")
    assert list(read_table(path, ("tag",))) == [(2, {"level": "1", "tag": ",", "count": "3"})]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("level,count\n", r"tags.csv:1: expected a column tag"),
        ("", r"tags.csv:1: expected a column tag"),
        ("tag,count\nNP,1\nVP\n", r"tags.csv:3: expected 2 values, found 1"),
        (f"tag,count\n{'N' * 131_073},1\n", r"tags.csv:2: expected a line of a table: field la"),
        ('tag,count\n"NP,1\nVP,2\n', r"tags.csv:3: expected a line of a table: unexpected end"),
    ],
)
def test_what_is_no_such_table_is_named(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "tags.csv"
    path.write_text(text, "utf-8")
    with pytest.raises(InputError, match=message):
        list(read_table(path, ("tag",)))


@pytest.mark.parametrize("text", ["", "-1", "1.0", "²", "٣", "9" * 19, "9" * 5000])
def test_a_count_as_text(text: str) -> None:
    assert read_count({"n": "012"}, "n", path=Path("x"), line=1) == 12
    with pytest.raises(InputError, match=r"x:7: n: expected a whole number, found '.{0,201}'$"):
        read_count({"n": text}, "n", path=Path("x"), line=7)


def test_a_number_as_text() -> None:
    assert read_number({"n": "1e-3"}, "n", path=Path("x"), line=1) == 0.001
    assert read_number({"n": "inf"}, "n", path=Path("x"), line=1, finite=False) == float("inf")
    for text in ("one", "", "nan", "1e999"):
        with pytest.raises(InputError, match=f"x:7: n: expected a number, found '{text}'"):
            read_number({"n": text}, "n", path=Path("x"), line=7)
