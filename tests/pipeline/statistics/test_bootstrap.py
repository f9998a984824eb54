"""Bootstrap against a loop over the same draws and against sacreBLEU; intervals and p-values."""

from __future__ import annotations

import numpy as np
import pytest
from sacrebleu.significance import _compute_p_value

from pipeline.statistics import bootstrap
from pipeline.statistics.bootstrap import compare, estimate, resampled_sums

SENTENCES, SAMPLES, SEED = 9, 70, 3


def draws() -> np.ndarray:
    """(R, N) the sentences of each resample."""
    return np.random.default_rng(SEED).choice(SENTENCES, size=(SAMPLES, SENTENCES))


@pytest.fixture(scope="module")
def statistics() -> np.ndarray:
    """(N, systems, 3)"""
    return np.random.default_rng(1).integers(0, 20, size=(SENTENCES, 2, 3))


@pytest.mark.parametrize("cells", [1, 2 * SENTENCES + 1, 1 << 20])
def test_intervals_and_tests_are_those_of_a_loop(
    statistics: np.ndarray, cells: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of a ratio, however many resamples are in memory at once."""

    def score(sums: np.ndarray) -> np.ndarray:
        ratio: np.ndarray = 100 * sums[..., 0] / sums[..., 1:].sum(axis=-1)
        return ratio

    monkeypatch.setattr(bootstrap, "CELLS_AT_ONCE", cells)
    sums = resampled_sums(statistics, SAMPLES, SEED)
    assert np.array_equal(sums, [sum(statistics[n] for n in drawn) for drawn in draws()])
    whole, scores = score(statistics.sum(axis=0)), score(sums)
    found, ordered = estimate(whole, scores), np.sort(scores, axis=0)
    # 70 // 40 = 1 resample is left out at either end.
    assert np.array_equal([found.low, found.high], [ordered[1], ordered[-2]])

    difference, p_value = compare(whole, scores, 0, np.array([0, SENTENCES]))
    differences, observed = np.sort(scores[:, 1] - scores[:, 0]), whole[1] - whole[0]
    ends = difference.low[1], difference.value[1], difference.high[1]
    assert ends == pytest.approx((differences[1], observed, differences[-2]))
    far = sum(abs(one - differences.mean()) >= abs(observed) for one in differences)
    assert 0 < far < SAMPLES
    assert p_value[1] == pytest.approx((far + 1) / (SAMPLES + 1))
    assert (difference.value[0], p_value[0]) == (0, 1)


def test_a_resample_with_nothing_to_score_counts_for_nothing() -> None:
    found = estimate(np.zeros(2), np.array([[np.nan, np.nan], [40.0, np.nan], [60.0, np.nan]]))
    assert (found.low[0], found.high[0]) == (40, 60)
    assert np.isnan([found.low[1], found.high[1]]).all()
    # Differences of 1, 2, 3, 6 are 3 on average, so 2, 1, 0, 3 off; the systems' is 2. Two of four
    # are as far off, and the corpus itself counts: 3 / 5.
    resampled = np.array([[7, 8.0], [7, 9], [7, 10], [7, 13], [np.nan, 1]])
    _, p_values = compare(np.array([7.0, 9.0]), resampled, 0, np.array([0, 99]))
    assert p_values.tolist() == [1, 3 / 5]


@pytest.mark.parametrize(
    ("differing", "p_value"), [(0, 1), (1, 1), (2, 0.5), (3, 0.25), (4, 0.125), (5, 0.1), (9, 0.1)]
)
def test_few_sentences_that_differ_prove_nothing(differing: int, p_value: float) -> None:
    """Nine resamples that are all alike, as those of one sentence are, would give 1 / 10."""
    resampled = np.tile([0.0, 50.0], (9, 1))
    _, p_values = compare(np.array([0.0, 50.0]), resampled, 0, np.array([0, differing]))
    assert p_values.tolist() == [1, p_value]


def test_of_equal_systems_one_in_twenty_differs_at_005_and_two_by_sacrebleus_test() -> None:
    """Each of 2,000 pairs of systems differs by a normal draw, its resamples by further ones.

    sacreBLEU asks how often the absolute difference of a resample, less their mean, is larger than
    that of the systems; of a clear difference, it sees one side alone. `docs/results.md` says so.
    """
    pairs, samples = 2000, 500
    generator = np.random.default_rng(1)
    observed = generator.normal(size=pairs)
    resampled = observed + generator.normal(size=(samples, pairs))
    # Of one comparison each, the baseline being the last system.
    value, systems = np.append(observed, 0), np.c_[resampled, np.zeros(samples)]
    _, ours = compare(value, systems, pairs, np.full(pairs + 1, 99))
    off = np.abs(resampled) - np.abs(resampled).mean(axis=0)
    theirs = [
        _compute_p_value(stats, difference)
        for stats, difference in zip(off.T, np.abs(observed), strict=True)
    ]
    assert np.mean(ours[:pairs] < 0.05) == pytest.approx(0.05, abs=0.015)
    assert np.mean(np.array(theirs) < 0.05) == pytest.approx(0.11, abs=0.015)
