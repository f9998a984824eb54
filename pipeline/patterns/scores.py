"""Scores of phrasal patterns: by n-gram size, by source length, by category.

Each table has a row for each system and cell (an n, a length and an n, a category and a size): its
counts, the score with its 95% interval and, with a baseline, the baseline's name, the difference to
it with an interval, and a p-value. Scores and differences are in per cent.

Legend: N sentences, R resamples, S systems, F cells.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from mgsa.analysis.bootstrap import Bootstrap, Estimate, compare, estimate
from mgsa.analysis.ngrams import matches, ngrams, precision, restricted_bleu
from pipeline.base.tables import Row
from pipeline.patterns.categories import CategoryCounts


@dataclass(frozen=True)
class Scores:
    """Scores of S systems in F cells.

    Attributes:
        cells: what each is about, by columns of the table.
        matched, counted: (S, F) n-grams that were found, of how many.
        value: (S, F).
        resampled: (R, S, F); NaN where a resample has nothing of a cell.
        of_sentences: (K, N, S, F) the K statistics that scores are made of.
    """

    cells: Sequence[Row]
    matched: np.ndarray
    counted: np.ndarray
    value: np.ndarray
    resampled: np.ndarray
    of_sentences: np.ndarray

    def differing(self, baseline: int) -> np.ndarray:
        """(S, F) in how many sentences a system's statistics differ from the baseline's."""
        differs = self.of_sentences != self.of_sentences[:, :, baseline, None]
        return differs.any(axis=0).sum(axis=0)


def ngram_scores(statistics: np.ndarray, resamples: Bootstrap, cell: Row | None = None) -> Scores:
    """Precision and BLEU restricted to n for each n.

    Args:
        statistics: (N, S, 2 + 2 n_max), of `mgsa.analysis.ngrams`.
        cell: further columns of all cells.
    """
    total, resampled = statistics.sum(axis=0), resamples.sums(statistics)
    sizes = range(1, matches(total).shape[-1] + 1)
    measures = {"precision": precision, "bleu": restricted_bleu}
    # The length of a translation affects BLEU alone.
    lengths = statistics[..., :1] * np.repeat([name == "bleu" for name in measures], len(sizes))
    return Scores(
        cells=[{**(cell or {}), "n": n, "measure": name} for name in measures for n in sizes],
        matched=np.tile(matches(total), len(measures)),
        counted=np.tile(ngrams(total), len(measures)),
        value=np.concatenate([score(total) for score in measures.values()], axis=-1),
        resampled=np.concatenate([score(resampled) for score in measures.values()], axis=-1),
        of_sentences=np.stack(
            [*(np.tile(part(statistics), len(measures)) for part in (matches, ngrams)), lengths]
        ),
    )


def length_scores(
    statistics: np.ndarray, lengths: np.ndarray, bounds: Sequence[int], resamples: Bootstrap
) -> Scores:
    """The same for each bin of source lengths; empty bins are left out.

    Args:
        lengths: (N,) source words.
        bounds: the largest length of each bin but the last.
    """
    bins = np.searchsorted(bounds, lengths)
    parts = []
    for number in np.unique(bins):
        inside = bins == number
        cell = {"source_words": _bin_name(number, bounds), "sentences": int(inside.sum())}
        part = ngram_scores(statistics * inside[:, None, None], resamples, cell)
        drawn = resamples.sums(inside)[:, None, None] > 0
        parts.append(replace(part, resampled=np.where(drawn, part.resampled, np.nan)))
    return Scores(
        [cell for part in parts for cell in part.cells],
        *(
            np.concatenate([getattr(part, name) for part in parts], axis=-1)
            for name in ("matched", "counted", "value", "resampled", "of_sentences")
        ),
    )


def _bin_name(number: int, bounds: Sequence[int]) -> str:
    first = bounds[number - 1] + 1 if number else 1
    if number == len(bounds):
        return f"{first}+"
    return f"{first}-{bounds[number]}" if first < bounds[number] else str(first)


def category_scores(counts: CategoryCounts, resamples: Bootstrap) -> Scores:
    """Recall of references' n-grams, for each size and category."""
    counted, found = counts.counted.sum(axis=0), counts.found.sum(axis=0)
    with np.errstate(invalid="ignore"):  # 0 of 0 in a resample is NaN
        resampled = 100 * resamples.sums(counts.found) / resamples.sums(counts.counted)[:, None]
    return Scores(
        cells=[{"n": size, "category": category} for size, category in counts.cells],
        matched=found,
        counted=np.tile(counted, (len(found), 1)),
        value=100 * found / counted,
        resampled=resampled,
        of_sentences=counts.found[None],
    )


def rows_of(scores: Scores, systems: Sequence[str], baseline: str | None) -> list[Row]:
    """The rows of a table, system by system; with a baseline, its own among them."""
    columns = {"matches": scores.matched, "ngrams": scores.counted}
    columns |= _columns("score", estimate(scores.value, scores.resampled))
    if baseline is not None:
        place = list(systems).index(baseline)
        compared = compare(scores.value, scores.resampled, place, scores.differing(place))
        columns["baseline"] = np.full(scores.value.shape, baseline)
        columns |= _columns("difference", compared.difference) | {"p_value": compared.p_value}
    return [
        {
            "system": system,
            **cell,
            **{name: _plain(column[s, f]) for name, column in columns.items()},
        }
        for s, system in enumerate(systems)
        for f, cell in enumerate(scores.cells)
    ]


def _columns(name: str, estimated: Estimate) -> dict[str, np.ndarray]:
    return {name: estimated.value, f"{name}_low": estimated.low, f"{name}_high": estimated.high}


def _plain(value: np.generic) -> Any:
    """A number is rounded, so that the order of summation does not show; no minus zero, no NaN."""
    plain = value.item()
    if not isinstance(plain, float):
        return plain
    return None if np.isnan(plain) else round(plain, 6) + 0.0
