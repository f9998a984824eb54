"""How good probes are: accuracy with its interval, beside that of the most frequent class.

All numbers are in per cent. A sentence's words are not told apart independently of each other, so
intervals are of resampled sentences (Koehn 2004), whatever a task counts.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mgsa.analysis.bootstrap import Estimate, Resamples, estimate
from mgsa.probing.rows import NO_LABEL, ProbingRows
from mgsa.probing.training import Told


def accuracies(told: Sequence[Told], *, samples: int, seed: int) -> Estimate:
    """(P,) the accuracy of each of P probes, with its 95% interval; the same resamples for all.

    Args:
        told: of the same sentences.
        samples: resamples of them.
    """
    counts = np.stack([np.stack([one.right, one.counted], axis=1) for one in told], axis=1)
    sums = Resamples(len(counts), samples, seed).sums(counts)  # (R, P, 2)
    with np.errstate(invalid="ignore"):  # 0 of 0 in a resample is NaN
        resampled = 100 * sums[..., 0] / sums[..., 1]
    total = counts.sum(axis=0)
    return estimate(100 * total[:, 0] / total[:, 1], resampled)


def class_counts(rows: ProbingRows, task: str, classes: int) -> np.ndarray:
    """(classes,) how many sentences, or subwords, have each."""
    if not len(rows):
        return np.zeros(classes, dtype=np.int64)
    labels = rows.labels(task).numpy()
    return np.bincount(labels[labels != NO_LABEL], minlength=classes)


def majority_accuracy(train: np.ndarray, test: np.ndarray) -> float:
    """The accuracy of who always says the class that is most frequent in `train`.

    Of classes that are alike frequent, it is the first one.

    Args:
        train, test: (classes,) how often each class is there.
    """
    return float(100 * test[train.argmax()] / test.sum())
