"""Accuracies of probes, beside the majority class: a table, and a report for DVC.

All numbers are in per cent. The words of a sentence are not independent, so intervals are of
resampled sentences (Koehn 2004), also for tasks of words.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from itertools import groupby
from typing import TYPE_CHECKING, Any

from pipeline.base.tables import markdown

if TYPE_CHECKING:
    from mgsa.probing.probe import ProbeResult
    from mgsa.probing.settings import ProbeConfig

MAJORITY = "majority class"


@dataclass(frozen=True)
class Accuracy:
    """One task, asked of one layer of one encoder.

    Attributes:
        layer: counted from 1.
        classes: how many the task has.
        counted: sentences, or subwords, of the test split that have a label.
        accuracy, low, high: with its 95% interval.
        majority: accuracy of the most frequent class of the training split.
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
    """The accuracy of each probe, with an interval from the same resamples of the test sentences.

    Args:
        results: of the probes of one encoder, on the same sentences.
        classes, majority: by task.
    """
    import numpy as np

    from mgsa.analysis.bootstrap import estimate, resampled_sums

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


def _by_layer(table: Sequence[Accuracy]) -> Iterator[tuple[str, int, list[Accuracy]]]:
    """The rows of each encoder and layer, which follow one another."""
    for (encoder, layer), rows in groupby(table, key=lambda row: (row.encoder, row.layer)):
        yield encoder, layer, list(rows)


def markdown_table(table: Sequence[Accuracy]) -> Iterator[str]:
    """The lines of Table 5 of Hao et al. 2019: encoders and their tasks."""
    majority = {row.task: f"{row.majority:.1f}" for row in table}
    lines: list[dict[str, Any]] = [{"encoder": MAJORITY, "layer": "", **majority}] if table else []
    for encoder, layer, rows in _by_layer(table):
        cells = {row.task: f"{row.accuracy:.1f} ({row.low:.1f}–{row.high:.1f})" for row in rows}
        lines.append({"encoder": encoder, "layer": layer, **cells})
    yield "Accuracy of probes in per cent, with 95% intervals."
    yield ""
    yield from markdown(lines, ["encoder", "layer", *majority])


def report_of(table: Sequence[Accuracy], recipe: dict[str, Any]) -> dict[str, Any]:
    """Accuracies by encoder and task, and by layer, which DVC compares; then lists, ignored."""
    last = last_layers(table)
    names = ("accuracy", "low", "high", "majority")
    encoders = {
        encoder: {row.task: {name: getattr(row, name) for name in names} for row in rows}
        for encoder, _, rows in _by_layer(last)
    }
    layers: dict[str, dict[str, dict[str, float]]] = {}
    for encoder, layer, rows in _by_layer(table):
        of_layer = {row.task: row.accuracy for row in rows}
        layers.setdefault(encoder, {})[f"layer_{layer}"] = of_layer
    return {
        "test_sentences": recipe["sentences"]["test"],
        "encoders": encoders,
        **({"layers": layers} if len(table) > len(last) else {}),
        "recipe": [recipe],
        "cells": [asdict(row) for row in table],
    }


def describe(table: Sequence[Accuracy]) -> Iterator[str]:
    """A line for each encoder and layer."""
    for encoder, layer, rows in _by_layer(table):
        shown = (f"{row.task} {row.accuracy:.1f} ({MAJORITY}: {row.majority:.1f})" for row in rows)
        yield f"{encoder}, layer {layer}: {', '.join(shown)}"
