"""N-grams of references by the syntactic category of the source, counted sentence by sentence.

Legend: N sentences, S systems, F cells (a size and a category each).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from mgsa.analysis.ngrams import recall_of_spans
from pipeline.patterns.source_phrases import PHRASE, Occurrence

ALL = "all"
"""What stands for all categories of a size together."""

Cell = tuple[str, str]
"""A size and a category."""


class Translated(NamedTuple):
    """A sentence: n-grams of its reference, the reference's tokens, and every translation's."""

    occurrences: Sequence[Occurrence]
    reference: Sequence[str]
    hypotheses: Sequence[Sequence[str]]


@dataclass(frozen=True)
class CategoryCounts:
    """What references have and systems found.

    Attributes:
        cells: by size, `all` first, then categories in alphabetical order; phrases come last.
        counted: (N, F) n-grams of each reference.
        found: (N, S, F) how many of them each system's translation has, a repeated one's matches
            in equal shares.
    """

    cells: Sequence[Cell]
    counted: np.ndarray
    found: np.ndarray


def count_categories(sentences: Iterable[Translated], num_systems: int) -> CategoryCounts:
    """The counts of a corpus."""
    sparse = [_count_sentence(sentence) for sentence in sentences]
    cells = sorted({cell for sums in sparse for cell in sums}, key=_place)
    column = {cell: f for f, cell in enumerate(cells)}
    counted = np.zeros((len(sparse), len(cells)))
    found = np.zeros((len(sparse), num_systems, len(cells)))
    for row, sums in enumerate(sparse):
        for cell, (number, *of_systems) in sums.items():
            counted[row, column[cell]] = number
            found[row, :, column[cell]] = of_systems
    return CategoryCounts(cells, counted, found)


def _count_sentence(sentence: Translated) -> dict[Cell, np.ndarray]:
    """Of each cell that a sentence has: (1 + S,) its n-grams, and those that each system found."""
    spans = [(occurrence.start, occurrence.end) for occurrence in sentence.occurrences]
    shares = recall_of_spans(spans, sentence.reference, sentence.hypotheses)
    sums: dict[Cell, np.ndarray] = {}
    for occurrence, share in zip(sentence.occurrences, shares.T, strict=True):
        for category in (ALL, occurrence.category):
            of_cell = sums.setdefault((occurrence.size, category), np.zeros(1 + len(share)))
            of_cell[0] += 1
            of_cell[1:] += share
    return sums


def _place(cell: Cell) -> tuple[bool, int, bool, str]:
    """Where a cell comes in the order of cells."""
    size, category = cell
    return size == PHRASE, 0 if size == PHRASE else int(size), category != ALL, category
