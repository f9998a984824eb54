"""Translation probabilities of word pairs, estimated from expected counts."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

SMALLEST = 1e-30
"""No probability is below this, so that every word can be generated."""


@dataclass(frozen=True)
class LexicalTable:
    """p(generated word | given word) of the pairs of words that occur together.

    Attributes:
        keys: (entries,) sorted; see `pipeline.aligners.word_pairs.blocks`.
        given: (entries,) the given word of each.
        probabilities: (entries,).
    """

    keys: np.ndarray
    given: np.ndarray
    probabilities: np.ndarray

    @classmethod
    def uniform(cls, keys: np.ndarray, key_base: int) -> LexicalTable:
        """Every word that occurs with a given word is as likely as any other."""
        given = keys // key_base
        return cls(keys, given, 1 / np.bincount(given)[given])

    def estimated(self, counts: np.ndarray, prior: float) -> LexicalTable:
        """The same pairs with new probabilities.

        By maximum likelihood for a prior of 0. Otherwise the mean-field estimate under a symmetric
        Dirichlet prior (variational Bayes; Riley & Gildea 2012), which takes from rare
        words: by maximum likelihood they collect the translations of their neighbours.

        Args:
            counts: (entries,) expected.
            prior: the Dirichlet parameter of each pair.
        """
        totals = np.bincount(self.given, counts + prior)  # 0 for words of no pair
        if prior:
            of_given = digamma(np.maximum(totals, SMALLEST))
            found = np.exp(digamma(counts + prior) - of_given[self.given])
        else:
            found = counts / np.maximum(totals, SMALLEST)[self.given]
        return LexicalTable(self.keys, self.given, np.maximum(found, SMALLEST))


def digamma(x: np.ndarray) -> np.ndarray:
    """The derivative of the logarithm of the gamma function, for positive numbers.

    Abramowitz & Stegun 1964: the recurrence 6.3.5 up to 6 and beyond, then the series 6.3.18.
    """
    below = np.zeros_like(x)
    for _ in range(6):
        below += 1 / x
        x = x + 1
    square = 1 / (x * x)
    series = square * (1 / 12 - square * (1 / 120 - square * (1 / 252 - square / 240)))
    return np.log(x) - 0.5 / x - series - below
