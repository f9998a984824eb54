"""Paired test by approximate randomisation (Riezler & Maxwell 2005), of any score of a corpus.

Legend: N sentences, F statistics, R trials.
"""

from collections.abc import Callable

import numpy as np

from pipeline.statistics.bootstrap import CELLS_AT_ONCE, SAME


def randomization_test(
    ours: np.ndarray,
    theirs: np.ndarray,
    score: Callable[[np.ndarray], np.ndarray],
    *,
    trials: int,
    seed: int,
) -> float:
    """The two-sided p-value of the difference of two systems' scores.

    In each trial a fair coin for each sentence decides whether the systems swap what they have of
    it. The p-value is the share of trials, the corpus as it is among them, whose difference is as
    large. Several outcomes of a sentence (of its contrasts, of systems trained from several seeds)
    are added up before, since they are swapped together.

    Args:
        ours, theirs: (N, F) statistics of each sentence, which add up to those of a corpus.
        score: (R, F) statistics of corpora to their (R,) scores.
    """
    differing = (ours != theirs).any(axis=1)
    both, swapped = (ours + theirs).sum(axis=0), (ours - theirs)[differing]
    generator = np.random.default_rng(seed)
    rows = max(1, CELLS_AT_ONCE // max(1, len(swapped)))

    def difference(signs: np.ndarray) -> np.ndarray:
        change = signs @ swapped
        gap: np.ndarray = np.abs(score((both + change) / 2) - score((both - change) / 2))
        return gap

    (observed,) = difference(np.ones((1, len(swapped))))
    larger = 1
    for start in range(0, trials, rows):
        size = (min(rows, trials - start), len(swapped))
        signs = generator.choice([-1.0, 1.0], size=size)
        larger += int((difference(signs) >= observed - SAME).sum())
    return larger / (trials + 1)
