"""What is wrong with a report or a table is one line that names it."""

from __future__ import annotations

from pathlib import Path

import pytest

from mgsa.base.errors import InputError
from mgsa.base.io import write_json
from pipeline.report_page.numbers import Report, read_count, read_number, read_table


def test_numbers_are_what_the_file_has(tmp_path: Path) -> None:
    path = tmp_path / "evaluate.json"
    write_json(path, {"bleu": 81.42399494, "sentences": 500, "name": "x"})
    report = Report.read(path)
    assert (report.number("bleu"), report.number("sentences")) == (81.42399494, 500)
    assert (report.get("bleu"), report.get("ter")) == (81.42399494, None)
    assert report.text("name") == "x"
    assert "bleu" in report
    assert "ter" not in report


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("81", "found '81'"),
        (True, "found True"),
        (None, "found None"),
        ([1], r"found \[1\]"),
        (float("nan"), "found nan"),
    ],
)
def test_what_is_no_number_is_named(tmp_path: Path, value: object, message: str) -> None:
    path = tmp_path / "evaluate.json"
    write_json(path, {"bleu": value})
    with pytest.raises(InputError, match=rf"evaluate.json: bleu: expected a number, {message}"):
        Report.read(path).number("bleu")


def test_a_missing_key_and_a_list_are_named(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    write_json(path, {})
    with pytest.raises(InputError, match=r"x.json: bleu: expected a number, found none"):
        Report.read(path).number("bleu")
    with pytest.raises(InputError, match=r"x.json: name: expected text, found None"):
        Report.read(path).text("name")
    write_json(path, [])
    with pytest.raises(InputError, match=r"x.json: expected an object"):
        Report.read(path)


def test_objects_inside_a_report_are_read_as_strictly(tmp_path: Path) -> None:
    path = tmp_path / "probe.json"
    write_json(path, {"cells": [{"layer": 1}, {"layer": "top"}], "train": {"voice": {"active": 3}}})
    report = Report.read(path)
    first, second = report.parts("cells")
    assert (first.path, first.number("layer")) == (path, 1)
    with pytest.raises(InputError, match=r"probe.json: cells\[1\].layer: expected a number, found"):
        second.number("layer")
    with pytest.raises(InputError, match=r"probe.json: cells\[0\].task: expected text, found None"):
        first.text("task")
    voice = report.part("train").part("voice")
    assert voice.number("active") == 3
    with pytest.raises(InputError, match=r"probe.json: train.voice.passive: expected a number"):
        voice.number("passive")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ({}, "cells: expected a list"),
        ({"cells": {}}, "cells: expected a list"),
        ({"cells": [{}, 3]}, r"cells\[1\]: expected an object"),
    ],
)
def test_what_is_no_list_of_objects_is_named(tmp_path: Path, content: object, message: str) -> None:
    path = tmp_path / "probe.json"
    write_json(path, content)
    with pytest.raises(InputError, match=f"probe.json: {message}"):
        Report.read(path).parts("cells")
    with pytest.raises(InputError, match=r"probe.json: train: expected an object"):
        Report.read(path).part("train")


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
        ('tag,count\n"' + "NP\n" * 50_000, r"tags.csv:\d+: expected a line of a table: field la"),
        ('tag,count\n"N"P,1\n', r"tags.csv:2: expected a line of a table: ',' expected after '\"'"),
        ("tag,count\nN\rP,1\n", r"tags.csv:2: expected a line of a table: new-line character se"),
        ("tag\n" + "NP\n" * (6 << 20), r"tags.csv: expected at most 16,777,216 bytes$"),
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
    assert read_number("1e-3", path=Path("x"), line=1) == 0.001
    with pytest.raises(InputError, match="x:7: expected a number, found 'one'"):
        read_number("one", path=Path("x"), line=7)
