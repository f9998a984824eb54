"""Sentence pairs as padded tensors, with the segments of every granularity a model attends to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace

import numpy as np
import torch
from torch import Tensor

from mgsa.data.vocabulary import BOS, EOS, PAD

NO_PHRASE = -1
"""Segment of a padding position, and tag of a phrase that has none (padding, end of sentence)."""


@dataclass(frozen=True)
class Row:
    """One sentence pair of a dataset, in subwords, without end of sentence.

    `phrase_lengths[k]` and `phrase_tags[k]` are the phrases of syntactic level k + 1: their lengths
    in subwords, which add up to `len(source)`, and the ids of their tags.
    """

    index: int
    source: Sequence[int]
    target: Sequence[int]
    subwords_per_word: Sequence[int]
    phrase_lengths: Sequence[Sequence[int]]
    phrase_tags: Sequence[Sequence[int]]


@dataclass(frozen=True)
class Batch:
    """Padded sentence pairs; end of sentence is a source position and a phrase of its own.

    Attributes:
        index: (B,) each pair's row in its split.
        source: (B, S) ids, end of sentence appended, `PAD` after it.
        source_lengths: (B,) positions that are not padding.
        target_input: (B, T) begin of sentence, then the target.
        target_output: (B, T) the target, then end of sentence.
        segments: for each granularity, (B, S): the phrase that holds each position, `NO_PHRASE`
            at padding.
        phrase_lengths: for each granularity, (B, M): the positions of each phrase, 0 where a
            sentence has no such phrase. The same as `segments` tells, but M is known from it
            without asking the device.
        tags: for each syntactic granularity, (B, M): the tag of each phrase, `NO_PHRASE` where
            there is none.
    """

    index: Tensor
    source: Tensor
    source_lengths: Tensor
    target_input: Tensor
    target_output: Tensor
    segments: dict[str, Tensor]
    phrase_lengths: dict[str, Tensor]
    tags: dict[str, Tensor]

    @property
    def num_target_tokens(self) -> int:
        """Target positions that are not padding, end of sentence included."""
        return int((self.target_output != PAD).sum())

    def to(self, device: torch.device) -> Batch:
        """The same batch on `device`."""
        moved: dict[str, Tensor | dict[str, Tensor]] = {}
        for field in fields(self):
            value = getattr(self, field.name)
            if isinstance(value, dict):
                moved[field.name] = {k: v.to(device, non_blocking=True) for k, v in value.items()}
            else:
                moved[field.name] = value.to(device, non_blocking=True)
        return replace(self, **moved)  # type: ignore[arg-type]


def make_batch(rows: Sequence[Row], granularities: Sequence[str], *, ngram_unit: str) -> Batch:
    """Pad `rows` to a batch, with the segments of `granularities` (`syntactic_1`, `ngram_2`, …).

    Args:
        ngram_unit: whether n-grams count `subword`s or `word`s.
    """
    source = _padded([[*row.source, EOS] for row in rows], PAD)
    segments: dict[str, Tensor] = {}
    phrase_lengths: dict[str, Tensor] = {}
    tags: dict[str, Tensor] = {}
    for name in granularities:
        kind, _, size = name.partition("_")
        if kind == "syntactic":
            level = int(size) - 1
            lengths = [[*row.phrase_lengths[level], 1] for row in rows]
            tags[name] = _padded([[*row.phrase_tags[level], NO_PHRASE] for row in rows], NO_PHRASE)
        else:
            lengths = [[*ngram_lengths(row, int(size), ngram_unit), 1] for row in rows]
        segments[name] = _padded(
            [np.repeat(np.arange(len(row)), row) for row in lengths], NO_PHRASE
        )
        phrase_lengths[name] = _padded(lengths, 0)
    return Batch(
        index=torch.tensor([row.index for row in rows]),
        source=source,
        source_lengths=torch.tensor([len(row.source) + 1 for row in rows]),
        target_input=_padded([[BOS, *row.target] for row in rows], PAD),
        target_output=_padded([[*row.target, EOS] for row in rows], PAD),
        segments=segments,
        phrase_lengths=phrase_lengths,
        tags=tags,
    )


def ngram_lengths(row: Row, n: int, unit: str) -> list[int]:
    """Lengths in subwords of the n-grams of a row's source; the last may be shorter."""
    if unit == "word":
        counts = row.subwords_per_word
        return [sum(counts[start : start + n]) for start in range(0, len(counts), n)]
    length = len(row.source)
    return [min(n, length - start) for start in range(0, length, n)]


def _padded(rows: Sequence[Sequence[int] | np.ndarray], padding: int) -> Tensor:
    """Rows of different lengths as one (B, longest) tensor of int64."""
    filled = np.full((len(rows), max(len(row) for row in rows)), padding, dtype=np.int64)
    for index, row in enumerate(rows):
        filled[index, : len(row)] = row
    return torch.from_numpy(filled)
