"""Accuracies of probes and of the majority class: table, DVC report, figures.

A row is about one task, one encoder and one of its layers (from 1): the number of `classes`, of
labelled sentences or subwords of the test split (`counted`), accuracy with its 95% interval, and
that of the most frequent training class (`majority`), in per cent. Intervals resample sentences
(Koehn 2004), also for tasks of words, since the words of a sentence are not independent.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from pipeline.charts import Spec, chart, chart_of_systems
from pipeline.formats.tables import Row, markdown

if TYPE_CHECKING:
    from pipeline.probe.classifier import ProbeResult
    from pipeline.probe.settings import ProbeConfig

MAJORITY = "majority class"
ENDS = ("accuracy", "low", "high")
COLUMNS = ("encoder", "layer", "task", "classes", "counted", *ENDS, "majority")


def accuracies(
    encoder: str,
    results: Sequence[ProbeResult],
    classes: Mapping[str, int],
    majority: Mapping[str, float],
    config: ProbeConfig,
) -> list[Row]:
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
        {
            "encoder": encoder,
            "layer": result.layer,
            "task": result.task,
            "classes": classes[result.task],
            "counted": int(result.counted.sum()),
            **dict(zip(ENDS, estimated.cell(p), strict=True)),
            "majority": round(majority[result.task], 6),
        }
        for p, result in enumerate(results)
    ]


def last_layers(table: Sequence[Row]) -> list[Row]:
    """The rows of each encoder's last layer."""
    last = {row["encoder"]: row["layer"] for row in sorted(table, key=itemgetter("layer"))}
    return [row for row in table if row["layer"] == last[row["encoder"]]]


def markdown_table(table: Sequence[Row]) -> Iterator[str]:
    """The lines of Table 5 of Hao et al. 2019: encoders and their tasks."""
    majority = {row["task"]: f"{row['majority']:.1f}" for row in table}
    lines: dict[tuple[str, int], dict[str, Any]] = {}
    for row in table:
        line = lines.setdefault((row["encoder"], row["layer"]), {})
        line[row["task"]] = "{accuracy:.1f} ({low:.1f}–{high:.1f})".format_map(row)
    first = [[MAJORITY, "", *majority.values()]] if table else []
    yield "Accuracy of probes in per cent, with 95% intervals."
    yield ""
    rows = [[*cell, *map(line.get, majority)] for cell, line in lines.items()]
    yield from markdown(["encoder", "layer", *majority], [*first, *rows])


def report_of(table: Sequence[Row], recipe: dict[str, Any]) -> dict[str, Any]:
    """Last-layer accuracies by encoder and task, for DVC; then lists, which DVC ignores."""
    encoders: dict[str, dict[str, dict[str, float]]] = {}
    for row in last_layers(table):
        numbers = {name: row[name] for name in (*ENDS, "majority")}
        encoders.setdefault(row["encoder"], {})[row["task"]] = numbers
    return {
        "test_sentences": recipe["sentences"]["test"],
        "encoders": encoders,
        "recipe": [recipe],
        "cells": list(table),
    }


def accuracy_chart(cells: Sequence[Row], styles: Mapping[str, int] | None = None) -> Spec:
    """A row for each encoder, with a line at the majority class."""
    encoders = dict.fromkeys(cell["encoder"] for cell in cells)
    styles = styles or {name: style for style, name in enumerate(encoders)}
    spec = chart("accuracies", cells, x="accuracy", y="encoder", styles=styles)
    del spec["facet"]["column"]
    spec["facet"]["row"]["sort"] = list(dict.fromkeys(cell["task"] for cell in cells))
    return spec


def layer_chart(cells: Sequence[Row], styles: Mapping[str, int] | None = None) -> Spec:
    """A curve for each encoder and one for the majority class; fewer layers leave gaps."""
    rows = [
        {
            "system": cell["encoder"],
            "measure": cell["task"],
            "n": cell["layer"],
            "score": cell["accuracy"],
            "score_low": cell["low"],
            "score_high": cell["high"],
        }
        for cell in sorted(cells, key=itemgetter("layer"))
    ]
    majorities = {(cell["task"], cell["layer"]): cell["majority"] for cell in cells}
    rows += [
        {"system": MAJORITY, "measure": task, "n": layer, "score": majority}
        | dict.fromkeys(("score_low", "score_high"))
        for (task, layer), majority in sorted(majorities.items())
    ]
    spec = chart_of_systems("ngram_patterns", rows, x="n", styles=styles)
    spec["spec"]["encoding"]["x"]["title"] = "layer"
    return spec
