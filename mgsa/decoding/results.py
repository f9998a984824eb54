"""Translations and alignments of rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from mgsa.data.batch import Row
from mgsa.data.vocabulary import Vocabulary, join_subwords
from mgsa.data.word_links import Link, strongest, word_links, word_matrix
from mgsa.decoding.beam import Hypothesis


@dataclass(frozen=True)
class Candidate:
    """One translation of a sentence."""

    text: str  #: tokens with spaces between, or, of raw text, raw text.
    tokens: tuple[str, ...]
    subwords: tuple[str, ...]
    score: float  #: log probability over length penalty.
    #: between source and target words, counted from 0, if asked for.
    links: tuple[Link, ...] | None = None


@dataclass(frozen=True)
class Translation:
    """The translations of a sentence."""

    n_best: tuple[Candidate, ...]  #: candidates, best first; at least one.
    #: cross-attention of the best one by `layer_N.WHAT` (`layer_1.words`), if asked for: (H, T, S)
    #: in subwords and end of sentence.
    weights: dict[str, np.ndarray] = field(default_factory=dict)

    @classmethod
    def of_hypotheses(
        cls, hypotheses: Sequence[Hypothesis], vocabulary: Vocabulary, *, source_length: int
    ) -> Translation:
        """The result of a search for a sentence of `source_length` positions."""
        n_best = []
        for hypothesis in hypotheses:
            subwords = tuple(vocabulary.decode(hypothesis.ids))
            text = join_subwords(subwords)
            n_best.append(Candidate(text, tuple(text.split()), subwords, hypothesis.score))
        weights = {
            name: array.swapaxes(0, 1)[:, :, :source_length]
            for name, array in hypotheses[0].weights.items()
        }
        return cls(tuple(n_best), weights)

    @property
    def subwords(self) -> tuple[str, ...]:
        """Subwords of the best candidate."""
        return self.n_best[0].subwords

    @property
    def text(self) -> str:
        """Text of the best candidate."""
        return self.n_best[0].text

    @property
    def score(self) -> float:
        """Score of the best candidate."""
        return self.n_best[0].score


NOTHING = Translation((Candidate("", (), (), 0.0),))
"""The translation of an empty sentence, without a model."""


@dataclass(frozen=True)
class Alignment:
    """A soft alignment of a pair."""

    matrix: np.ndarray  #: (T, S) without end of sentence; rows add up to 1 less its share.
    source_words: Sequence[int]  #: number of subwords of each word.
    target_words: Sequence[int]  #: number of subwords of each word.

    @classmethod
    def of_row(cls, row: Row, matrix: np.ndarray) -> Alignment:
        """The alignment of a row from a batch's matrix, with padding and end of sentence."""
        T, S = len(row.target), len(row.source)
        return cls(matrix[:T, :S].copy(), row.subwords_per_word, row.target_subwords_per_word)

    @property
    def links(self) -> list[Link]:
        """Links between words."""
        return word_links(
            strongest(self.matrix), source_words=self.source_words, target_words=self.target_words
        )

    @property
    def words(self) -> np.ndarray:
        """(target words, source words): the matrix summed to words."""
        return word_matrix(
            self.matrix, source_words=self.source_words, target_words=self.target_words
        )
