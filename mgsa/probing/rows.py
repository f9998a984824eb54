"""Sentences with their labels: batches of what is encoded, and what is to be told from it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from mgsa.data.batch import Batch, RowColumns, pad_columns
from mgsa.data.ragged import Ragged

NO_LABEL = -1
"""In place of a label: padding, end of sentence, no main clause."""


@dataclass(frozen=True)
class ProbingRows:
    """Some sentences, column by column.

    Attributes:
        columns: what an encoder sees; their target is empty, and they have no links.
        of_sentences: for each task of sentences, (rows,) classes, `NO_LABEL` where there is none.
        of_words: for each task of words, the class of each word.
    """

    columns: RowColumns
    of_sentences: Mapping[str, np.ndarray]
    of_words: Mapping[str, Ragged]

    def __len__(self) -> int:
        return len(self.columns)

    @property
    def lengths(self) -> np.ndarray:
        """(rows, 2) subwords, and 0 for the target: what `mgsa.data.bucketing` takes."""
        source = self.columns.source.lengths
        return np.stack([source, np.zeros_like(source)], axis=1)

    def take(self, indices: np.ndarray) -> ProbingRows:
        """The rows at `indices`, in that order."""
        return ProbingRows(
            columns=self.columns.take(indices),
            of_sentences={task: classes[indices] for task, classes in self.of_sentences.items()},
            of_words={task: classes.take(indices) for task, classes in self.of_words.items()},
        )

    def batch(self, granularities: Sequence[str], *, ngram_unit: str) -> Batch:
        """The rows padded, with the segments of `granularities`, as a model's encoder takes them.

        Raises:
            ValueError: a granularity is a syntactic level that the rows don't have.
        """
        return pad_columns(self.columns, granularities, ngram_unit=ngram_unit)

    def labels(self, task: str) -> Tensor:
        """What a probe is to tell: a class for each sentence, or for each source position.

        Subwords have the class of their word. Of positions, end of sentence and padding have
        `NO_LABEL`.

        Returns:
            (B,) of a task of sentences; (B, S) of a task of words, S being that of `batch`.
        """
        if task in self.of_sentences:
            return torch.from_numpy(self.of_sentences[task].astype(np.int64))
        words, lengths = self.columns.subwords_per_word, self.columns.source.lengths
        assert words is not None
        of_subwords = np.repeat(self.of_words[task].flat(), words.flat())
        starts = np.cumsum(lengths) - lengths
        padded = Ragged(of_subwords, starts, lengths).padded(NO_LABEL, width=lengths.max() + 1)
        return torch.from_numpy(padded)


def class_counts(rows: ProbingRows, task: str, classes: int) -> np.ndarray:
    """(classes,) how many sentences, or subwords, have each."""
    if not len(rows):
        return np.zeros(classes, dtype=np.int64)
    labels = rows.labels(task).numpy()
    return np.bincount(labels[labels != NO_LABEL], minlength=classes)
