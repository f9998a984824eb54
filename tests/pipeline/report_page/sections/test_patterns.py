"""Scores of n-grams are those of the tables of the stage `phrasal_patterns`."""

from __future__ import annotations

import csv
import shutil
from pathlib import Path

import pytest

from mgsa.base.errors import InputError
from pipeline.report_page.charts.line_chart import LineChart
from pipeline.report_page.sections.patterns import context
from tests.report_folders import SYSTEM, inputs_of, write_patterns, write_run


def rows_of(folder: Path, table: str, **cell: str) -> list[dict[str, str]]:
    """The rows of a table of the stage that are about these cells."""
    with (folder / "patterns" / f"{table}.csv").open(encoding="utf-8", newline="") as file:
        return [row for row in csv.DictReader(file) if cell.items() <= row.items()]


def check(chart: LineChart, number: int, rows: list[dict[str, str]], value: str) -> None:
    """That a line of a chart has the numbers of these rows."""
    found = [(p.y, p.low, p.high, p.p_value) for p in chart.lines[number].points.values()]
    assert found == [
        (
            *(float(row[column]) for column in (value, f"{value}_low", f"{value}_high")),
            None if value == "score" else float(row["p_value"]),
        )
        for row in rows
    ]


def test_scores_and_differences_by_size(finished_run: Path) -> None:
    shown = context(inputs_of(finished_run))
    assert shown is not None
    assert (shown["systems"], shown["baseline"], shown["drawn"]) == (
        [SYSTEM, "second"],
        SYSTEM,
        ["second"],
    )
    precision, bleu, precision_above, bleu_above = shown["sizes"]
    assert [chart.title for chart in shown["sizes"]] == [
        "n-gram precision",
        "BLEU restricted to n",
        f"n-gram precision, above {SYSTEM}",
        f"BLEU restricted to n, above {SYSTEM}",
    ]
    for measure, scores, above in (
        ("precision", precision, precision_above),
        ("bleu", bleu, bleu_above),
    ):
        assert list(scores.names.values()) == [str(n) for n in range(1, 9)]
        assert (scores.signed, above.signed) == (False, True)
        for number, system in enumerate((SYSTEM, "second")):
            of_system = rows_of(finished_run, "ngrams", measure=measure, system=system)
            check(scores, number, of_system, "score")
        assert [line.name for line in above.lines] == ["second"]
        check(above, 0, of_system, "difference")


def test_lengths_that_few_sentences_have_are_not_drawn(finished_run: Path) -> None:
    shown = context(inputs_of(finished_run))
    assert shown is not None
    assert [chart.title for chart in shown["lengths"]] == [
        f"BLEU restricted to {n}, above {SYSTEM}" for n in (1, 2, 4, 8)
    ]
    chart = shown["lengths"][1]
    assert list(chart.names.values()) == ["1–5", "6–10"]
    of_pairs = rows_of(finished_run, "lengths", measure="bleu", system="second", n="2")
    check(chart, 0, of_pairs[:2], "difference")
    assert shown["sentences"] == 40 + 25 + 3


def test_categories_are_the_most_frequent_first(finished_run: Path) -> None:
    shown = context(inputs_of(finished_run))
    assert shown is not None
    ones, phrases = shown["categories"]
    assert [size["title"] for size in (ones, phrases)] == [
        "recall of 1-grams",
        "recall of whole phrases",
    ]
    assert list(ones["categories"]) == ["all", "unaligned", "NN"]
    for ((row, place),) in ones["categories"].values():
        assert row["system"] == "second"
        low, high = ones["axis"].low, ones["axis"].high
        for at, column in ((place.at, "difference"), (place.low, "difference_low")):
            assert low + at / 100 * (high - low) == pytest.approx(row[column], abs=0.01)
        assert 0 <= ones["zero"] < place.low < place.high <= 100
    assert [(row["category"], row["system"]) for row in ones["rows"][:2]] == [
        ("all", SYSTEM),
        ("all", "second"),
    ]


