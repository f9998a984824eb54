"""Which n-grams of a reference a translation has.

An n-gram that a reference has r times and the translation h times is found min(h, r) times, as
BLEU clips it. Which of the r places it was found at nobody can say, so each has the same share of
it, min(h, r) / r: over all places of all n-grams the shares add up to BLEU's matches.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

Span = tuple[int, int]
"""The words from a first one up to, not including, an end."""


def shares_found(
    spans: Sequence[Span], reference: Sequence[str], hypotheses: Sequence[Sequence[str]]
) -> np.ndarray:
    """(hypotheses, spans) float64: what share of each n-gram of the reference was found.

    Args:
        spans: where n-grams of the reference are, of any sizes, one word or more.
        hypotheses: of several systems.
    """
    sizes = sorted({end - start for start, end in spans})
    wanted = [_ngrams(reference, size) for size in sizes]
    shares = np.zeros((len(hypotheses), len(spans)))
    for row, hypothesis in enumerate(hypotheses):
        share = {
            ngram: min(1.0, found[ngram] / times)
            for size, of_reference in zip(sizes, wanted, strict=True)
            for found in [_ngrams(hypothesis, size)]
            for ngram, times in of_reference.items()
        }
        shares[row] = [share[tuple(reference[start:end])] for start, end in spans]
    return shares


def _ngrams(words: Sequence[str], size: int) -> Counter[tuple[str, ...]]:
    return Counter(tuple(words[i : i + size]) for i in range(len(words) - size + 1))
