"""Random choices of a derivation, all from one seeded generator."""

import random
from collections.abc import Mapping, Sequence
from functools import cache
from itertools import accumulate
from typing import TypeVar

T = TypeVar("T")

ZIPF_SHIFT = 12
"""Flattens the head of Zipf's law, so that the commonest word is not in every sentence."""


@cache
def _zipf(length: int) -> list[float]:
    return list(accumulate(1 / (rank + ZIPF_SHIFT) for rank in range(length)))


class Chooser:
    """A seeded source of choices."""

    def __init__(self, seed: str, *, ambiguity: float) -> None:
        #: the share of places that may belong to a noun as well as to the verb.
        self.ambiguity = ambiguity
        self._random = random.Random(seed)  # a text seed goes through SHA-512: the same everywhere

    def chance(self, probability: float) -> bool:
        """True with this probability."""
        return self._random.random() < probability

    def one(self, words: Sequence[T]) -> T:
        """A word of a list that is ordered from common to rare, by Zipf's law."""
        return self._random.choices(words, cum_weights=_zipf(len(words)))[0]

    def weighted(self, options: Mapping[T, float]) -> T:
        """A key of `options`, with its value as weight."""
        return self._random.choices(list(options), weights=list(options.values()))[0]

    def number(self, lowest: int, highest: int) -> int:
        """A whole number within closed bounds."""
        return self._random.randint(lowest, highest)
