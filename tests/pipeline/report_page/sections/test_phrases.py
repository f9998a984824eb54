"""Counts of phrases are those of the stage `partition`."""

from __future__ import annotations

from pathlib import Path

import pytest

from mgsa.base.errors import InputError
from pipeline.report_page.sections.phrases import context
from tests.report_folders import inputs_of, write_run


def test_counts_by_level_length_and_tag(finished_run: Path) -> None:
    shown = context(inputs_of(finished_run))
    assert shown is not None
    assert shown["partitions"] == [
        ("2-grams", 5.9841, 1.9179),
        ("syntactic, level 1", 3.4837, 3.2944),
    ]
    assert shown["chart"].rows == ((1.0, (40.0, 70.0)), (2.0, (9.0, None)))
    first, second = shown["levels"]
    assert first["rows"] == [("<b>", "other", 9, 0.75), (",", "other", 3, 0.25)]
    assert (first["total"], first["rest"]) == (12, (0, 0))
    assert second["rows"] == [("NP-SBJ", "noun", 5, 1.0)]


def test_rare_tags_are_one_line(tmp_path: Path) -> None:
    write_run(tmp_path, ["a b"])
    lines = ["level,tag,count", *(f"1,T{i},{100 - i}" for i in range(15))]
    (tmp_path / "phrase-counts/tags.csv").write_text("\n".join(lines) + "\n", "utf-8")
    shown = context(inputs_of(tmp_path))
    assert shown is not None
    (level,) = shown["levels"]
    assert len(level["rows"]) == 12
    assert level["rest"] == (3, 88 + 87 + 86)


def test_without_its_inputs_there_is_no_section(finished_run: Path) -> None:
    assert context(inputs_of(finished_run, "reports", "phrase-counts")) is None


@pytest.mark.parametrize(
    ("name", "line", "message"),
    [
        ("tags", "1,NP,many", "tags.csv:2: count: expected a whole number, found 'many'"),
        ("tags", "1,NP,0", "tags.csv:2: count: expected at least 1"),
        ("phrase_lengths", "1,long,3", "phrase_lengths.csv:2: length: expected a whole number, f"),
        (
            "phrase_lengths",
            f"1,{'9' * 5000},3",
            "phrase_lengths.csv:2: length: expected a whole number, f",
        ),
    ],
)
def test_malformed_counts_are_named(tmp_path: Path, name: str, line: str, message: str) -> None:
    write_run(tmp_path, ["a b"])
    path = tmp_path / f"phrase-counts/{name}.csv"
    header = path.read_text("utf-8").split("\n")[0]
    path.write_text(f"{header}\n{line}\n", "utf-8")
    with pytest.raises(InputError, match=message):
        context(inputs_of(tmp_path))
