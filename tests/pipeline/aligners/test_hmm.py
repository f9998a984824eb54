"""The hidden Markov model against all alignments of short sentences; its tables from counts."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from pipeline.aligners.hmm import (
    LONGEST_JUMP,
    SMALLEST,
    Jumps,
    LexicalTable,
    digamma,
    hmm_posteriors,
)
from tests.reference import alignment as reference

NULL_SHARE = 0.3
lengths = st.lists(st.integers(1, 4), min_size=1, max_size=3)


def random_jumps(seed: int) -> Jumps:
    return Jumps(np.random.default_rng(seed).random(2 * LONGEST_JUMP + 1) + 0.1)


def by_width(jumps: Jumps) -> dict[int, float]:
    widths = range(-LONGEST_JUMP, LONGEST_JUMP + 1)
    return dict(zip(widths, jumps.weights.tolist(), strict=True))


@given(num_given=st.integers(1, 3), generated=lengths, seed=st.integers(0, 99))
def test_posteriors_are_those_of_all_alignments(
    num_given: int, generated: list[int], seed: int
) -> None:
    """A block of pairs with the same number of given words; every word has its own id."""
    generated = sorted(generated, reverse=True)
    draw = np.random.default_rng(seed)
    exists = np.array([[n > place for n in generated] for place in range(generated[0])])
    emissions = draw.random((*exists.shape, num_given + 1)) + 0.01
    jumps = random_jumps(seed)
    found = hmm_posteriors(emissions, exists, jumps.matrix(num_given), NULL_SHARE)

    jump = reference.jump_probabilities(by_width(jumps), num_given)
    assert jumps.matrix(num_given) == pytest.approx(np.array(jump))
    log_likelihood, of_jumps = 0.0, Counter[tuple[int, int]]()
    for pair, length in enumerate(generated):
        lexical = {
            (origin, place): float(emissions[place, pair, origin])
            for place in range(length)
            for origin in range(num_given + 1)
        }
        expected, origins = reference.hmm(
            range(1, num_given + 1), range(length), lexical, jump, NULL_SHARE
        )
        assert found.states[:length, pair] == pytest.approx(np.array(origins))
        assert not found.states[length:, pair].any()
        log_likelihood += expected.log_likelihood
        of_jumps.update(expected.jumps)
    assert found.log_likelihood == pytest.approx(log_likelihood)
    assert found.jumps is not None
    for (start, end), count in of_jumps.items():
        assert found.jumps[start, end] == pytest.approx(count)
    assert found.jumps.sum() == pytest.approx(sum(of_jumps.values()))


def test_a_long_sentence_does_not_underflow() -> None:
    num_given, length = 40, 500
    emissions = np.full((length, 1, num_given + 1), 1e-30)
    exists = np.ones((length, 1), dtype=bool)
    found = hmm_posteriors(emissions, exists, Jumps.uniform().matrix(num_given), 0.1)
    assert found.states.sum(axis=-1) == pytest.approx(np.ones((length, 1)))
    assert np.isfinite(found.log_likelihood)


def test_uniform_jumps_go_anywhere() -> None:
    matrix = Jumps.uniform().matrix(3)
    assert matrix == pytest.approx(np.full((4, 4), 1 / 4))


def test_jumps_are_by_their_width() -> None:
    weights = np.ones(2 * LONGEST_JUMP + 1)
    weights[LONGEST_JUMP + 1] = 5  # one place further
    # From before the sentence to words 1, 2, the end; from word 1; from word 2.
    assert Jumps(weights).matrix(2) == pytest.approx(
        np.array([[5 / 7, 1 / 7, 1 / 7], [1 / 7, 5 / 7, 1 / 7], [1 / 7, 1 / 7, 5 / 7]])
    )


def test_long_jumps_have_one_weight() -> None:
    row = random_jumps(1).matrix(3 * LONGEST_JUMP)[0]
    assert row[LONGEST_JUMP - 1 :] == pytest.approx(row[-1])
    assert row[LONGEST_JUMP - 2] != pytest.approx(row[-1])


@given(seed=st.integers(0, 99), prior=st.sampled_from([0.0, 1.0]))
def test_an_estimate_makes_the_jumps_seen_likelier(seed: int, prior: float) -> None:
    """With a gamma prior, whose logarithm is `log w - w`, the sum of both."""
    draw = np.random.default_rng(seed)
    counts = {n: draw.random((n + 1, n + 1)) for n in (1, 2, 5)}

    def likelihood(jumps: Jumps) -> float:
        seen = sum(float((c * np.log(jumps.matrix(n))).sum()) for n, c in counts.items())
        return seen + prior * float((np.log(jumps.weights) - jumps.weights).sum())

    jumps, values = random_jumps(seed), []
    for _ in range(20):
        values.append(likelihood(jumps))
        jumps = jumps.estimated(counts, prior)
    assert (np.diff(values) >= -1e-9).all()
    assert values[-1] > values[0]


def test_what_no_sentence_is_long_enough_for_stays() -> None:
    estimated = random_jumps(1).estimated({1: np.ones((2, 2))}, 0.0)
    assert estimated.weights[0] == random_jumps(1).weights[0]
    assert (estimated.weights > 0).all()


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
