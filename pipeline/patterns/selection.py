"""What is drawn of the tables of phrasal patterns, in figures and on the page of a report alike."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pipeline.base.tables import Row

MEASURES = {"precision": "n-gram precision", "bleu": "BLEU restricted to n"}
MOST_CATEGORIES = 10
"""As many as there is room for: those with most n-grams."""
FEWEST = {"ngrams": 30, "sentences": 10}
"""What a category and a bin must have to be drawn: the rest is chance, and hides what is not."""


def drawn_lengths(rows: Sequence[Row]) -> dict[str, list[Row]]:
    """BLEU restricted to 1, 2, 4, … by source length: the rows of each, by its title."""
    largest = max(row["n"] for row in rows)
    of_bleu = [row for row in _frequent(rows, "sentences") if row["measure"] == "bleu"]
    return {
        f"BLEU restricted to {n}": [row for row in of_bleu if row["n"] == n]
        for n in (2**power for power in range(largest.bit_length()))
    }


def drawn_categories(rows: Sequence[Row]) -> dict[str, list[Row]]:
    """Recall by syntactic category: of each size, by its title, the most frequent ones in order."""
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
    """The rows that are drawn; all where each is too rare."""
    return [row for row in rows if row[column] >= FEWEST[column]] or rows
