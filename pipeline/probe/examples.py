"""Probing data: a dataset of sentences with label columns, and its batches with labels."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from mgsa.data.batch import NO_LABEL, Batch, RowColumns, pad_columns
from mgsa.data.batching import bucketed
from mgsa.data.dataset import Dataset
from mgsa.data.ragged import Ragged
from mgsa.model.encoder_decoder import EncoderDecoder
from pipeline.formats.probing import TASKS


def read_split(data: Dataset, split: str) -> RowColumns:
    """All sentences of a split with their labels."""
    groups = range(len(data.row_group_rows(split)))
    extra = ("subwords_per_word", "phrase_lengths", "phrase_tags", *TASKS)
    return data.columns(split, groups, extra)


@dataclass(frozen=True, eq=False)
class Example:
    """A batch of sentences with their indices in the split, the same in every epoch.

    `labels` are (B,) or (B, S) by task, from `labels_of`.
    """

    rows: np.ndarray
    batch: Batch
    labels: Mapping[str, Tensor]


def make_examples(
    columns: RowColumns, tasks: Iterable[str], model: EncoderDecoder, *, batch_tokens: int
) -> list[Example]:
    """All rows in batches of similar length, on the model's device."""
    device = next(model.parameters()).device
    examples = []
    for indices in bucketed(columns.lengths, np.arange(len(columns)), batch_tokens):
        part = columns.take(indices)
        batch = pad_columns(part, model.granularities, ngram_unit=model.ngram_unit)
        labels = {task: labels_of(part, task).to(device) for task in tasks}
        examples.append(Example(indices, batch.to(device), labels))
    return examples


def labels_of(columns: RowColumns, task: str) -> Tensor:
    """(B,) classes of sentences, or (B, S) of source positions; `NO_LABEL` where there is none.

    Subwords have the class of their word, end of sentence and padding none.
    """
    classes = columns.labels[task]
    if not isinstance(classes, Ragged):
        return torch.from_numpy(classes.astype(np.int64))
    lengths = columns.source.lengths
    ragged = Ragged.end_to_end(_of_subwords(classes, columns), lengths)
    return torch.from_numpy(ragged.padded(NO_LABEL, width=lengths.max() + 1))


def class_counts(columns: RowColumns, task: str, classes: int) -> np.ndarray:
    """(classes,) number of sentences, or subwords, of each class."""
    labels = columns.labels[task]
    if isinstance(labels, Ragged):
        labels = _of_subwords(labels, columns)
    return np.bincount(labels[labels != NO_LABEL], minlength=classes)


def _of_subwords(classes: Ragged, columns: RowColumns) -> np.ndarray:
    """The classes of all subwords, given those of words."""
    return np.repeat(classes.flat(), columns.subwords_per_word.flat())
