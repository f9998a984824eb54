"""The rows of phrasal-pattern tables that are drawn, in figures and in the report."""

from __future__ import annotations

from collections.abc import Sequence

from pipeline.base.tables import Row

MEASURES = {"precision": "n-gram precision", "bleu": "BLEU restricted to n"}
MOST_CATEGORIES = 10
"""The most categories in a chart: those with most n-grams."""
FEWEST = {"ngrams": 30, "sentences": 10}
"""The least counts of a category and of a bin in a chart; rarer ones are noise."""


def drawn_lengths(rows: Sequence[Row]) -> dict[str, list[Row]]:
    """Rows of BLEU restricted to 1, 2, 4, … by source length, for each chart's title."""
    largest = max(row["n"] for row in rows)
    of_bleu = [row for row in _frequent(rows, "sentences") if row["measure"] == "bleu"]
    return {
        f"BLEU restricted to {n}": [row for row in of_bleu if row["n"] == n]
        for n in (2**power for power in range(largest.bit_length()))
    }


def drawn_categories(rows: Sequence[Row]) -> dict[str, list[Row]]:
    """Rows of recall of the most frequent categories, in order, for each chart's title."""
    drawn = {}
    for size in dict.fromkeys(row["n"] for row in rows):
        of_size = _frequent([row for row in rows if row["n"] == size], "ngrams")
        counts = {row["category"]: row["ngrams"] for row in of_size}
        shown = sorted(counts, key=lambda name: -counts[name])[:MOST_CATEGORIES]
        title = "recall of whole phrases" if size == "phrase" else f"recall of {size}-grams"
        drawn[title] = sorted(
            (row for row in of_size if row["category"] in shown),
            key=lambda row: shown.index(row["category"]),
        )
    return drawn


def _frequent(rows: Sequence[Row], column: str) -> Sequence[Row]:
    """Rows with enough counts; all rows if none has."""
    return [row for row in rows if row[column] >= FEWEST[column]] or rows
