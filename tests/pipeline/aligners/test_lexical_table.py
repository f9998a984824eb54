"""Translation probabilities from counts."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from pipeline.aligners.lexical_table import SMALLEST, LexicalTable, digamma

BASE = 10
KEYS = np.array([11, 12, 13, 21, 22])
"""Given word 1 with words 1, 2 and 3; given word 2 with words 1 and 2."""


def test_at_first_all_are_alike() -> None:
    table = LexicalTable.uniform(KEYS, BASE)
    assert table.given.tolist() == [1, 1, 1, 2, 2]
    assert table.probabilities.tolist() == [1 / 3, 1 / 3, 1 / 3, 1 / 2, 1 / 2]


def test_maximum_likelihood_is_the_share_of_counts() -> None:
    table = LexicalTable.uniform(KEYS, BASE).estimated(np.array([1.0, 3, 0, 0, 2]), prior=0)
    assert table.probabilities.tolist() == [0.25, 0.75, SMALLEST, SMALLEST, 1]


def test_a_prior_takes_from_rare_words() -> None:
    """exp ψ(n) is about n − 1/2, so of three words n times each, some probability is lost."""
    for n in (10, 1000):
        counts = np.full(len(KEYS), float(n))
        made = LexicalTable.uniform(KEYS, BASE).estimated(counts, prior=1e-9)
        assert made.probabilities[:3].sum() == pytest.approx(
            3 * (n - 0.5) / (3 * n - 0.5), rel=1e-3
        )
        assert made.probabilities[:3].sum() < 1


@given(st.lists(st.floats(1e-4, 1e6), min_size=1, max_size=20))
def test_digamma_is_that_of_torch(numbers: list[float]) -> None:
    found = digamma(np.array(numbers))
    expected = torch.digamma(torch.tensor(numbers, dtype=torch.float64)).numpy()
    assert found == pytest.approx(expected, rel=1e-8, abs=1e-8)
