"""Curves of several systems over one axis, and the table of their numbers."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from pipeline.report_page.charts.ticks import label, log_ticks, ticks

WIDTH, HEIGHT = 360, 220
"""User units, about CSS pixels: a chart fills the width of a phone, or a column of a laptop."""
LEFT, RIGHT, TOP, BOTTOM = 46, 12, 10, 34
"""Room around the plot for the axes' labels."""
MARKED = 30
"""Curves of at most so many points show each of them."""

Points = Sequence[tuple[float, float]]


@dataclass(frozen=True)
class Tick:
    """A place on an axis, in user units, and what stands there."""

    at: float
    label: str


@dataclass(frozen=True)
class Line:
    """A curve: its path, its marks, and the number of the system whose style it has."""

    name: str
    style: int
    path: str
    marks: tuple[tuple[float, float], ...]


@dataclass(frozen=True)
class LineChart:
    """A chart, ready to draw.

    Attributes:
        domain: the values at the left and the right end of the plot.
        rows: of the table: a value of x, then a number or `None` for each line.
    """

    title: str
    x_name: str
    y_name: str
    log: bool
    x_ticks: tuple[Tick, ...]
    y_ticks: tuple[Tick, ...]
    lines: tuple[Line, ...]
    domain: tuple[float, float]
    rows: tuple[tuple[float, tuple[float | None, ...]], ...]
    digits: int
    width: int = WIDTH
    height: int = HEIGHT
    left: int = LEFT
    right: int = WIDTH - RIGHT
    top: int = TOP
    bottom: int = HEIGHT - BOTTOM


def line_chart(
    title: str,
    curves: Mapping[str, Points],
    *,
    x_name: str,
    y_name: str,
    styles: Mapping[str, int] | None = None,
    scale: Literal["linear", "log"] = "linear",
    from_zero: bool = False,
    x_from_zero: bool = False,
    digits: int = 2,
) -> LineChart | None:
    """The chart of some curves by name; what is not finite is left out, and so is an empty curve.

    Args:
        styles: the number of each curve's style; without it, their order says.
        scale: of y; a logarithmic one leaves out what is not above zero.
        from_zero, x_from_zero: whether y (a linear one), or x, starts at zero in any case.
        digits: decimal places of the numbers in the table.
    """
    log = scale == "log"
    drawn = {
        name: kept
        for name, points in curves.items()
        if (kept := [p for p in points if all(map(math.isfinite, p)) and (not log or p[1] > 0)])
    }
    if not drawn:
        return None
    xs = sorted({x for points in drawn.values() for x, _ in points})
    ys = [y for points in drawn.values() for _, y in points] + ([0.0] if from_zero else [])
    x_marks = ticks(0.0 if x_from_zero else xs[0], xs[-1])
    y_marks = log_ticks(min(ys), max(ys)) if log else ticks(min(ys), max(ys))
    # The last round number may be far from the last point: the axis ends at the point.
    low, high = x_marks[0], x_marks[-1] if xs[0] == xs[-1] else xs[-1]
    x_marks = [mark for mark in x_marks if mark <= high]

    def right_of(x: float) -> float:
        return round(LEFT + (x - low) / (high - low) * (WIDTH - RIGHT - LEFT), 1)

    def below_top(y: float) -> float:
        return _below_top(y, y_marks[0], y_marks[-1], log)

    lines = []
    for number, (name, points) in enumerate(drawn.items()):
        places = tuple((right_of(x), below_top(y)) for x, y in points)
        path = "M" + "L".join(f"{x:g} {y:g}" for x, y in places)
        style = number if styles is None else styles[name]
        lines.append(Line(name, style, path, places if len(places) <= MARKED else ()))
    values = [dict(points) for points in drawn.values()]
    return LineChart(
        title=title,
        x_name=x_name,
        y_name=y_name,
        log=log,
        x_ticks=tuple(Tick(right_of(mark), label(mark)) for mark in x_marks),
        y_ticks=tuple(Tick(below_top(mark), label(mark)) for mark in y_marks),
        lines=tuple(lines),
        domain=(low, high),
        rows=tuple((x, tuple(of_line.get(x) for of_line in values)) for x in xs),
        digits=digits,
    )


def _below_top(y: float, first: float, last: float, log: bool) -> float:
    """The height of a value between the marks at the bottom and at the top of the plot."""
    if log:
        first, last, y = math.log(first), math.log(last), math.log(y)
    share = (y - first) / (last - first) if last > first else 0.5
    return round(HEIGHT - BOTTOM - share * (HEIGHT - BOTTOM - TOP), 1)
