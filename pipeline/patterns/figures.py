"""Curves of phrasal patterns, after figure 2 of Hao et al. 2019, drawn from the rows of tables.

With a baseline they show by how much systems are above it, else their scores; always with 95%
intervals. Systems differ in colour and in the form of their marks, so that nobody needs to see
colours to tell them apart.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.figure import Figure

from pipeline.figures import write_figure
from pipeline.patterns.drawn import MEASURES, drawn_categories, drawn_lengths

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from pipeline.patterns.tables import Row

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000")
"""Those of Okabe & Ito (2008), which colour-blind people tell apart, less the yellow."""
MARKS = "os^Dv<>P"
"""One more than the colours, so that a system after the last colour has a pair of its own."""
BESIDE, GROUP = 0.12, 0.7
"""How far apart the marks of systems are, of the distance to the next tick; and all of them."""


@dataclass(frozen=True)
class Panel:
    """One pair of axes.

    Attributes:
        labels: of the ticks.
        curves: by system (3, labels): scores, and the ends of their intervals; NaN where there is
            none.
    """

    title: str
    labels: Sequence[str]
    curves: Mapping[str, np.ndarray]


def draw_ngrams(rows: Sequence[Row], path: Path, baseline: str | None) -> None:
    """Precision and BLEU restricted to n, by n."""
    panels = [
        _panel(title, [row for row in rows if row["measure"] == measure], ["n"], baseline)
        for measure, title in MEASURES.items()
    ]
    _write(panels, path, "n", baseline, connected=True)


def draw_lengths(rows: Sequence[Row], path: Path, baseline: str | None) -> None:
    """BLEU restricted to 1, 2, 4, … by source length."""
    panels = [
        _panel(title, some, ["source_words", "sentences"], baseline)
        for title, some in drawn_lengths(rows).items()
    ]
    _write(panels, path, "source words (and sentences)", baseline, connected=True)


def draw_categories(rows: Sequence[Row], path: Path, baseline: str | None) -> None:
    """Recall by syntactic category, the most frequent ones of each size."""
    panels = [
        _panel(title, some, ["category", "ngrams"], baseline)
        for title, some in drawn_categories(rows).items()
    ]
    _write(panels, path, "category (and n-grams of references)", baseline, connected=False)


def _panel(title: str, rows: Sequence[Row], ticks: Sequence[str], baseline: str | None) -> Panel:
    """The panel of these rows, which have a curve for each system but the baseline.

    Args:
        ticks: the columns that a tick tells, the first of which says which tick it is.
    """
    score = "score" if baseline is None else "difference"
    curves: dict[str, list[list[float]]] = {}
    for row in rows:
        if row["system"] != baseline:
            values = [row[column] for column in (score, f"{score}_low", f"{score}_high")]
            curves.setdefault(row["system"], []).append(values)
    labels = {row[ticks[0]]: "\n".join(_shown(row[column]) for column in ticks) for row in rows}
    arrays = {name: np.array(points, dtype=float).T for name, points in curves.items()}
    return Panel(title, list(labels.values()), arrays)


def _shown(value: str | float) -> str:
    return value if isinstance(value, str) else f"{value:,.0f}"


def _write(
    panels: Sequence[Panel], path: Path, x_label: str, baseline: str | None, *, connected: bool
) -> None:
    write_figure(lambda: pattern_figure(panels, x_label, baseline, connected=connected), path)


def pattern_figure(
    panels: Sequence[Panel], x_label: str, baseline: str | None, *, connected: bool
) -> Figure:
    """All panels, two in a row, under one legend.

    Args:
        baseline: the system that curves are differences to, if they are.
        connected: whether ticks are in an order, so that a line from one to the next means
            something.
    """
    ticks = max(len(panel.labels) for panel in panels)
    systems = list(panels[0].curves)
    width = max(3.6, 0.4 + ticks * max(0.42, 0.07 * len(systems)))
    num_rows = -(-len(panels) // 2)
    legend_rows = -(-len(systems) // 3)
    figure = Figure(
        figsize=(2 * width + 0.4, 2.8 * num_rows + 0.22 * legend_rows), layout="constrained"
    )
    y_label = "per cent" if baseline is None else f"points above {baseline}"
    for number, panel in enumerate(panels, start=1):
        axes = figure.add_subplot(num_rows, 2, number)
        _draw(axes, panel, connected=connected)
        if baseline is not None:
            axes.axhline(0, color="black", linewidth=0.8)
        axes.set_ylabel(y_label, fontsize=8, parse_math=False)
        axes.set_xlabel(x_label, fontsize=8)
    legend = figure.legend(
        *figure.axes[0].get_legend_handles_labels(),
        loc="outside upper center",
        ncols=3,
        fontsize=8,
        frameon=False,
    )
    for text in legend.get_texts():
        text.set_parse_math(False)
    return figure


def _draw(axes: Axes, panel: Panel, *, connected: bool) -> None:
    """The curves of a panel, side by side at each tick."""
    places = np.arange(len(panel.labels))
    distance = min(BESIDE, GROUP / len(panel.curves))
    for number, (system, (score, low, high)) in enumerate(panel.curves.items()):
        aside = distance * (number - (len(panel.curves) - 1) / 2)
        colour = COLOURS[number % len(COLOURS)]
        axes.vlines(places + aside, low, high, color=colour, linewidth=1)
        axes.plot(
            places + aside,
            score,
            label=system,
            color=colour,
            marker=MARKS[number % len(MARKS)],
            markersize=4,
            linewidth=0.7 if connected else 0,
        )
    axes.set_title(panel.title, fontsize=9)
    axes.set_xticks(places, panel.labels, fontsize=7, parse_math=False)
    axes.tick_params(axis="y", labelsize=7)
    axes.tick_params(axis="x", length=0)
    axes.set_xlim(-0.5, len(places) - 0.5)
    axes.grid(axis="y", color="0.9", linewidth=0.6)
    axes.set_axisbelow(True)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
