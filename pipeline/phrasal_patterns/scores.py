"""Scores of phrasal patterns: by n-gram size, by source length, by category.

Each table has a row for each system and cell (an n, a length and an n, a category and a size): its
counts, the score with its 95% interval and, with a baseline, the baseline's name, the difference to
it with an interval, and a p-value. Scores and differences are in per cent.

Legend: N sentences, S systems, F cells.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from pipeline.formats.tables import Row
from pipeline.statistics.bootstrap import compare, estimate, resampled_sums
from pipeline.statistics.ngrams import restricted_bleu

SCORE = ("score", "score_low", "score_high")
DIFFERENCE = ("difference", "difference_low", "difference_high")


@dataclass(frozen=True)
class Scores:
    """Scores of S systems in F cells, from sentences of a corpus of N."""

    cells: Sequence[Row]  #: what each is about, by columns of the table.
    #: (N, S, F, 5), those of `restricted_bleu` (without lengths: no brevity penalty); then 0 where
    #: the sentence is none of the cell.
    statistics: np.ndarray

    def differing(self, baseline: int) -> np.ndarray:
        """(S, F) in how many sentences a system's statistics differ from the baseline's."""
        differs = self.statistics != self.statistics[:, baseline, None]
        return np.asarray(differs.any(axis=-1).sum(axis=0))


def ngram_scores(statistics: np.ndarray, inside: np.ndarray, **cell: Any) -> Scores:
    """Precision and BLEU restricted to n for each n, over the sentences inside.

    Args:
        statistics: (N, S, n_max, 4), of `pipeline.statistics.ngrams`.
        inside: (N,) bool.
        cell: further columns of all cells.
    """
    both = np.concatenate([statistics * [1, 1, 0, 0], statistics], axis=2)
    both = np.insert(both, 4, 1, axis=-1) * inside[:, None, None, None]
    sizes = range(1, statistics.shape[2] + 1)
    cells = [cell | {"n": n, "measure": name} for name in ("precision", "bleu") for n in sizes]
    return Scores(cells, both)


def length_scores(
    statistics: np.ndarray, lengths: np.ndarray, bounds: Sequence[int]
) -> Iterator[Scores]:
    """The same for each bin of source lengths; empty bins are left out.

    Args:
        lengths: (N,) source words.
        bounds: the largest length of each bin but the last.
    """
    bins = np.searchsorted(bounds, lengths)
    for number in np.unique(bins):
        inside = bins == number
        name, count = _bin_name(number, bounds), int(inside.sum())
        yield ngram_scores(statistics, inside, source_words=name, sentences=count)


def _bin_name(number: int, bounds: Sequence[int]) -> str:
    first = bounds[number - 1] + 1 if number else 1
    if number == len(bounds):
        return f"{first}+"
    return f"{first}-{bounds[number]}" if first < bounds[number] else str(first)


def rows_of(
    scores: Scores, systems: Sequence[str], baseline: str | None, *, samples: int, seed: int
) -> Iterator[Row]:
    """The rows of a table, system by system; with a baseline, its own among them."""
    total = scores.statistics.sum(axis=0)
    sums = resampled_sums(scores.statistics, samples, seed)
    value = restricted_bleu(total[..., :4])
    resampled = np.where(sums[..., 4] > 0, restricted_bleu(sums[..., :4]), np.nan)
    score = estimate(value, resampled)
    if baseline is not None:
        place = systems.index(baseline)
        difference, p_value = compare(value, resampled, place, scores.differing(place))
    for s, system in enumerate(systems):
        for f, cell in enumerate(scores.cells):
            matches, ngrams = (round(count.item(), 6) for count in total[s, f, :2])
            row = {"system": system, **cell, "matches": matches, "ngrams": ngrams}
            row |= zip(SCORE, score.cell(s, f), strict=True)
            if baseline is not None:
                row["baseline"] = baseline
                row |= zip(DIFFERENCE, difference.cell(s, f), strict=True)
                row["p_value"] = round(float(p_value[s, f]), 6)
            yield row
