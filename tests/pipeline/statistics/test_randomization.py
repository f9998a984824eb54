"""The randomisation test against all swaps there are, and of equal systems."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from pipeline.statistics import randomization
from pipeline.statistics.randomization import randomization_test


def accuracy(sums: np.ndarray) -> np.ndarray:
    share: np.ndarray = 100 * sums[:, 0] / sums[:, 1]
    return share


@pytest.mark.parametrize("cells", [1, 100, 1 << 20])
def test_the_p_value_is_the_share_of_all_swaps(cells: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of sentences with several outcomes each, however many trials are in memory at once."""
    monkeypatch.setattr(randomization, "CELLS_AT_ONCE", cells)
    correct, theirs = np.array([3, 2, 1, 0, 2, 1, 1]), np.array([1, 2, 0, 1, 0, 0, 1])
    total = np.array([3, 3, 1, 1, 2, 1, 1])
    observed = abs((correct - theirs).sum())
    swaps = [abs(np.dot(signs, correct - theirs)) for signs in product((1, -1), repeat=7)]
    exact = np.mean([swap >= observed for swap in swaps])
    one, other = np.stack([correct, total], axis=1), np.stack([theirs, total], axis=1)
    found = randomization_test(one, other, accuracy, trials=20_000, seed=1)
    assert found == pytest.approx(exact, abs=0.01)
    assert randomization_test(other, one, accuracy, trials=20_000, seed=1) == found
    assert randomization_test(one, one, accuracy, trials=10, seed=1) == 1


def test_of_equal_systems_one_in_twenty_differs_at_005() -> None:
    """Outcomes of a sentence depend on each other: it has three, all right or all wrong."""
    generator = np.random.default_rng(3)
    p_values = []
    for _ in range(400):
        one, other = (3 * generator.integers(0, 2, size=80) for _ in range(2))
        ours, theirs = (np.stack([correct, np.full(80, 3)], axis=1) for correct in (one, other))
        p_values.append(randomization_test(ours, theirs, accuracy, trials=200, seed=1))
    assert np.mean(np.array(p_values) < 0.05) == pytest.approx(0.05, abs=0.03)
