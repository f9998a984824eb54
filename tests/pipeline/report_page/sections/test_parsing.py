"""Accuracies are those of the parser's report."""

from __future__ import annotations

from pathlib import Path

from pipeline.report_page.sections.parsing import context
from tests.report_folders import inputs_of


def test_scores_and_what_has_no_parse(finished_run: Path) -> None:
    shown = context(inputs_of(finished_run))
    assert shown is not None
    assert shown["scores"] == [
        ("labelled bracketing F1", 97.16),
        ("accuracy of parts of speech", 98.61),
    ]
    assert [(count, share) for _, count, share in shown["flat"]] == [(3, 0.03), (1, 0.01)]
    assert (shown["trees"], shown["kind"], shown["package"]) == (200, "stanza", "pack<age>")


def test_without_its_inputs_there_is_no_section(finished_run: Path) -> None:
    assert context(inputs_of(finished_run, "reports", "parser")) is None
    alone = context(inputs_of(finished_run, "reports"))
    assert alone is not None
    assert alone["scores"] == []
