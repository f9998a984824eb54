"""Sentence pairs as padded tensors, with the segments of every granularity."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any

import numpy as np
import torch
from torch import Tensor

from mgsa.data.ragged import Ragged
from mgsa.data.vocabulary import BOS, EOS, PAD, Vocabulary

NO_PHRASE = -1
"""Segment of a padding position; tag of padding and of end of sentence."""
NO_LABEL = -1
"""Class of a sentence without a label."""


_COLUMNS = (
    *("source_ids", "target_ids", "subwords_per_word", "phrase_lengths", "phrase_tags"),
    *("target_subwords_per_word", "links"),
)


@dataclass(frozen=True)
class Row:
    """A sentence pair in subwords, without end of sentence.

    `phrase_lengths[k]` (adding up to `len(source)`) and `phrase_tags[k]` (ids) are those of
    syntactic level k + 1. `links` are (source, target) positions, `None` without alignments.
    """

    index: int
    source: Sequence[int]
    target: Sequence[int]
    subwords_per_word: Sequence[int]
    phrase_lengths: Sequence[Sequence[int]]
    phrase_tags: Sequence[Sequence[int]]
    target_subwords_per_word: Sequence[int] = ()
    links: Sequence[tuple[int, int]] | None = None

    @classmethod
    def of_columns(cls, index: int, columns: Mapping[str, Any]) -> Row:
        """The row with these columns (`mgsa.data.schema`)."""
        return cls(index, *(columns[name] for name in _COLUMNS))

    @classmethod
    def of_subwords(cls, subwords: Sequence[str], vocabulary: Vocabulary) -> Row:
        """A source sentence without target and trees."""
        return cls(0, vocabulary.encode(subwords), (), subwords_per_word(subwords), (), ())

    def with_target(self, subwords: Sequence[str], vocabulary: Vocabulary) -> Row:
        """The row with another target, without links."""
        return replace(
            self,
            target=vocabulary.encode(subwords),
            target_subwords_per_word=subwords_per_word(subwords),
            links=None,
        )


def subwords_per_word(subwords: Sequence[str]) -> list[int]:
    """The number of subwords of each word: all but a word's last end in `@@`."""
    last = len(subwords)  # the last word may be truncated
    ends = [i for i, s in enumerate(subwords, start=1) if i == last or not s.endswith("@@")]
    return np.diff(ends, prepend=0).tolist()


@dataclass(frozen=True)
class RowColumns:
    """Rows column by column; a column that was not read has empty lists."""

    index: np.ndarray  #: (rows,) index of each row in its split.
    source: Ragged  #: subword ids.
    target: Ragged  #: subword ids.
    subwords_per_word: Ragged
    phrase_lengths: tuple[Ragged, ...]  #: for each syntactic level.
    phrase_tags: tuple[Ragged, ...]  #: for each syntactic level.
    links: tuple[Ragged, Ragged]  #: source positions, target positions.
    #: by label column, the class of each row (`NO_LABEL`: none) or of each word.
    labels: dict[str, np.ndarray | Ragged] = field(default_factory=dict)

    @classmethod
    def of(cls, rows: Sequence[Row]) -> RowColumns:
        """The columns of `rows`, with as many levels as all of them have."""
        lengths = zip(*(row.phrase_lengths for row in rows), strict=False)
        tags = zip(*(row.phrase_tags for row in rows), strict=False)
        of_source, of_target = (
            Ragged.of([[link[side] for link in row.links or ()] for row in rows]) for side in (0, 1)
        )
        return cls(
            index=np.array([row.index for row in rows], dtype=np.int64),
            source=Ragged.of([row.source for row in rows]),
            target=Ragged.of([row.target for row in rows]),
            subwords_per_word=Ragged.of([row.subwords_per_word for row in rows]),
            phrase_lengths=tuple(map(Ragged.of, lengths)),
            phrase_tags=tuple(map(Ragged.of, tags)),
            links=(of_source, of_target),
        )

    def __len__(self) -> int:
        return len(self.index)

    @property
    def lengths(self) -> np.ndarray:
        """(rows, 2) int64: subwords of source and target."""
        return np.stack([self.source.lengths, self.target.lengths], axis=1, dtype=np.int64)

    def take(self, indices: np.ndarray) -> RowColumns:
        """The rows of the given indices, in their order."""

        def taken(value: Any) -> Any:
            if isinstance(value, dict):
                return {name: taken(column) for name, column in value.items()}
            if isinstance(value, tuple):
                return tuple(map(taken, value))
            return value.take(indices)

        return RowColumns(**{each.name: taken(getattr(self, each.name)) for each in fields(self)})


