"""Figures for people: heat maps of attention, and how any figure is written.

Only modules called `figures` know matplotlib. The same numbers are the same bytes, whatever a
user's matplotlibrc says: no date, and no random identifiers, go into a file.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import matplotlib as mpl
import numpy as np
from matplotlib.colors import PowerNorm
from matplotlib.figure import Figure

from mgsa.base.io import open_to_write

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from mgsa.analysis.heat_maps import HeatMap, Parts

CELL = 0.2
"""Inches of a row or column."""
LARGEST = 200
"""Inches of a side; of a longer sentence the cells are smaller."""
NARROWEST = 6
"""Inches that the title needs."""
LONGEST_LABEL = 40
TITLES = {
    "encoder": "{}: encoder, layer {}\nrows and columns: the source",
    "decoder": "{}: decoder, layer {}\nrows and columns: target subwords read so far",
    "cross": "{}: cross-attention, layer {}\nrows: target subwords predicted, columns: the source",
}
SCALE = 0.5
"""The power of a weight that its colour goes by: small weights shall show beside large ones."""
MARKED_WEIGHTS = (0, 0.05, 0.2, 0.5, 1)


def draw_heat_map(heat_map: HeatMap, path: Path, *, sentence: str) -> None:
    """Write the figure of a map; the suffix of `path` says which format.

    `sentence` is what the title calls the sentence, such as `test, sentence 0`.
    """
    write_figure(lambda: heat_map_figure(heat_map, sentence), path)


def write_figure(make: Callable[[], Figure], path: Path) -> None:
    """Make a figure under matplotlib's own settings and write it; the suffix says which format.

    Characters that no font has are boxes in a PNG, and what the viewer's fonts have in an SVG.
    """
    kind = path.suffix.removeprefix(".")
    metadata = {"Date": None} if kind == "svg" else {"Software": None}
    # Text stays text in an SVG. The salt is what identifiers are drawn from.
    with (
        mpl.rc_context(),
        _missing_glyphs_in_one_line(path),
        open_to_write(path, "wb") as file,
    ):
        mpl.rcdefaults()
        mpl.rcParams["svg.hashsalt"] = path.name
        mpl.rcParams["svg.fonttype"] = "none"
        make().savefig(file, format=kind, dpi=150, metadata=metadata)


def heat_map_figure(heat_map: HeatMap, sentence: str) -> Figure:
    """Attention weights as a map whose parts (quadrants) are set apart.

    A weight has the same colour in every map, whatever else there is, so maps can be compared.
    """
    rows, columns = heat_map.weights.shape
    row_labels, column_labels = _labels(heat_map.queries), _labels(heat_map.keys)
    cell = min(CELL, LARGEST / max(rows, columns))
    label_room = CELL * 0.4 * max(map(len, row_labels))
    figure = Figure(
        figsize=(max(cell * columns + label_room + 2, NARROWEST), cell * rows + 3),
        layout="compressed",
    )
    axes = figure.add_subplot()
    image = axes.imshow(
        heat_map.weights, cmap="Blues", norm=PowerNorm(SCALE, 0, 1), interpolation="none"
    )
    title = TITLES[heat_map.place].format(sentence, heat_map.layer)
    axes.set_title(title, fontsize=9, loc="left", pad=16, parse_math=False)
    # parse_math: what stands between dollar signs is no formula.
    axes.set_xticks(range(columns), column_labels, rotation=90, fontsize=7, parse_math=False)
    axes.set_yticks(range(rows), row_labels, fontsize=7, parse_math=False)
    axes.tick_params(length=0)
    axes.set_xticks(np.arange(columns + 1) - 0.5, minor=True)
    axes.set_yticks(np.arange(rows + 1) - 0.5, minor=True)
    axes.grid(which="minor", color="0.92", linewidth=0.4)
    axes.tick_params(which="minor", length=0)
    _set_parts_apart(axes, heat_map)
    bar = figure.colorbar(image, ax=axes, shrink=0.6, pad=0.02, ticks=MARKED_WEIGHTS)
    bar.ax.minorticks_off()
    bar.set_label("weight, mean over heads", fontsize=7)
    bar.ax.tick_params(labelsize=7)
    return figure


def _set_parts_apart(axes: Axes, heat_map: HeatMap) -> None:
    """Lines between parts, and their names above the columns and right of the rows."""
    for name, first, last in _extents(heat_map.keys):
        where = ((first + last) / 2, 1.0)
        _annotate(axes, name, where, xycoords=("data", "axes fraction"), va="bottom")
        if first > 0:
            axes.axvline(first - 0.5, color="black", linewidth=0.8)
    for name, first, last in _extents(heat_map.queries):
        if len(heat_map.queries) > 1:
            where = (1.0, (first + last) / 2)
            _annotate(
                axes, name, where, xycoords=("axes fraction", "data"), ha="left", rotation=270
            )
        if first > 0:
            axes.axhline(first - 0.5, color="black", linewidth=0.8)


def _annotate(
    axes: Axes,
    name: str,
    where: tuple[float, float],
    *,
    xycoords: tuple[str, str],
    ha: Literal["center", "left"] = "center",
    va: Literal["center", "bottom"] = "center",
    rotation: float = 0,
) -> None:
    """A part's name, two points off the edge of the axes."""
    axes.annotate(
        name,
        where,
        xycoords=xycoords,
        xytext=(2 if ha == "left" else 0, 2 if va == "bottom" else 0),
        textcoords="offset points",
        ha=ha,
        va=va,
        rotation=rotation,
        fontsize=7,
        style="italic",
    )


def _extents(parts: Parts) -> Iterator[tuple[str, int, int]]:
    """Each part's name and the places of its first and last label; empty ones are left out."""
    first = 0
    for name, labels in parts.items():
        if labels:
            yield name, first, first + len(labels) - 1
        first += len(labels)


def _labels(parts: Parts) -> list[str]:
    """The labels of an axis, long ones cut."""
    return [
        label if len(label) <= LONGEST_LABEL else f"{label[: LONGEST_LABEL - 1]}…"
        for labels in parts.values()
        for label in labels
    ]


@contextmanager
def _missing_glyphs_in_one_line(path: Path) -> Iterator[None]:
    """Say once of a figure, not once a character, that matplotlib's font lacks some."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield
    missing = {str(w.message) for w in caught if "missing from font" in str(w.message)}
    if missing and path.suffix == ".png":
        print(f"{path.name}: no font here has {len(missing)} of its characters", file=sys.stderr)
    for warning in caught:
        if "missing from font" not in str(warning.message):
            warnings.warn_explicit(
                warning.message, warning.category, warning.filename, warning.lineno
            )
