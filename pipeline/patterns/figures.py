"""Charts of phrasal patterns, after figure 2 of Hao et al. 2019, drawn from the rows of tables.

With a baseline they show by how much systems are above it, else their scores; always with 95%
intervals.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from pipeline.base.charts import Spec, chart, write_figure
from pipeline.base.tables import Row
from pipeline.patterns.selection import MEASURES, drawn_categories, drawn_lengths


def draw_ngrams(rows: Sequence[Row], path: Path, baseline: str | None) -> None:
    """Precision and BLEU restricted to n, by n."""
    titled = [{**row, "measure": MEASURES[row["measure"]]} for row in rows]
    write_figure(pattern_chart("ngrams", titled, baseline), path)


def draw_lengths(rows: Sequence[Row], path: Path, baseline: str | None) -> None:
    """BLEU restricted to 1, 2, 4, … by source length."""
    drawn = [row for some in drawn_lengths(rows).values() for row in some]
    write_figure(pattern_chart("lengths", drawn, baseline), path)


def draw_categories(rows: Sequence[Row], path: Path, baseline: str | None) -> None:
    """Recall by syntactic category, the most frequent ones of each size."""
    drawn = [row for some in drawn_categories(rows).values() for row in some]
    write_figure(pattern_chart("categories", drawn, baseline), path)


_CHARTS = {
    "ngrams": ("ngram_patterns", "n"),
    "lengths": ("length_patterns", "source_words"),
    "categories": ("category_patterns", "category"),
}


def pattern_chart(
    table: str,
    rows: Sequence[Row],
    baseline: str | None,
    styles: Mapping[str, int] | None = None,
) -> Spec:
    """The chart of a table's rows: of scores or, given a baseline, of differences to it."""
    template, place = _CHARTS[table]
    score = "score" if baseline is None else "difference"
    drawn = [
        {**row, **{f"score{end}": row[f"{score}{end}"] for end in ("", "_low", "_high")}}
        for row in rows
        if row["system"] != baseline
    ]
    if styles is None:
        styles = {name: i for i, name in enumerate(dict.fromkeys(row["system"] for row in drawn))}
    spec = chart(template, drawn, x=place, y="score", styles=styles)
    del spec["facet"]["column"]
    panels = spec["facet"]["row"]
    panels["sort"] = list(dict.fromkeys(row[panels["field"]] for row in drawn))
    for layer in spec["spec"]["layer"]:
        for channel in ("strokeDash", "shape"):
            layer["encoding"].get(channel, {}).pop("legend", None)  # joins that of colours
    spec.pop("transform", None)  # what is drawn is chosen already, by the same rule
    if table == "categories":
        spec["spec"]["height"]["step"] = max(9, 20 / len({row["system"] for row in drawn}))
    if baseline is not None:
        channel = "x" if table == "categories" else "y"
        for layer in spec["spec"]["layer"]:
            layer["encoding"][channel]["title"] = f"points above {baseline}"
        zero = dict.fromkeys(spec["spec"]["encoding"]) | {channel: {"datum": 0}}
        spec["spec"]["layer"].append({"mark": {"type": "rule"}, "encoding": zero})
    return spec
