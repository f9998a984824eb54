"""Figures for people: the only file that knows matplotlib.

The same numbers are the same bytes: no date, and no random identifiers, go into a file.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure

from mgsa.files import open_to_write

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from mgsa.analysis.heat_maps import HeatMap, Parts

CELL = 0.2
"""Inches of a row or column."""
LONGEST_LABEL = 40
TITLES = {
    "encoder": "encoder, layer {}: from the source (rows) to the source",
    "decoder": "decoder, layer {}: from the target read (rows) to the target read",
    "cross": "cross-attention, layer {}: from the target said (rows) to the source",
}


def draw_heat_map(heat_map: HeatMap, path: Path) -> None:
    """Write the figure of a map; the suffix of `path` says which format."""
    _save(heat_map_figure(heat_map), path)


def heat_map_figure(heat_map: HeatMap) -> Figure:
    """Attention weights as a map whose parts (quadrants) are set apart."""
    rows, columns = heat_map.weights.shape
    label_room = CELL * 0.4 * max(len(_shortened(x)) for x in _labels(heat_map.queries))
    size = (CELL * columns + label_room + 2, CELL * rows + 3)
    figure = Figure(figsize=size, layout="compressed")
    axes = figure.add_subplot()
    image = axes.imshow(heat_map.weights, cmap="Blues", vmin=0, interpolation="nearest")
    axes.set_title(TITLES[heat_map.place].format(heat_map.layer), fontsize=9, loc="left", pad=16)
    axes.set_xticks(
        range(columns), [_shortened(x) for x in _labels(heat_map.keys)], rotation=90, fontsize=7
    )
    axes.set_yticks(range(rows), [_shortened(x) for x in _labels(heat_map.queries)], fontsize=7)
    axes.tick_params(length=0)
    axes.set_xticks(np.arange(columns + 1) - 0.5, minor=True)
    axes.set_yticks(np.arange(rows + 1) - 0.5, minor=True)
    axes.grid(which="minor", color="0.92", linewidth=0.4)
    axes.tick_params(which="minor", length=0)
    _set_parts_apart(axes, heat_map)
    bar = figure.colorbar(image, ax=axes, shrink=0.6, pad=0.02)
    bar.ax.tick_params(labelsize=7)
    return figure


def _set_parts_apart(axes: Axes, heat_map: HeatMap) -> None:
    """Lines between parts, and their names above the columns and right of the rows."""
    at = -0.5
    for name, labels in heat_map.keys.items():
        axes.annotate(
            name,
            ((at + at + len(labels)) / 2, 1),
            xycoords=("data", "axes fraction"),
            xytext=(0, 2),
            textcoords="offset points",
            ha="center",
            va="bottom",
            fontsize=7,
            style="italic",
        )
        at += len(labels)
        if at < heat_map.weights.shape[1] - 0.5:
            axes.axvline(at, color="black", linewidth=0.8)
    at = -0.5
    for name, labels in heat_map.queries.items():
        if len(heat_map.queries) > 1:
            axes.annotate(
                name,
                (1, (at + at + len(labels)) / 2),
                xycoords=("axes fraction", "data"),
                xytext=(2, 0),
                textcoords="offset points",
                rotation=270,
                ha="left",
                va="center",
                fontsize=7,
                style="italic",
            )
        at += len(labels)
        if at < heat_map.weights.shape[0] - 0.5:
            axes.axhline(at, color="black", linewidth=0.8)


def _labels(parts: Parts) -> list[str]:
    return [label for labels in parts.values() for label in labels]


def _shortened(label: str) -> str:
    # matplotlib reads what stands between dollar signs as a formula.
    whole = label.replace("$", r"\$")
    return whole if len(whole) <= LONGEST_LABEL else f"{whole[: LONGEST_LABEL - 1]}…"


def _save(figure: Figure, path: Path) -> None:
    kind = path.suffix.removeprefix(".")
    metadata = {"Date": None} if kind == "svg" else {"Software": None}
    with (
        mpl.rc_context({"svg.hashsalt": path.name, "svg.fonttype": "path"}),
        open_to_write(path, "wb") as file,
    ):
        figure.savefig(file, format=kind, dpi=150, metadata=metadata)
