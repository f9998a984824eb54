"""Curves are those of DVCLive's files, shares those of `analyze`."""

from __future__ import annotations

from pathlib import Path

from pipeline.report_page.blocks import Part
from pipeline.report_page.model import CURVES, attention, curves, kind_name
from tests.report_folders import (
    PLAIN,
    SHARES,
    SYSTEM,
    flat,
    inputs_of,
    tables_of,
    text_of,
    titles_of,
    write_run,
)


def test_every_point_of_every_system_is_in_the_table(finished_run: Path) -> None:
    found = tables_of(curves(inputs_of(finished_run, compared=[finished_run / "second"])))
    assert found == {
        "Validation loss (NLL a token)": [
            ["100", "5.500", "6.500"],
            ["200", "3.250", "4.250"],
            ["300", "2.500", "3.500"],
        ],
        # What is not a number has no place; what is zero throughout has no chart.
        "Validation perplexity": [["200", "7.500", "7.500"]],
        "Ends of the trainings": [[SYSTEM, "300", "2,018,764"], ["second", "300", "2,018,764"]],
    }


def test_without_curves_there_is_no_section(finished_run: Path, tmp_path: Path) -> None:
    assert list(curves(inputs_of(finished_run, "curves"))) == []
    write_run(tmp_path, ["a b"])
    for path in (tmp_path / "own/curves" / CURVES).iterdir():
        path.unlink()
    assert list(curves(inputs_of(tmp_path))) == []


def test_shares_by_quadrant_and_layer(finished_run: Path) -> None:
    shown = list(attention(inputs_of(finished_run)))
    assert tables_of(shown)[f"Shares of attention of {SYSTEM}"] == [
        ["encoder", "1", "25.0%", "75.0%", "subwords 25.0%, syntactic 1 50.0%, syntactic 2 25.0%"],
        ["cross", "1", "100.0%", "0.0%", "subwords 100.0%"],
    ]
    assert "phrase to" not in text_of(shown)  # a quadrant that nothing attends from


def test_shares_that_say_nothing_are_left_out(tmp_path: Path) -> None:
    """A Transformer attends to subwords alone."""
    write_run(tmp_path, PLAIN)
    rows = [row for row in SHARES.splitlines() if "token_to_phrase" not in row]
    (tmp_path / "own/attention/attention_shares.csv").write_text("\n".join(rows) + "\n", "utf-8")
    shown = list(attention(inputs_of(tmp_path)))
    assert titles_of(shown) == []
    assert "every layer attends from subwords to subwords alone" in text_of(shown)
    assert list(attention(inputs_of(tmp_path, "attention"))) == []


def test_heat_maps_are_of_their_sentence(finished_run: Path) -> None:
    shown = list(attention(inputs_of(finished_run, compared=[finished_run / "second"])))
    maps = [block.context["maps"] for block in flat(shown) if isinstance(block, Part)]
    assert [[layer for layer, _ in some] for some in maps] == [[1], [1]]
    assert all(picture.startswith("data:image/svg+xml;base64,") for ((_, picture),) in maps)
    assert f"encoder self-attention of test, sentence 1 {PLAIN[1]}" in text_of(shown)


def test_kinds_have_names_for_people() -> None:
    kinds = ("words", "syntactic_1", "ngram_1_to_ngram_2", "ngram_2_to_ngram_1")
    names = ["subwords", "syntactic 1", "subwords to 2-grams", "2-grams to subwords"]
    assert list(map(kind_name, kinds)) == names
