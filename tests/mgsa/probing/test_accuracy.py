"""Accuracies: by hand, and their intervals by a loop over resamples."""

from __future__ import annotations

import numpy as np
import pytest

from mgsa.probing.accuracy import accuracies, majority_accuracy
from mgsa.probing.training import Told


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
    told = [Told("pos", 2, right, counted), Told("voice", 2, whole, whole)]
    found = accuracies(told, samples=200, seed=5)
    drawn = np.random.default_rng(5)
    scores = []
    for _ in range(200):
        rows = drawn.choice(30, size=30, replace=True)
        scores.append(100 * sum(right[r] for r in rows) / sum(counted[r] for r in rows))
    scores.sort()
    assert found.value[0] == pytest.approx(100 * right.sum() / counted.sum())
    assert found.low[0] == pytest.approx(scores[5])  # 2.5% of 200
    assert found.high[0] == pytest.approx(scores[194])
    assert (found.value[1], found.low[1], found.high[1]) == (100, 100, 100)
