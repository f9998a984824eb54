"""Accuracies of probes as bars, and by layer as curves; always with 95% intervals.

Encoders differ in colour and, once the colours are used up, in hatching.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

from pipeline.figures import write_figure
from pipeline.patterns.figures import COLOURS, Panel, pattern_figure
from pipeline.probing.tables import MAJORITY, Cell, last_layers

HATCHES = ("", "////", "....", "xxxx")
GROUP = 0.84
"""How much of the distance from task to task its bars take."""


def draw_bars(cells: Sequence[Cell], path: Path) -> None:
    """The last layer of each encoder, task by task."""
    write_figure(lambda: bars_figure(last_layers(cells)), path)


def draw_layers(cells: Sequence[Cell], path: Path) -> None:
    """All layers, a panel for each task."""
    panels = layer_panels(cells)
    write_figure(lambda: pattern_figure(panels, "layer", None, connected=True), path)


def bars_figure(cells: Sequence[Cell]) -> Figure:
    """A group of bars for each task: the majority class, then every encoder."""
    tasks = list(dict.fromkeys(cell.task for cell in cells))
    encoders = list(dict.fromkeys(cell.encoder for cell in cells))
    bars = len(encoders) + 1
    figure = Figure(
        figsize=(max(5.0, 0.8 + len(tasks) * (0.3 + 0.22 * bars)), 3.2 + 0.22 * (bars // 3)),
        layout="constrained",
    )
    axes = figure.add_subplot()
    places, width = np.arange(len(tasks)), GROUP / bars
    majority = {cell.task: cell.majority for cell in cells}
    first = places - GROUP / 2 + width / 2
    axes.bar(first, [majority[task] for task in tasks], width, color="0.8", label=MAJORITY)
    for number, encoder in enumerate(encoders):
        of_tasks = {cell.task: cell for cell in cells if cell.encoder == encoder}
        shown = [of_tasks[task] for task in tasks]
        height = np.array([cell.accuracy for cell in shown])
        interval = np.array([[cell.low, cell.high] for cell in shown]).T
        axes.bar(
            first + (number + 1) * width,
            height,
            width,
            yerr=np.abs(interval - height),
            error_kw={"linewidth": 0.8},
            color=COLOURS[number % len(COLOURS)],
            hatch=HATCHES[number // len(COLOURS) % len(HATCHES)],
            edgecolor="white",
            linewidth=0.3,
            label=encoder,
        )
    axes.set_xticks(places, tasks, fontsize=8)
    axes.set_ylabel("accuracy, per cent", fontsize=8)
    axes.set_ylim(0, 100)
    axes.tick_params(axis="y", labelsize=7)
    axes.tick_params(axis="x", length=0)
    axes.grid(axis="y", color="0.9", linewidth=0.6)
    axes.set_axisbelow(True)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    legend = figure.legend(loc="outside upper center", ncols=3, fontsize=8, frameon=False)
    for text in legend.get_texts():
        text.set_parse_math(False)  # what stands between dollar signs is no formula
    return figure


def layer_panels(cells: Sequence[Cell]) -> list[Panel]:
    """A panel for each task, with a curve for each encoder and one for the majority class."""
    layers = sorted({cell.layer for cell in cells})
    panels = []
    for task, majority in {cell.task: cell.majority for cell in cells}.items():
        curves: dict[str, np.ndarray] = {}
        for cell in (cell for cell in cells if cell.task == task):
            # Encoders of fewer layers have nothing to show of the others.
            curve = curves.setdefault(cell.encoder, np.full((3, len(layers)), np.nan))
            curve[:, layers.index(cell.layer)] = cell.accuracy, cell.low, cell.high
        curves[MAJORITY] = np.full((3, len(layers)), majority)
        panels.append(Panel(task, [str(layer) for layer in layers], curves))
    return panels
