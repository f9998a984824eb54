"""Sentence scores are sacreBLEU's, and the lists are the worst, the best, the most different."""

from __future__ import annotations

import pytest
import sacrebleu

from pipeline.report_page.sentence_scores import SentenceScores, lowest, score_sentences

REFERENCES = ["Die Katze schläft .", "Er sieht den Hund .", "Ja ."]
HYPOTHESES = {
    "a": ["Die Katze schläft .", "Er sah Hunde .", ""],
    "b": ["Der Hund", "Er sieht", "Ja ."],
}


@pytest.mark.parametrize("metric", ["chrf", "bleu"])
def test_scores_are_sacrebleus(metric: str) -> None:
    found = score_sentences(HYPOTHESES, REFERENCES, metric)  # type: ignore[arg-type]
    score = sacrebleu.sentence_chrf if metric == "chrf" else sacrebleu.sentence_bleu
    for name, hypotheses in HYPOTHESES.items():
        expected = [score(h, [r]).score for h, r in zip(hypotheses, REFERENCES, strict=True)]
        assert found.of_system[name] == pytest.approx(expected, abs=0.005)


def test_lists_of_one_system() -> None:
    scores = SentenceScores({"a": [50.0, 10.0, 90.0, 30.0]})
    assert scores.ranked(1) == {1: {"worst": ["all"]}, 2: {"best": ["all"]}}
    assert scores.ranked(0) == {}


def test_lists_of_two_systems_are_of_each_and_of_their_mean() -> None:
    scores = SentenceScores({"a": [50.0, 10.0, 90.0], "b": [40.0, 80.0, 20.0]})
    assert scores.mean == [45, 45, 55]
    assert scores.spread == [10, 70, 70]
    assert scores.ranked(1) == {
        0: {"worst": ["all"]},
        1: {"worst": ["0"], "best": ["1"], "different": ["all"]},
        2: {"best": ["all", "0"], "worst": ["1"]},
    }


def test_where_systems_agree_nothing_is_different() -> None:
    scores = SentenceScores({"a": [50.0, 10.0], "b": [50.0, 10.0]})
    assert not any("different" in lists for lists in scores.ranked(2).values())


def test_of_equal_values_the_first_come_first() -> None:
    assert lowest([2.0, 1.0, 1.0, 0.5], 3) == [3, 1, 2]
    assert lowest([1.0], 5) == [0]
