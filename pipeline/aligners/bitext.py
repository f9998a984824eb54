"""Sentences as numbers, end to end: what a statistical aligner counts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class IndexedText:
    """Sentences of one language in word ids, one after the other.

    Attributes:
        ids: (words,) int64.
        offsets: (sentences + 1,) of the sentences in `ids`.
    """

    ids: np.ndarray
    offsets: np.ndarray

    @property
    def lengths(self) -> np.ndarray:
        """(sentences,) words."""
        return np.diff(self.offsets)


class WordIndex:
    """Ids of the words of one language, from 1; every other word has the id after the last.

    Id 0 is left for the null word, to which what has no translation is aligned.
    """

    def __init__(self, sentences: Iterable[str], *, fold_case: bool) -> None:
        """
        Args:
            sentences: tokens with one space between them. Their order doesn't matter.
            fold_case: whether words that differ in case are one.
        """
        self._fold_case = fold_case
        words = {word for sentence in sentences for word in self._words(sentence)}
        self._ids = {word: number for number, word in enumerate(sorted(words), start=1)}

    @property
    def size(self) -> int:
        """How many ids there are: the null word, each word, any other word."""
        return len(self._ids) + 2

    def index(self, sentences: Sequence[str]) -> IndexedText:
        """Sentences in ids."""
        get, other = self._ids.get, self.size - 1
        rows = [[get(word, other) for word in self._words(sentence)] for sentence in sentences]
        lengths = np.array([len(row) for row in rows], dtype=np.int64)
        ids = np.fromiter((number for row in rows for number in row), np.int64, lengths.sum())
        return IndexedText(ids, np.concatenate([[0], np.cumsum(lengths)]))

    def _words(self, sentence: str) -> list[str]:
        return (sentence.lower() if self._fold_case else sentence).split(" ")
