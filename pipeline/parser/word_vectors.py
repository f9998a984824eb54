"""Word vectors from co-occurrence, to initialise stanza's tagger and parser."""

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise

import numpy as np

NEIGHBOURS = 2000
"""The commonest words, of whose company word vectors are made."""
OVERSAMPLING = 16
POWER_ITERATIONS = 4


def word_vectors(
    sentences: Iterable[Sequence[str]], *, dim: int, seed: int
) -> tuple[list[str], np.ndarray]:
    """Words by falling frequency, and their vectors (words, dim), rounded to six decimals.

    Truncated SVD of positive pointwise mutual information with the adjacent words (Levy & Goldberg
    2014).
    """
    counts: Counter[str] = Counter()
    pairs: Counter[tuple[str, str]] = Counter()
    for sentence in sentences:
        counts.update(sentence)
        pairs.update(pairwise(sentence))
    words = [word for word, _ in sorted(counts.items(), key=lambda item: (-item[1], item[0]))]
    rows = {word: row for row, word in enumerate(words)}
    columns = {word: column for column, word in enumerate(words[:NEIGHBOURS])}
    company = np.zeros((len(words), 2 * len(columns)))
    for (left, right), count in pairs.items():
        if right in columns:
            company[rows[left], columns[right]] += count
        if left in columns:
            company[rows[right], len(columns) + columns[left]] += count
    return words, _truncated(_positive_information(company), dim, seed).round(6)


def _positive_information(company: np.ndarray) -> np.ndarray:
    total = max(company.sum(), 1.0)
    expected = np.outer(company.sum(axis=1), company.sum(axis=0)) / total
    with np.errstate(divide="ignore", invalid="ignore"):
        information = np.log(company / expected)
    return np.where(company > 0, np.maximum(information, 0.0), 0.0)


def _truncated(matrix: np.ndarray, dim: int, seed: int) -> np.ndarray:
    """The first `dim` left singular vectors, scaled (Halko et al. 2011, algorithm 4.4)."""
    width = min(dim + OVERSAMPLING, *matrix.shape)
    basis = matrix @ np.random.default_rng(seed).standard_normal((matrix.shape[1], width))
    for _ in range(POWER_ITERATIONS):
        basis, _ = np.linalg.qr(matrix @ (matrix.T @ basis))
    left, scale, _ = np.linalg.svd(basis.T @ matrix, full_matrices=False)
    vectors = np.zeros((matrix.shape[0], dim))
    kept = min(dim, width)
    vectors[:, :kept] = (basis @ left[:, :kept]) * np.sqrt(scale[:kept])
    return vectors
