"""A table of systems as text for people (Markdown), and as data (CSV, JSON)."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any, Literal

from pipeline.experiment.plan import Table
from pipeline.experiment.results import Row, Spread

SCORES = {"bleu": "BLEU", "chrf": "chrF", "ter": "TER"}
"""Metrics of the stage `evaluate`, as a heading has them."""
Missing = Literal["failed", "not run"]
"""Why a cell has no result: DVC was to run it now, or nobody has asked for it as it is to be."""
FAILED: Missing = "failed"
NOT_RUN: Missing = "not run"


def to_markdown(table: Table, rows: Sequence[Row], missing: Missing) -> str:
    """A title and a table whose rows are systems; means ± standard deviations over seeds."""
    metrics = _metrics(rows)
    headings = [
        "system",
        *(SCORES[name] for name in metrics),
        "Δ BLEU",
        "p by seed (bootstrap)",
        "p by seed (randomisation)",
        "parameters",
        "tokens/s",
        "minutes",
        "seeds",
    ]
    lines = [
        f"{table.title}; differences and p-values: to {table.baseline}.",
        "",
        f"| {' | '.join(headings)} |",
        f"| --- |{' ---: |' * (len(headings) - 1)}",
    ]
    lines += [f"| {' | '.join(_cells(row, metrics, missing))} |" for row in rows]
    for row in rows:
        for cell in row.missing:
            lines += ["", f"{cell.name}: {missing}"]
    return "\n".join(lines) + "\n"


def to_csv(rows: Sequence[Row]) -> str:
    """A line for each cell: its scores, and how it compares with the baseline."""
    metrics = _metrics(rows)
    comparison = ("difference", "bootstrap_p_value", "randomization_p_value")
    fields = ["system", "seed", *metrics, *comparison]
    fields += ["parameters", "tokens_per_second", "minutes"]
    text = io.StringIO()
    writer = csv.DictWriter(text, fields, lineterminator="\n")
    writer.writeheader()
    for row in rows:
        compared = {one.seed: one for one in row.comparisons}
        for result in row.results:
            line: dict[str, Any] = {"system": row.system, "seed": result.cell.seed}
            line |= {name: result.scores[name] for name in metrics}
            if (one := compared.get(result.cell.seed)) is not None:
                line |= zip(
                    comparison, (one.difference, one.bootstrap, one.randomization), strict=True
                )
            line |= {name: getattr(result, name) for name in fields[-3:]}
            writer.writerow(line)
        for cell in row.missing:
            writer.writerow({"system": row.system, "seed": cell.seed})
    return text.getvalue()


def to_mapping(table: Table, rows: Sequence[Row], missing: Missing) -> dict[str, Any]:
    """All of it, for JSON; `dataset` is the identity of the one that all cells are of."""
    metrics = _metrics(rows)
    datasets = [result.dataset for row in rows for result in row.results]
    return {
        "title": table.title,
        "baseline": table.baseline,
        "dataset": datasets[0] if datasets else None,
        "systems": {
            row.system: {
                "parameters": row.results[0].parameters if row.results else None,
                **{name: _spread(row, name) for name in metrics},
                "tokens_per_second": _over([result.tokens_per_second for result in row.results]),
                "minutes": _over([result.minutes for result in row.results]),
                "comparisons": [asdict(comparison) for comparison in row.comparisons],
                "seeds": [result.cell.seed for result in row.results],
                "failed": [cell.seed for cell in row.missing if missing == FAILED],
                "not_run": [cell.seed for cell in row.missing if missing == NOT_RUN],
            }
            for row in rows
        },
    }


def _metrics(rows: Sequence[Row]) -> list[str]:
    """The metrics that every finished cell has: all of them, as long as there is none."""
    results = [result for row in rows for result in row.results]
    return [name for name in SCORES if all(name in one.scores for one in results)]


def _cells(row: Row, metrics: Sequence[str], missing: Missing) -> list[str]:
    count = len(row.results)
    seeds = f"{count} of {count + len(row.missing)}" if row.missing else f"{count}"
    if not row.results:
        return [row.system, *([missing] * len(metrics)), *[""] * 6, seeds]
    differences = [comparison.difference for comparison in row.comparisons]
    randomization = [
        comparison.randomization
        for comparison in row.comparisons
        if comparison.randomization is not None
    ]
    return [
        row.system,
        *(_shown(Spread.of([one.scores[name] for one in row.results])) for name in metrics),
        _shown(Spread.of(differences), signed=True) if differences else "",
        ", ".join(f"{comparison.bootstrap:.3f}" for comparison in row.comparisons),
        ", ".join(f"{value:.4f}" for value in randomization),
        f"{row.results[0].parameters:,}",
        f"{Spread.of([one.tokens_per_second for one in row.results]).mean:,.0f}",
        f"{Spread.of([one.minutes for one in row.results]).mean:.1f}",
        seeds,
    ]


def _shown(spread: Spread, *, signed: bool = False) -> str:
    text = f"{spread.mean:+.2f}" if signed else f"{spread.mean:.2f}"
    return text if spread.deviation is None else f"{text} ± {spread.deviation:.2f}"


def _spread(row: Row, metric: str) -> dict[str, float | None] | None:
    return _over([result.scores[metric] for result in row.results])


def _over(values: Sequence[float]) -> dict[str, float | None] | None:
    return asdict(Spread.of(values)) if values else None
