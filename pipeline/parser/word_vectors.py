"""Word vectors from co-occurrence, to initialise stanza's tagger and parser."""

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise

import torch
from torch import Tensor

NEIGHBOURS = 2000
"""The commonest words, of whose company word vectors are made."""
OVERSAMPLING = 16
POWER_ITERATIONS = 4


def word_vectors(
    sentences: Iterable[Sequence[str]], *, dim: int, seed: int
) -> tuple[list[str], Tensor]:
    """Words by falling frequency, and their vectors (words, dim).

    Truncated SVD (Halko et al. 2011) of positive pointwise mutual information with the adjacent
    words (Levy & Goldberg 2014).
    """
    counts: Counter[str] = Counter()
    pairs: Counter[tuple[str, str]] = Counter()
    for sentence in sentences:
        counts.update(sentence)
        pairs.update(pairwise(sentence))
    words = [word for word, _ in sorted(counts.items(), key=lambda item: (-item[1], item[0]))]
    places = {word: place for place, word in enumerate(words)}
    numbers = [(places[left], places[right], count) for (left, right), count in pairs.items()]
    left, right, count = torch.tensor(numbers, dtype=torch.long).reshape(-1, 3).T
    # A word's neighbours on its right, and those on its left in columns of their own.
    rows, columns = torch.cat([left, right]), torch.cat([right, left])
    kept = columns < NEIGHBOURS
    columns[len(right) :] += NEIGHBOURS
    rows, columns, together = rows[kept], columns[kept], count.repeat(2)[kept].double()
    of_row, of_column = (torch.bincount(each, weights=together) for each in (rows, columns))
    expected = of_row[rows] * of_column[columns] / together.sum()
    information = (together / expected).log().clamp(min=0)
    matrix = torch.sparse_coo_tensor(
        torch.stack([rows, columns]),
        information,
        (len(words), 2 * NEIGHBOURS),
        check_invariants=True,
    ).coalesce()
    torch.manual_seed(seed)
    size = min(dim + OVERSAMPLING, *matrix.shape)
    basis, scale, _ = torch.svd_lowrank(matrix, size, niter=POWER_ITERATIONS)
    vectors = torch.zeros(len(words), dim)
    vectors[:, :size] = (basis * scale.sqrt())[:, :dim]
    return words, vectors
