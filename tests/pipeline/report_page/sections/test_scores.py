"""Scores are those of `evaluate.json`, with its intervals and tests."""

from __future__ import annotations

from pathlib import Path

import pytest

from mgsa.errors import InputError
from mgsa.files import read_json, write_json
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
        low, high = bleu["axis"].low, bleu["axis"].high
        assert low + place.at / 100 * (high - low) == pytest.approx(score.score, abs=0.01)
        assert 0 <= place.low < place.at < place.high <= 100
    assert [score.system for score, _ in bleu["rows"]] == [SYSTEM, "second"]
    assert (chrf["has_intervals"], chrf["has_baselines"]) == (False, False)
    assert shown["signatures"] == [("bleu", "nrefs:1|<i>")]
    assert shown["paths"] == paths


def test_without_scores_there_is_no_section(finished_run: Path) -> None:
    assert context(inputs_of(finished_run, "reports")) is None


def test_a_score_that_is_none_is_named(tmp_path: Path) -> None:
    write_run(tmp_path, ["a b"])
    write_json(tmp_path / "reports/evaluate.json", {"bleu": "high"})
    with pytest.raises(InputError, match=r"evaluate.json: bleu: expected a number, found 'high'"):
        context(inputs_of(tmp_path))
