"""Scores of phrasal patterns as tables: by n-gram size, by source length, by category.

Each table has a row for each system and cell (an n, a length and an n, a category and a size): what
was counted, the score with its 95% interval and, where there is a baseline, its name, the
difference to it with an interval and a p-value. Scores and differences are in per cent.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from mgsa.analysis.bootstrap import Estimate, compare, estimate
from mgsa.analysis.ngrams import matches, ngrams, precision, restricted_bleu
from mgsa.base.io import open_to_write

if TYPE_CHECKING:
    from mgsa.analysis.bootstrap import Resamples
    from pipeline.patterns.category_counts import CategoryCounts

Row = dict[str, Any]


@dataclass(frozen=True)
class Scores:
    """Scores of S systems in F cells.

    Attributes:
        cells: what each is about, by columns of the table.
        matched, counted: (S, F) n-grams that were found, of how many.
        value: (S, F).
        resampled: (R, S, F); NaN where a resample has nothing of a cell.
        of_sentences: (N, S, F) each, what scores are made of.
    """

    cells: Sequence[Row]
    matched: np.ndarray
    counted: np.ndarray
    value: np.ndarray
    resampled: np.ndarray
    of_sentences: tuple[np.ndarray, ...]

    def differing(self, baseline: int) -> np.ndarray:
        """(S, F) in how many sentences a system has not what the baseline has."""
        differs = [numbers != numbers[:, baseline, None] for numbers in self.of_sentences]
        return np.logical_or.reduce(differs).sum(axis=0)


def ngram_scores(statistics: np.ndarray, resamples: Resamples, cell: Row | None = None) -> Scores:
    """Precision and BLEU restricted to n for each n.

    Args:
        statistics: (N, S, 2 + 2 n_max), of `mgsa.analysis.ngrams`.
        cell: what else the cells are about.
    """
    total, resampled = statistics.sum(axis=0), resamples.sums(statistics)
    sizes = range(1, matches(total).shape[-1] + 1)
    measures = {"precision": precision, "bleu": restricted_bleu}
    return Scores(
        cells=[{**(cell or {}), "n": n, "measure": name} for name in measures for n in sizes],
        matched=np.tile(matches(total), len(measures)),
        counted=np.tile(ngrams(total), len(measures)),
        value=np.concatenate([score(total) for score in measures.values()], axis=-1),
        resampled=np.concatenate([score(resampled) for score in measures.values()], axis=-1),
        of_sentences=(
            np.tile(matches(statistics), len(measures)),
            np.tile(ngrams(statistics), len(measures)),
            # Of the length of a translation only BLEU knows.
            statistics[..., :1] * np.repeat([name == "bleu" for name in measures], len(sizes)),
        ),
    )


def length_scores(
    statistics: np.ndarray, lengths: np.ndarray, bounds: Sequence[int], resamples: Resamples
) -> Scores:
    """The same for sentences of like lengths apart; lengths that no sentence has are left out.

    Args:
        lengths: (N,) source words.
        bounds: the largest length of each bin but the last, which has the longer sentences.
    """
    bins = np.searchsorted(bounds, lengths)
    parts = []
    for number in range(len(bounds) + 1):
        inside = bins == number
        if not inside.any():
            continue
        cell = {"source_words": _bin_name(number, bounds), "sentences": int(inside.sum())}
        part = ngram_scores(statistics * inside[:, None, None], resamples, cell)
        drawn = resamples.sums(inside)[:, None, None] > 0
        parts.append(replace(part, resampled=np.where(drawn, part.resampled, np.nan)))

    def joined(arrays: Iterable[np.ndarray]) -> np.ndarray:
        return np.concatenate(list(arrays), axis=-1)

    of_sentences = zip(*(part.of_sentences for part in parts), strict=True)
    return Scores(
        cells=[cell for part in parts for cell in part.cells],
        matched=joined(part.matched for part in parts),
        counted=joined(part.counted for part in parts),
        value=joined(part.value for part in parts),
        resampled=joined(part.resampled for part in parts),
        of_sentences=tuple(map(joined, of_sentences)),
    )


def _bin_name(number: int, bounds: Sequence[int]) -> str:
    first = bounds[number - 1] + 1 if number else 1
    if number == len(bounds):
        return f"{first}+"
    return f"{first}-{bounds[number]}" if first < bounds[number] else str(first)


def category_scores(counts: CategoryCounts, resamples: Resamples) -> Scores:
    """Recall of a reference's n-grams, for each of their sizes and categories."""
    counted, found = counts.counted.sum(axis=0), counts.found.sum(axis=0)
    drawn = resamples.sums(counts.counted)[:, None]  # (R, 1, F)
    with np.errstate(invalid="ignore"):  # 0 of 0 in a resample is NaN
        resampled = 100 * resamples.sums(counts.found) / drawn
    return Scores(
        cells=[{"n": size, "category": category} for size, category in counts.cells],
        matched=found,
        counted=np.tile(counted, (len(found), 1)),
        value=100 * found / counted,
        resampled=resampled,
        of_sentences=(counts.found,),
    )


def rows_of(scores: Scores, systems: Sequence[str], baseline: str | None) -> list[Row]:
    """The rows of a table, system by system; with a baseline, its own among them."""
    estimated = _columns("score", estimate(scores.value, scores.resampled))
    to_baseline: dict[str, np.ndarray] = {}
    if baseline is not None:
        place = list(systems).index(baseline)
        compared = compare(scores.value, scores.resampled, place, scores.differing(place))
        to_baseline = _columns("difference", compared.difference) | {"p_value": compared.p_value}
    return [
        {
            "system": system,
            **cell,
            "matches": _number(scores.matched[s, f]),
            "ngrams": _number(scores.counted[s, f]),
            **{name: _number(column[s, f]) for name, column in estimated.items()},
            **({"baseline": baseline} if baseline is not None else {}),
            **{name: _number(column[s, f]) for name, column in to_baseline.items()},
        }
        for s, system in enumerate(systems)
        for f, cell in enumerate(scores.cells)
    ]


def _columns(name: str, estimated: Estimate) -> dict[str, np.ndarray]:
    return {name: estimated.value, f"{name}_low": estimated.low, f"{name}_high": estimated.high}


def _number(value: np.generic) -> float | None:
    """Rounded, so that it does not tell in which order fractions were added; no minus zero."""
    number = value.item()
    if isinstance(number, int):
        return number
    return None if number != number else round(number, 6) + 0.0


def write_csv(rows: Sequence[Mapping[str, Any]], path: Path) -> None:
    """Write a table; what there is no number for is empty."""
    with open_to_write(path) as file:
        writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
