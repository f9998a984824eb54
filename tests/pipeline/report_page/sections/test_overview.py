"""Numbers at a glance are those of the reports."""

from __future__ import annotations

from pathlib import Path

from pipeline.report_page.sections.overview import context
from tests.report_folders import SYSTEM, inputs_of


def test_tiles_and_composition(finished_run: Path) -> None:
    shown = context(inputs_of(finished_run))
    values = {tile.label: tile.value for tile in shown["tiles"]}
    assert values == {
        "BLEU": "51.0 ± 2.5",
        "chrF": "61.0",
        "parameters": "2.02 M",
        "training pairs": "2",
        "parser F1": "97.2",
        "AER of the aligner": "3.1",
    }
    assert shown["options"] == [("corpus", "local"), ("model", SYSTEM)]
    assert shown["differences"] == {"model.dim": {"params": 7, "preset": None}}


def test_of_several_systems_the_best_is_named(finished_run: Path) -> None:
    shown = context(inputs_of(finished_run, compared=[finished_run / "second"]))
    best = next(tile for tile in shown["tiles"] if "BLEU" in tile.label)
    assert (best.value, best.label, best.note) == ("52.0 ± 2.5", "best BLEU of 2 systems", "second")


def test_without_reports_there_are_no_numbers(finished_run: Path) -> None:
    shown = context(inputs_of(finished_run, "reports"))
    assert shown["tiles"] == []
    assert shown["options"] == []
