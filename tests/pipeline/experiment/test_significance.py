"""Tests over seeds: sentences are the observations, however many models there are of each."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from sacrebleu.metrics.bleu import BLEU

from pipeline.evaluate.scores import score
from pipeline.experiment.plan import Cell
from pipeline.experiment.significance import compare_cells, contrast_test, translation_test
from pipeline.statistics.ngrams import corpus_bleu, ngram_statistics
from tests.pipeline.experiment.test_results import ONE_EACH, REFERENCES, SETTINGS, worse, write_cell


def test_bleu_is_sacrebleus() -> None:
    hypotheses = [text.replace("sat", "sits") for text in worse(3)]
    for order in (hypotheses, worse(len(REFERENCES)), hypotheses[::-1]):
        sums = ngram_statistics(order, ONE_EACH, tokenizer="13a", max_ngram=4).sum(axis=0)
        expected = BLEU().corpus_score(order, [REFERENCES]).score
        assert corpus_bleu(np.stack([sums.ravel()] * 2)) == pytest.approx([expected] * 2)


PAIRS = [(Cell("new", seed), Cell("base", seed)) for seed in (1, 2)]


def test_the_same_models_again_prove_nothing_more(tmp_path: Path) -> None:
    """Were each translation an observation, two seeds would tell more than one."""
    for seed in (1, 2):
        write_cell(tmp_path, "base", seed, worse(5))
        write_cell(tmp_path, "new", seed, worse(1))
    one, both = (translation_test(tmp_path, pairs) for pairs in (PAIRS[:1], PAIRS))
    assert one == both
    assert one == pytest.approx(2 / 2**4, abs=0.08)  # of four sentences, all are better
    assert one == pytest.approx(
        score(worse(1), ONE_EACH, SETTINGS, baseline=worse(5))["bleu_randomization_p_value"],
        abs=0.1,
    )
    one, both = (contrast_test(tmp_path, pairs) for pairs in (PAIRS[:1], PAIRS))
    assert one == both == pytest.approx(2 / 2**4, abs=0.08)
    assert compare_cells(tmp_path, PAIRS[0])["contrast"] == one


def test_what_seeds_disagree_on_is_levelled(tmp_path: Path) -> None:
    for seed, (ours, theirs) in {1: (1, 5), 2: (5, 1)}.items():
        write_cell(tmp_path, "base", seed, worse(theirs))
        write_cell(tmp_path, "new", seed, worse(ours))
    assert translation_test(tmp_path, PAIRS) == contrast_test(tmp_path, PAIRS) == 1
