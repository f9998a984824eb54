"""Accuracies: by hand, and their intervals by a loop over resamples."""

from __future__ import annotations

import numpy as np
import pytest

from mgsa.probing.probe import ProbeResult
from pipeline.probing.accuracies import accuracies, majority_accuracy


def test_the_majority_class_is_that_of_training() -> None:
    # Class 1 is most frequent in train; 3 of 10 test labels are of it.
    assert majority_accuracy(np.array([2, 7, 1]), np.array([6, 3, 1])) == pytest.approx(30)
    assert majority_accuracy(np.array([2, 2]), np.array([1, 3])) == pytest.approx(25)
    assert majority_accuracy(np.array([5, 0]), np.array([0, 4])) == 0


def test_an_interval_is_that_of_a_slow_loop_over_resampled_sentences() -> None:
    generator = np.random.default_rng(4)
    counted = generator.integers(0, 9, 30)
    right = generator.binomial(counted, 0.7)
    whole = np.ones(30, dtype=np.int64)
    results = [ProbeResult("pos", 2, right, counted), ProbeResult("voice", 2, whole, whole)]
    both = {"pos": 5, "voice": 2}
    pos, voice = accuracies(
        "model", results, both, {"pos": 40.0, "voice": 60.0}, samples=200, seed=5
    )
    drawn = np.random.default_rng(5)
    scores = []
    for _ in range(200):
        rows = drawn.choice(30, size=30, replace=True)
        scores.append(100 * sum(right[r] for r in rows) / sum(counted[r] for r in rows))
    scores.sort()
    assert pos.accuracy == pytest.approx(100 * right.sum() / counted.sum(), abs=1e-6)
    # 2.5% of 200 at either end
    assert (pos.low, pos.high) == pytest.approx((scores[5], scores[194]), abs=1e-6)
    assert (pos.classes, pos.counted, pos.majority) == (5, counted.sum(), 40)
    assert (voice.accuracy, voice.low, voice.high) == (100, 100, 100)
