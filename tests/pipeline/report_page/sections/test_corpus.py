"""Sizes are those of the report, and examples those that `dropped.tsv` names."""

from __future__ import annotations

from pathlib import Path

import pytest

from mgsa.base.errors import InputError
from pipeline.report_page.sections.corpus import Dropped, context
from tests.report_folders import inputs_of, write_run


def test_sizes_and_what_was_dropped(finished_run: Path) -> None:
    shown = context(inputs_of(finished_run))
    assert shown is not None
    train = shown["splits"][0]
    assert (train["name"], train["pairs"], train["kept"]) == ("train", 5, 2)
    assert (train["source_tokens"], train["source_length"]) == (10, 5.0)
    reasons = {reason["name"]: reason for reason in shown["reasons"]}
    assert {name: reason["count"] for name, reason in reasons.items()} == {"empty": 1, "long": 2}
    assert reasons["empty"]["examples"] == [Dropped(1, "", "leer")]
    assert reasons["long"]["examples"] == [
        Dropped(3, "<dropped>", "<b>fort</b>"),
        Dropped(5, "x", "y"),
    ]
    assert shown["dropped"] == 3
    assert shown["chart"].rows == ((1.0, (1.0, 2.0)), (2.0, (1.0, None)))


def test_without_the_corpus_the_lines_are_still_known(finished_run: Path) -> None:
    shown = context(inputs_of(finished_run, "corpus"))
    assert shown is not None
    (empty, _) = shown["reasons"]
    assert empty["examples"] == [Dropped(1, None, None)]


def test_without_a_report_there_is_no_section(finished_run: Path) -> None:
    assert context(inputs_of(finished_run, "reports")) is None


def test_an_unknown_reason_is_named(tmp_path: Path) -> None:
    write_run(tmp_path, ["a b"])
    (tmp_path / "tokenized/dropped.tsv").write_text(
        "split\tline\treason\ntrain\t1\tugly\n", "utf-8"
    )
    with pytest.raises(InputError, match=r"dropped.tsv:2: expected one of empty, short"):
        context(inputs_of(tmp_path))
