"""Accuracies of probes and of the majority class: table, DVC report, figures.

Numbers are in per cent. Intervals resample sentences (Koehn 2004), also for tasks of words, since
the words of a sentence are not independent.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import TYPE_CHECKING, Any

from pipeline.charts import Spec, chart, chart_of_systems
from pipeline.formats.tables import markdown

if TYPE_CHECKING:
    from pipeline.probe.classifier import ProbeResult
    from pipeline.probe.settings import ProbeConfig

MAJORITY = "majority class"


@dataclass(frozen=True)
class Accuracy:
    """Accuracy on one task of one layer of one encoder.

    Attributes:
        layer: 1-based.
        classes: number of classes.
        counted: labelled sentences, or subwords, of the test split.
        accuracy, low, high: with its 95% interval.
        majority: accuracy of the most frequent training class.
    """

    encoder: str
    layer: int
    task: str
    classes: int
    counted: int
    accuracy: float
    low: float
    high: float
    majority: float


COLUMNS = [field.name for field in fields(Accuracy)]


def accuracies(
    encoder: str,
    results: Sequence[ProbeResult],
    classes: Mapping[str, int],
    majority: Mapping[str, float],
    config: ProbeConfig,
) -> list[Accuracy]:
    """Accuracies with intervals from shared resamples of the test sentences.

    Args:
        results: of the probes of one encoder, on the same sentences.
        classes, majority: by task.
    """
    import numpy as np

    from pipeline.statistics.bootstrap import estimate, resampled_sums

    counts = np.stack([np.stack([r.right, r.counted], axis=1) for r in results], axis=1)
    # (R, P, 2) for R resamples, P probes
    sums = resampled_sums(counts, config.bootstrap_samples, config.seed)
    with np.errstate(invalid="ignore"):  # 0 of 0 in a resample is NaN
        resampled = 100 * sums[..., 0] / sums[..., 1]
    total = counts.sum(axis=0)
    estimated = estimate(100 * total[:, 0] / total[:, 1], resampled)
    return [
        Accuracy(
            encoder=encoder,
            layer=result.layer,
            task=result.task,
            classes=classes[result.task],
            counted=int(result.counted.sum()),
            accuracy=round(float(estimated.value[p]), 6),
            low=round(float(estimated.low[p]), 6),
            high=round(float(estimated.high[p]), 6),
            majority=round(majority[result.task], 6),
        )
        for p, result in enumerate(results)
    ]


def last_layers(table: Sequence[Accuracy]) -> list[Accuracy]:
    """The rows of each encoder's last layer."""
    last = {row.encoder: row.layer for row in sorted(table, key=lambda row: row.layer)}
    return [row for row in table if row.layer == last[row.encoder]]


def markdown_table(table: Sequence[Accuracy]) -> Iterator[str]:
    """The lines of Table 5 of Hao et al. 2019: encoders and their tasks."""
    majority = {row.task: f"{row.majority:.1f}" for row in table}
    lines: dict[tuple[str, int], dict[str, Any]] = {}
    for row in table:
        line = lines.setdefault((row.encoder, row.layer), {})
        line[row.task] = f"{row.accuracy:.1f} ({row.low:.1f}–{row.high:.1f})"
    first = [[MAJORITY, "", *majority.values()]] if table else []
    yield "Accuracy of probes in per cent, with 95% intervals."
    yield ""
    rows = [[*cell, *map(line.get, majority)] for cell, line in lines.items()]
    yield from markdown(["encoder", "layer", *majority], [*first, *rows])


def report_of(table: Sequence[Accuracy], recipe: dict[str, Any]) -> dict[str, Any]:
    """Last-layer accuracies by encoder and task, for DVC; then lists, which DVC ignores."""
    encoders: dict[str, dict[str, dict[str, float]]] = {}
    for row in last_layers(table):
        names = ("accuracy", "low", "high", "majority")
        encoders.setdefault(row.encoder, {})[row.task] = {n: getattr(row, n) for n in names}
    return {
        "test_sentences": recipe["sentences"]["test"],
        "encoders": encoders,
        "recipe": [recipe],
        "cells": [asdict(row) for row in table],
    }


def accuracy_chart(cells: Sequence[Accuracy], styles: Mapping[str, int] | None = None) -> Spec:
    """A row for each encoder, with a line at the majority class."""
    if styles is None:
        styles = {name: i for i, name in enumerate(dict.fromkeys(cell.encoder for cell in cells))}
    rows = [asdict(cell) for cell in cells]
    spec = chart("accuracies", rows, x="accuracy", y="encoder", styles=styles)
    del spec["facet"]["column"]
    spec["facet"]["row"]["sort"] = list(dict.fromkeys(cell.task for cell in cells))
    return spec


def layer_chart(cells: Sequence[Accuracy], styles: Mapping[str, int] | None = None) -> Spec:
    """A curve for each encoder and one for the majority class; fewer layers leave gaps."""
    rows = [
        {
            "system": cell.encoder,
            "measure": cell.task,
            "n": cell.layer,
            "score": cell.accuracy,
            "score_low": cell.low,
            "score_high": cell.high,
        }
        for cell in sorted(cells, key=lambda cell: cell.layer)
    ]
    majorities = {(cell.task, cell.layer): cell.majority for cell in cells}
    rows += [
        {"system": MAJORITY, "measure": task, "n": layer, "score": majority}
        | dict.fromkeys(("score_low", "score_high"))
        for (task, layer), majority in sorted(majorities.items())
    ]
    spec = chart_of_systems("ngram_patterns", rows, x="n", styles=styles)
    spec["spec"]["encoding"]["x"]["title"] = "layer"
    return spec