@dataclass(frozen=True)
class Batch:
    """Padded sentence pairs; end of sentence is a source position and a phrase of its own."""

    index: Tensor  #: (B,) index of each pair in its split.
    source: Tensor  #: (B, S) ids, then `EOS`, then `PAD`.
    source_lengths: Tensor  #: (B,) positions without padding.
    target_input: Tensor  #: (B, T) `BOS`, then the target.
    target_output: Tensor  #: (B, T) the target, then `EOS`.
    #: by granularity, (B, S): the phrase of each position, `NO_PHRASE` at padding.
    segments: dict[str, Tensor]
    #: by granularity, (B, M): positions of each phrase, 0 beyond the last; gives M without a device
    #: synchronisation.
    phrase_lengths: dict[str, Tensor]
    #: by syntactic granularity, (B, M): phrase tags, `NO_PHRASE` where there is none.
    tags: dict[str, Tensor]
    links: Tensor  #: (all links, 3): row, position in `target_output`, source position.

    @property
    def num_target_tokens(self) -> int:
        """Target positions without padding, `EOS` included."""
        return int((self.target_output != PAD).sum())

    def to(self, device: torch.device) -> Batch:
        """The batch on another device, by one copy out of pinned memory."""
        if device.type == self.index.device.type:
            return self
        tensors = [
            tensor
            for value in vars(self).values()
            for tensor in (value.values() if isinstance(value, dict) else [value])
        ]
        buffer = torch.cat([tensor.flatten() for tensor in tensors])
        if device.type == "cuda":
            buffer = buffer.pin_memory()
        parts = iter(buffer.to(device, non_blocking=True).split([t.numel() for t in tensors]))

        def moved(value: Any) -> Any:
            if isinstance(value, dict):
                return {key: moved(inner) for key, inner in value.items()}
            return next(parts).view_as(value)

        return Batch(**{each.name: moved(getattr(self, each.name)) for each in fields(self)})


def make_batch(rows: Sequence[Row], granularities: Sequence[str], *, ngram_unit: str) -> Batch:
    """Pad `rows` to a batch with the segments of `granularities` (`syntactic_1`, `ngram_2`, …).

    n-grams count units of `ngram_unit`, `subword` or `word`. A `ValueError` is raised if the rows
    lack a syntactic level.
    """
    return pad_columns(RowColumns.of(rows), granularities, ngram_unit=ngram_unit)


def pad_columns(columns: RowColumns, granularities: Sequence[str], *, ngram_unit: str) -> Batch:
    """`make_batch` of rows given as columns, vectorised."""
    source_lengths, target_lengths = columns.lengths.T
    rows = np.arange(len(columns))
    source = columns.source.padded(PAD, width=source_lengths.max() + 1)
    source[rows, source_lengths] = EOS
    target_output = columns.target.padded(PAD, width=target_lengths.max() + 1)
    target_input = np.roll(target_output, 1, axis=1)
    target_input[:, 0] = BOS
    target_output[rows, target_lengths] = EOS

    segments: dict[str, np.ndarray] = {}
    tags: dict[str, np.ndarray] = {}
    for name in granularities:
        kind, _, number = name.partition("_")
        size = int(number)
        if kind == "syntactic":
            if size > len(columns.phrase_lengths):
                raise ValueError(f"{name}: the rows have {len(columns.phrase_lengths)} levels")
            phrases = columns.phrase_lengths[size - 1]
            # End of sentence is one more phrase, without a tag.
            width = phrases.lengths.max() + 1
            tags[name] = columns.phrase_tags[size - 1].padded(NO_PHRASE, width=width)
            segments[name] = _segments(phrases, 1, source_lengths)
        elif ngram_unit == "word":
            segments[name] = _segments(columns.subwords_per_word, size, source_lengths)
        else:
            ones = np.ones(source_lengths.sum(), dtype=np.int64)
            subwords = Ragged.end_to_end(ones, source_lengths)
            segments[name] = _segments(subwords, size, source_lengths)
    of_source, of_target = columns.links
    links = np.stack([of_source.rows(), of_target.flat(), of_source.flat()], axis=1)
    return Batch(
        index=torch.from_numpy(columns.index),
        source=torch.from_numpy(source),
        source_lengths=torch.from_numpy(source_lengths + 1),
        target_input=torch.from_numpy(target_input),
        target_output=torch.from_numpy(target_output),
        segments={name: torch.from_numpy(each) for name, each in segments.items()},
        phrase_lengths={name: _phrase_lengths(each) for name, each in segments.items()},
        tags={name: torch.from_numpy(each) for name, each in tags.items()},
        links=torch.from_numpy(links.astype(np.int64)),
    )


def _segments(units: Ragged, size: int, source_lengths: np.ndarray) -> np.ndarray:
    """(B, S) segments of `size` units each; `units` are numbers of subwords."""
    unit_of_position = np.repeat(units.positions(), units.flat())
    positions = Ragged.end_to_end(unit_of_position // size, source_lengths)
    segments = positions.padded(NO_PHRASE, width=source_lengths.max() + 1)
    segments[np.arange(len(units)), source_lengths] = -(-units.lengths // size)  # ceil
    return segments


def _phrase_lengths(segments: np.ndarray) -> Tensor:
    """(B, M) positions of each segment of (B, S)."""
    num_rows, num_phrases = len(segments), segments.max() + 1
    numbered = segments + num_phrases * np.arange(num_rows)[:, None]
    counts = np.bincount(numbered[segments >= 0], minlength=num_rows * num_phrases)
    return torch.from_numpy(counts.reshape(num_rows, num_phrases))
