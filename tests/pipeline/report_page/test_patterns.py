"""Scores of n-grams are those of the tables of the stage `phrasal_patterns`."""

from __future__ import annotations

import shutil
from pathlib import Path

from pipeline.report_page.blocks import Legend
from pipeline.report_page.patterns import patterns
from tests.report_folders import (
    SYSTEM,
    inputs_of,
    tables_of,
    text_of,
    titles_of,
    write_patterns,
    write_run,
)


def test_scores_and_differences_are_those_of_the_tables(finished_run: Path) -> None:
    shown = list(patterns(inputs_of(finished_run)))
    above = f"above {SYSTEM}"
    assert titles_of(shown) == [
        *("n-gram precision", "BLEU restricted to n"),
        *(f"n-gram precision, {above}", f"BLEU restricted to n, {above}"),
        *(f"BLEU restricted to {n}, {above}" for n in (1, 2, 4, 8)),
        *("Recall of 1-grams", "Recall of whole phrases"),
    ]
    found = {title.removesuffix(above): rows for title, rows in tables_of(shown).items()}
    sizes = found["n-gram precision"]
    assert len(sizes) == 8
    assert sizes[1] == ["2", "75.50 (73.25 to 77.75)", "76.50 (74.25 to 78.75)"]
    differences = next(
        rows for title, rows in found.items() if title.startswith("n-gram precision,")
    )
    assert differences[1] == ["2", "+1.00 (+0.25 to +1.75, p 0.031)"]
    of_two = next(rows for title, rows in found.items() if title.startswith("BLEU restricted to 2"))
    assert [row[0] for row in of_two] == ["1-5", "6-10"]  # 11+ is too rare
    assert found["Recall of 1-grams"][:3] == [
        ["all", "200", SYSTEM, "70.00 (67.75 to 72.25)", ""],
        ["all", "200", "second", "71.00 (68.75 to 73.25)", "+1.00 (+0.25 to +1.75, p 0.031)"],
        ["unaligned", "60", SYSTEM, "84.00 (81.75 to 86.25)", ""],
    ]
    assert "of 68 sentences" in text_of(shown)


def test_one_system_alone_has_scores(tmp_path: Path) -> None:
    write_run(tmp_path, ["a b"])
    shutil.rmtree(tmp_path / "patterns")
    write_patterns(tmp_path / "patterns", ["model"], None)
    shown = list(patterns(inputs_of(tmp_path)))
    assert not any("above" in title for title in titles_of(shown))
    assert tables_of(shown)["Recall of 1-grams"][0] == [
        "all",
        "200",
        "model",
        "70.00 (67.75 to 72.25)",
    ]


def test_without_a_source_there_are_sizes_alone(tmp_path: Path) -> None:
    write_run(tmp_path, ["a b"])
    for name in ("lengths", "categories"):
        (tmp_path / f"patterns/{name}.csv").unlink()
    assert len(titles_of(patterns(inputs_of(tmp_path)))) == 4
    assert list(patterns(inputs_of(tmp_path, "patterns"))) == []


def test_systems_look_as_elsewhere_where_all_are_known(finished_run: Path) -> None:
    inputs = inputs_of(finished_run, compared=[finished_run / "second"])
    inputs.systems = inputs.systems[::-1]
    (legend,) = (block for block in patterns(inputs) if isinstance(block, Legend))
    assert legend.styles == {SYSTEM: 1, "second": 0}
    (alone,) = (b for b in patterns(inputs_of(finished_run)) if isinstance(b, Legend))
    assert alone.styles == {SYSTEM: 0, "second": 1}