def test_one_system_alone_has_scores(tmp_path: Path) -> None:
    write_run(tmp_path, ["a b"])
    shutil.rmtree(tmp_path / "patterns")
    write_patterns(tmp_path / "patterns", ["model"], None)
    shown = context(inputs_of(tmp_path))
    assert shown is not None
    assert (shown["baseline"], shown["drawn"], shown["styles"]) == (None, ["model"], {"model": 0})
    assert [chart.signed for chart in [*shown["sizes"], *shown["lengths"]]] == [False] * 6
    ones = shown["categories"][0]
    assert ones["zero"] is None
    ((row, place),) = ones["categories"]["all"]
    low, high = ones["axis"].low, ones["axis"].high
    assert low + place.at / 100 * (high - low) == pytest.approx(row["score"], abs=0.01)


def test_without_a_source_there_are_sizes_alone(tmp_path: Path) -> None:
    write_run(tmp_path, ["a b"])
    for name in ("lengths", "categories"):
        (tmp_path / f"patterns/{name}.csv").unlink()
    shown = context(inputs_of(tmp_path))
    assert shown is not None
    assert len(shown["sizes"]) == 4
    assert (shown["lengths"], shown["categories"], shown["sentences"]) == ([], [], 0)
    assert shown["paths"] == [tmp_path / "patterns/ngrams.csv"]


def test_systems_look_as_elsewhere_where_all_are_known(finished_run: Path) -> None:
    alone = context(inputs_of(finished_run))
    both = context(inputs_of(finished_run, compared=[finished_run / "second"]))
    assert alone is not None
    assert both is not None
    assert alone["styles"] == both["styles"] == {SYSTEM: 0, "second": 1}
    inputs = inputs_of(finished_run, compared=[finished_run / "second"])
    inputs.systems = inputs.systems[::-1]
    turned = context(inputs)
    assert turned is not None
    assert turned["styles"] == {SYSTEM: 1, "second": 0}
    assert [line.style for line in turned["sizes"][0].lines] == [1, 0]


def test_without_its_folder_there_is_no_section(finished_run: Path) -> None:
    assert context(inputs_of(finished_run, "patterns")) is None


HEADER = "system,measure,n,ngrams,score,score_low,score_high"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("system,n\n", "ngrams.csv:1: expected a column measure"),
        (f"{HEADER}\n", "ngrams.csv: expected rows below the header"),
        (
            f"{HEADER}\na,bleu,two,9,1,1,1\n",
            "ngrams.csv:2: n: expected a whole number, found 'two'",
        ),
        (f"{HEADER}\na,bleu,1,9,high,1,1\n", "ngrams.csv:2: expected a number, found 'high'"),
        (f"{HEADER}\na,bleu,1,9,nan,,\n", "ngrams.csv:2: score: expected a number, found 'nan'"),
        (f"{HEADER}\na,bleu,1,9,,,\n", "ngrams.csv:2: expected a number, found ''"),
        (f"{HEADER},baseline\na,bleu,1,9,1,,,a\n", "ngrams.csv:1: expected a column difference"),
        (f"{HEADER}\na,bleu,1,9,1,,\n", "lengths.csv: expected the systems and the baseline of "),
    ],
)
def test_a_malformed_table_is_named(tmp_path: Path, text: str, message: str) -> None:
    write_run(tmp_path, ["a b"])
    (tmp_path / "patterns/ngrams.csv").write_text(text, "utf-8")
    with pytest.raises(InputError, match=message):
        context(inputs_of(tmp_path))


@pytest.mark.parametrize(("old", "new"), [("second", "third"), (f",{SYSTEM},", ",second,")])
def test_tables_of_other_systems_are_named(tmp_path: Path, old: str, new: str) -> None:
    write_run(tmp_path, ["a b"])
    path = tmp_path / "patterns/categories.csv"
    path.write_text(path.read_text("utf-8").replace(old, new), "utf-8")
    with pytest.raises(InputError, match=r"categories.csv: expected the systems and the baseline"):
        context(inputs_of(tmp_path))


def test_a_folder_without_its_tables_is_named(tmp_path: Path) -> None:
    write_run(tmp_path, ["a b"])
    (tmp_path / "patterns/ngrams.csv").unlink()
    with pytest.raises(InputError, match=r"ngrams.csv: no such file"):
        context(inputs_of(tmp_path))
