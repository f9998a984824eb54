"""Curves are those of DVCLive's files."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from mgsa.base.errors import InputError
from pipeline.report_page.sections.curves import FOLDER, context
from tests.report_folders import SYSTEM, inputs_of, write_run


def test_every_point_of_every_system_is_in_the_table(finished_run: Path) -> None:
    shown = context(inputs_of(finished_run, compared=[finished_run / "second"]))
    assert shown is not None
    charts = [*shown["charts"], *shown["more"]]
    assert [chart.title for chart in charts] == [
        "Validation loss (NLL a token)",
        "Validation perplexity",
    ]
    loss = charts[0]
    assert [line.name for line in loss.lines] == [SYSTEM, "second"]
    for number, folder in enumerate(("own", "second")):
        with (finished_run / folder / "curves" / FOLDER / "valid_nll.tsv").open() as file:
            rows = list(csv.DictReader(file, delimiter="\t"))
        assert [(x, values[number]) for x, values in loss.rows] == [
            (float(row["step"]), float(row["valid_nll"])) for row in rows
        ]
    # What is not a number has no place; what is zero throughout has no chart.
    assert charts[1].rows == ((200.0, (7.5, 7.5)),)
    assert charts[1].log


def test_without_curves_there_is_no_section(finished_run: Path, tmp_path: Path) -> None:
    assert context(inputs_of(finished_run, "curves")) is None
    write_run(tmp_path, ["a b"])
    for path in (tmp_path / "own/curves" / FOLDER).iterdir():
        path.unlink()
    assert context(inputs_of(tmp_path)) is None


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("step\tloss\n1\t2\n", "valid_nll.tsv:1: expected a column valid_nll"),
        ("step\tvalid_nll\n1\tlow\n", "valid_nll.tsv:2: expected a number, found 'low'"),
        ("step\tvalid_nll\n1\n", "valid_nll.tsv:2: expected 2 values, found 1"),
    ],
)
def test_a_malformed_curve_is_named(tmp_path: Path, text: str, message: str) -> None:
    write_run(tmp_path, ["a b"])
    (tmp_path / "own/curves" / FOLDER / "valid_nll.tsv").write_text(text, "utf-8")
    with pytest.raises(InputError, match=message):
        context(inputs_of(tmp_path))
