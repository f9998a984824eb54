"""Accuracies of probes, beside the majority class: a table, and a report for DVC.

All numbers are in per cent. The words of a sentence are not independent, so intervals are of
resampled sentences (Koehn 2004), also for tasks of words.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import TYPE_CHECKING, Any

from pipeline.base.tables import markdown

if TYPE_CHECKING:
    import numpy as np

    from mgsa.probing.probe import ProbeResult

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


def majority_accuracy(train: np.ndarray, test: np.ndarray) -> float:
    """The accuracy of always answering the most frequent class of `train`, the first of equals.

    Args:
        train, test: (classes,) counts.
    """
    return float(100 * test[train.argmax()] / test.sum())


def accuracies(
    encoder: str,
    results: Sequence[ProbeResult],
    classes: Mapping[str, int],
    majority: Mapping[str, float],
    *,
    samples: int,
    seed: int,
) -> list[Accuracy]:
    """The accuracy of each probe, with an interval from the same resamples of the test sentences.

    Args:
        results: of the probes of one encoder, on the same sentences.
        classes, majority: by task.
    """
    import numpy as np

    from mgsa.analysis.bootstrap import Bootstrap, estimate

    counts = np.stack([np.stack([r.right, r.counted], axis=1) for r in results], axis=1)
    sums = Bootstrap(len(counts), samples, seed).sums(counts)  # (R, P, 2) for P probes
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
    lines = [{"encoder": MAJORITY, "layer": "", **majority}] if table else []
    by_layer: dict[tuple[str, int], dict[str, Any]] = {}
    for row in table:
        line = by_layer.setdefault(
            (row.encoder, row.layer), {"encoder": row.encoder, "layer": row.layer}
        )
        line[row.task] = f"{row.accuracy:.1f} ({row.low:.1f}–{row.high:.1f})"
    yield "Accuracy of probes in per cent, with 95% intervals."
    yield ""
    yield from markdown([*lines, *by_layer.values()], ["encoder", "layer", *majority])


def report_of(table: Sequence[Accuracy], recipe: dict[str, Any]) -> dict[str, Any]:
    """Accuracies by encoder and task, and by layer, which DVC compares; then lists, ignored."""
    encoders: dict[str, dict[str, dict[str, float]]] = {}
    for row in last_layers(table):
        encoders.setdefault(row.encoder, {})[row.task] = {
            name: getattr(row, name) for name in ("accuracy", "low", "high", "majority")
        }
    layers: dict[str, dict[str, dict[str, float]]] = {}
    if len(table) > len(last_layers(table)):
        for row in table:
            of_layers = layers.setdefault(row.encoder, {})
            of_layers.setdefault(f"layer_{row.layer}", {})[row.task] = row.accuracy
    return {
        "test_sentences": recipe["sentences"]["test"],
        "encoders": encoders,
        **({"layers": layers} if layers else {}),
        "recipe": [recipe],
        "cells": [asdict(row) for row in table],
    }


def describe(table: Sequence[Accuracy]) -> Iterator[str]:
    """A line for each encoder and layer, for people."""
    lines: dict[str, list[str]] = {}
    for row in table:
        shown = f"{row.task} {row.accuracy:.1f} ({MAJORITY}: {row.majority:.1f})"
        lines.setdefault(f"{row.encoder}, layer {row.layer}", []).append(shown)
    for name, parts in lines.items():
        yield f"{name}: {', '.join(parts)}"
