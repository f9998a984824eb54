"""Charts of phrasal patterns, after figure 2 of Hao et al. 2019: the rows drawn, and their curves.

With a baseline they show by how much systems are above it, else their scores; always with 95%
intervals. Figures and the report draw the same rows.
"""

from collections.abc import Mapping, Sequence

from pipeline.charts import Spec, chart_of_systems
from pipeline.formats.tables import Row

TABLES = {
    "ngrams": ("ngram_patterns", "n", ("measure",)),
    "lengths": ("length_patterns", "source_words", ("measure", "source_words")),
    "categories": ("category_patterns", "category", ("n", "category")),
}
"""Each table's chart template, the column along it, and the cell's columns that are text."""
MEASURES = {"precision": "n-gram precision", "bleu": "BLEU restricted to n"}
MOST_CATEGORIES = 10
"""The most categories in a chart: those with most n-grams."""
FEWEST = {"ngrams": 30, "sentences": 10}
"""The least counts of a category and of a bin in a chart; rarer ones are noise."""


def drawn_panels(table: str, rows: Sequence[Row]) -> dict[str, list[Row]]:
    """The rows of a table that are drawn, by the title of their panel.

    Lengths have BLEU restricted to 1, 2, 4, …, categories recall of the most frequent ones.
    """
    match table:
        case "ngrams":
            return {
                title: [{**row, "measure": title} for row in rows if row["measure"] == measure]
                for measure, title in MEASURES.items()
            }
        case "lengths":
            largest = max(row["n"] for row in rows)
            of_bleu = [row for row in _frequent(rows, "sentences") if row["measure"] == "bleu"]
            return {
                f"BLEU restricted to {n}": [row for row in of_bleu if row["n"] == n]
                for n in (2**power for power in range(largest.bit_length()))
            }
    drawn = {}
    for size in dict.fromkeys(row["n"] for row in rows):
        of_size = _frequent([row for row in rows if row["n"] == size], "ngrams")
        counts = {row["category"]: row["ngrams"] for row in of_size}
        shown = sorted(counts, key=lambda name: -counts[name])[:MOST_CATEGORIES]
        some = [row for row in of_size if row["category"] in shown]
        title = "Recall of whole phrases" if size == "phrase" else f"Recall of {size}-grams"
        drawn[title] = sorted(some, key=lambda row: shown.index(row["category"]))
    return drawn


def _frequent(rows: Sequence[Row], column: str) -> Sequence[Row]:
    """Rows with enough counts; all rows if none has."""
    return [row for row in rows if row[column] >= FEWEST[column]] or rows


def pattern_chart(
    table: str, rows: Sequence[Row], baseline: str | None, styles: Mapping[str, int] | None = None
) -> Spec:
    """The chart of a table's rows: of scores or, given a baseline, of differences to it."""
    template, x, _ = TABLES[table]
    return chart_of_systems(template, rows, x=x, baseline=baseline, styles=styles)
