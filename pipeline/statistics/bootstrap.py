"""Bootstrap intervals of corpus scores, and paired tests (Koehn 2004).

A score is a function of statistics summed over sentences, so resampling is a matrix product. All
scores of all systems share their resamples, which pairs differences.

Legend: N sentences, R resamples, S systems; … the scores of one system.
"""

from dataclasses import dataclass

import numpy as np

CELLS_AT_ONCE = 1 << 21
"""Draws (resamples × sentences) in memory at once."""

SAME = 1e-9
"""Rounding error of percentages; smaller differences count as 0."""


def resampled_sums(statistics: np.ndarray, samples: int, seed: int) -> np.ndarray:
    """(N, …) statistics to (R, …): sums over N sentences drawn with replacement.

    The draws are those of sacreBLEU with this seed.
    """
    flat = statistics.reshape(len(statistics), -1).astype(np.float64)
    sentences = len(flat)
    generator = np.random.default_rng(seed)
    rows = max(1, CELLS_AT_ONCE // sentences)
    sums = np.empty((samples, flat.shape[1]))
    for start in range(0, samples, rows):
        size = (min(rows, samples - start), sentences)
        drawn = generator.choice(sentences, size=size, replace=True)
        # Multiplicity of each sentence in each resample.
        cells = drawn + np.arange(size[0])[:, None] * sentences
        times = np.bincount(cells.ravel(), minlength=cells.size).reshape(size)
        sums[start : start + size[0]] = times @ flat
    return sums.reshape(samples, *statistics.shape[1:])


@dataclass(frozen=True)
class Estimate:
    """Scores, or differences of scores, with their 95% intervals; all (S, …)."""

    value: np.ndarray
    low: np.ndarray
    high: np.ndarray

    def cell(self, *place: int, digits: int = 6) -> list[float | None]:
        """Value, low and high at a place, `None` for NaN.

        They are rounded, so that the order of summation does not show; there is no minus zero.
        """
        numbers = (float(each[place]) for each in (self.value, self.low, self.high))
        return [None if np.isnan(number) else round(number, digits) + 0.0 for number in numbers]


def estimate(value: np.ndarray, resampled: np.ndarray) -> Estimate:
    """Percentile intervals, by the ranks of sacreBLEU's.

    Args:
        value: (S, …) of the corpus.
        resampled: (R, S, …); NaN where a resample has nothing to score.
    """
    ordered = np.sort(resampled, axis=0)  # NaN last
    scored = np.count_nonzero(~np.isnan(ordered), axis=0)
    lower = scored // 40
    upper = scored - lower - 1  # -1, the last (NaN), where nothing is scored
    low, high = (np.take_along_axis(ordered, rank[None], axis=0)[0] for rank in (lower, upper))
    return Estimate(value, low, high)


def compare(
    value: np.ndarray, resampled: np.ndarray, baseline: int, differing: np.ndarray
) -> tuple[Estimate, np.ndarray]:
    """Differences to system `baseline`, and their two-sided p-values (S, …).

    The p-value is the share of resamples whose difference is at least as far from the mean of all
    resamples as the observed one is from 0 (shift method, Noreen 1989), the corpus included.
    Riezler & Maxwell 2005 and sacreBLEU shift absolute differences, which halves the p-value where
    the sign is clear. Its lower bound is 2^(1 - k), the probability that a fair coin gives all k
    differing sentences the same sign.

    Args:
        value, resampled: as in `estimate`.
        differing: (S, …) number of sentences whose statistics differ from the baseline's.
    """
    differences = resampled - resampled[:, baseline : baseline + 1]
    observed = value - value[baseline]
    scored = ~np.isnan(differences)
    count = scored.sum(axis=0)
    mean = np.where(scored, differences, 0.0).sum(axis=0) / np.maximum(count, 1)
    far = np.abs(differences - mean) >= np.abs(observed) - SAME  # False for NaN
    p_value = (far.sum(axis=0) + 1) / (count + 1)
    p_value = np.maximum(p_value, np.minimum(0.5 ** (differing - 1.0), 1))
    return estimate(observed, differences), p_value
