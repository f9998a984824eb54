"""What a translator gives: candidates in subwords and in tokens, scores, attention weights."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

_CONTINUES = re.compile("@@( |$)")
"""The mark of a subword that does not end its word, and the space after it."""


@dataclass(frozen=True)
class Candidate:
    """One of the translations that a search found.

    Attributes:
        subwords: as the model gave them.
        text: tokens, separated by spaces.
        score: log probability over length penalty.
        links: if asked for, the source and target words that are linked, counted from 0.
    """

    subwords: tuple[str, ...]
    text: str
    score: float
    links: tuple[tuple[int, int], ...] | None = None


@dataclass(frozen=True)
class Translation:
    """What became of a sentence.

    Attributes:
        n_best: as many candidates as were asked for, best first, at least one.
        weights: if asked for, the weights of cross-attention of the best one, by
            `layer_N.WHAT` (`layer_1.words`): (H, T, S), where T counts subwords and end of
            sentence of the translation, S those of the source.
    """

    n_best: tuple[Candidate, ...]
    weights: dict[str, np.ndarray] = field(default_factory=dict)

    @property
    def subwords(self) -> tuple[str, ...]:
        """Of the best candidate."""
        return self.n_best[0].subwords

    @property
    def text(self) -> str:
        """Of the best candidate: tokens, separated by spaces."""
        return self.n_best[0].text

    @property
    def score(self) -> float:
        """Of the best candidate."""
        return self.n_best[0].score


NOTHING = Translation((Candidate((), "", 0.0),))
"""The translation of a sentence without a word, which no model is asked for."""


def join_subwords(subwords: Iterable[str]) -> str:
    """Tokens separated by spaces: `Bu@@ sh held` is `Bush held`."""
    return _CONTINUES.sub("", " ".join(subwords))
