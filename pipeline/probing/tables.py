"""Accuracies of probes as rows; as CSV, as a table for people, as a report for DVC."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from mgsa.base.io import open_to_write

MAJORITY = "majority class"


@dataclass(frozen=True)
class Cell:
    """One task, asked of one layer of one encoder; accuracies are in per cent.

    Attributes:
        layer: counted from 1.
        classes: how many the task has.
        counted: sentences, or subwords, of the test split that have one.
        accuracy, low, high: with its 95% interval.
        majority: the accuracy of who always says the class most frequent in training.
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


def last_layers(cells: Sequence[Cell]) -> list[Cell]:
    """The cells of each encoder's last layer."""
    last = {cell.encoder: cell.layer for cell in sorted(cells, key=lambda cell: cell.layer)}
    return [cell for cell in cells if cell.layer == last[cell.encoder]]


def write_csv(cells: Sequence[Cell], path: Path) -> None:
    """A line for each cell."""
    with open_to_write(path) as file:
        columns = [field.name for field in fields(Cell)]
        writer = csv.DictWriter(file, columns, lineterminator="\n")
        writer.writeheader()
        writer.writerows(map(asdict, cells))


def write_markdown(cells: Sequence[Cell], path: Path) -> None:
    """The table of Hao et al. 2019 (Table 5): encoders and their tasks."""
    with open_to_write(path) as file:
        file.writelines(f"{line}\n" for line in _markdown(cells))


def _markdown(cells: Sequence[Cell]) -> Iterator[str]:
    tasks = list(dict.fromkeys(cell.task for cell in cells))
    yield "Accuracy of probes in per cent, with 95% intervals."
    yield ""
    yield f"| encoder | layer |{''.join(f' {task} |' for task in tasks)}"
    yield f"| --- | ---: |{' ---: |' * len(tasks)}"
    majority = {cell.task: cell.majority for cell in cells}
    if cells:
        yield f"| {MAJORITY} | |{''.join(f' {majority[task]:.1f} |' for task in tasks)}"
    for encoder, layer in dict.fromkeys((cell.encoder, cell.layer) for cell in cells):
        shown = {
            cell.task: f"{cell.accuracy:.1f} ({cell.low:.1f}–{cell.high:.1f})"
            for cell in cells
            if (cell.encoder, cell.layer) == (encoder, layer)
        }
        # A bar would end the cell.
        name = encoder.replace("|", r"\|")
        yield f"| {name} | {layer} |{''.join(f' {shown[task]} |' for task in tasks)}"


def report_of(cells: Sequence[Cell], recipe: dict[str, Any]) -> dict[str, Any]:
    """Encoder, task, accuracy, and by layer, which DVC compares; then, as lists, all the rest."""
    encoders: dict[str, dict[str, dict[str, float]]] = {}
    for cell in last_layers(cells):
        encoders.setdefault(cell.encoder, {})[cell.task] = {
            "accuracy": cell.accuracy,
            "low": cell.low,
            "high": cell.high,
            "majority": cell.majority,
        }
    layers: dict[str, dict[str, dict[str, float]]] = {}
    if len(cells) > len(last_layers(cells)):
        for cell in cells:
            of_layers = layers.setdefault(cell.encoder, {})
            of_layers.setdefault(f"layer_{cell.layer}", {})[cell.task] = cell.accuracy
    return {
        "test_sentences": recipe["sentences"]["test"],
        "encoders": encoders,
        **({"layers": layers} if layers else {}),
        "recipe": [recipe],
        "cells": [asdict(cell) for cell in cells],
    }


def describe(cells: Sequence[Cell]) -> Iterator[str]:
    """A line for each encoder and layer, for people."""
    lines: dict[str, list[str]] = {}
    for cell in cells:
        shown = f"{cell.task} {cell.accuracy:.1f} ({MAJORITY}: {cell.majority:.1f})"
        lines.setdefault(f"{cell.encoder}, layer {cell.layer}", []).append(shown)
    for name, parts in lines.items():
        yield f"{name}: {', '.join(parts)}"
