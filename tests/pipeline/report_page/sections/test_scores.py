"""Scores are those of `evaluate.json`, with its intervals and tests."""

from __future__ import annotations

from pathlib import Path

import pytest

from mgsa.base.errors import InputError
from mgsa.base.io import read_json, write_json
from pipeline.report_page.page import render
from pipeline.report_page.sections.scores import context
from tests.report_folders import SYSTEM, inputs_of, write_run


def test_scores_are_those_of_the_reports(finished_run: Path) -> None:
    shown = context(inputs_of(finished_run, compared=[finished_run / "second"]))
    assert shown is not None
    bleu, chrf = shown["metrics"]
    assert (bleu["name"], chrf["name"]) == ("BLEU", "chrF")
    paths = [finished_run / "reports/evaluate.json", finished_run / "second/evaluate.json"]
    for (score, place), path in zip(bleu["rows"], paths, strict=True):
        report = read_json(path)
        assert score.score == report["bleu"]
        assert score.low == report["bleu_mean"] - report["bleu_interval"]
        assert score.high == report["bleu_mean"] + report["bleu_interval"]
        assert (score.difference, score.p_value) == (report["bleu_difference"], 0.0312)
        assert score.randomization == 0.0437
        low, high = bleu["axis"].low, bleu["axis"].high
        assert low + place.at / 100 * (high - low) == pytest.approx(score.score, abs=0.01)
        assert 0 <= place.low < place.at < place.high <= 100
    assert [score.system for score, _ in bleu["rows"]] == [SYSTEM, "second"]
    assert (chrf["has_intervals"], chrf["has_baselines"]) == (False, False)
    assert (bleu["has_randomization"], chrf["has_randomization"]) == (True, False)
    assert shown["signatures"] == [("bleu", "nrefs:1|<i>")]
    assert shown["paths"] == paths


def test_both_tests_are_on_the_page(finished_run: Path) -> None:
    html = render(inputs_of(finished_run))
    assert '<th scope="col" class="number">p (randomisation)</th>' in html
    cells = [">0.031</td>", ">0.044</td>"]
    assert html.index(cells[0]) < html.index(cells[1])


@pytest.mark.parametrize(
    ("metric", "score", "mean", "half", "ends"),
    [
        ("bleu", 99.2, 98.0, 4.0, (94, 100)),
        ("bleu", 0.3, 0.4, 0.6, (0, 1)),
        ("bleu", 100.0, 100.0, 0.0, (50, 100)),
        ("chrf", 99.0, 60.0, 70.0, (0, 100)),
        ("ter", 1.0, 1.0, 3.0, (0, 4)),
        ("ter", 110.0, 105.0, 10.0, (90, 120)),
    ],
)
def test_an_axis_has_no_scores_that_there_cannot_be(
    tmp_path: Path, metric: str, score: float, mean: float, half: float, ends: tuple[float, float]
) -> None:
    """Intervals are what sacreBLEU says: half of the middle 95 % of samples, to both sides."""
    write_run(tmp_path, ["a b"])
    report = {metric: score, f"{metric}_mean": mean, f"{metric}_interval": half}
    write_json(tmp_path / "reports/evaluate.json", report)
    shown = context(inputs_of(tmp_path))
    assert shown is not None
    (table,) = shown["metrics"]
    assert (table["axis"].low, table["axis"].high) == ends
    ((row, place),) = table["rows"]
    assert (row.low, row.high) == (mean - half, mean + half)
    assert 0 <= place.low <= place.high <= 100


def test_without_scores_there_is_no_section(finished_run: Path) -> None:
    assert context(inputs_of(finished_run, "reports")) is None


def test_a_score_that_is_none_is_named(tmp_path: Path) -> None:
    write_run(tmp_path, ["a b"])
    write_json(tmp_path / "reports/evaluate.json", {"bleu": "high"})
    with pytest.raises(InputError, match=r"evaluate.json: bleu: expected a number, found 'high'"):
        context(inputs_of(tmp_path))
