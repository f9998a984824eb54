"""What a translator found, aligned with what it was found for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice

from mgsa.alignment.aligner import Aligner
from mgsa.data.batch import Row
from mgsa.decoding.translation import Translation

PORTION = 1000
"""Translations that are aligned together, those of like length in a batch."""


def aligned(
    translations: Iterable[Translation], rows: Iterable[Row], aligner: Aligner, *, batch_tokens: int
) -> Iterator[Translation]:
    """The same translations, every candidate with its links to the words of its row."""
    pairs = zip(rows, translations, strict=True)
    while portion := list(islice(pairs, PORTION)):
        yield from _aligned(portion, aligner, batch_tokens)


def _aligned(
    portion: Sequence[tuple[Row, Translation]], aligner: Aligner, batch_tokens: int
) -> Iterator[Translation]:
    vocabulary = aligner.artifact.vocabularies[1]
    rows = [
        row.with_target(candidate.subwords, vocabulary)
        for row, translation in portion
        for candidate in translation.n_best
    ]
    found = iter(aligner.align_rows(rows, batch_tokens=batch_tokens))
    for _, translation in portion:
        n_best = [replace(best, links=tuple(next(found).links)) for best in translation.n_best]
        yield replace(translation, n_best=tuple(n_best))
