"""Curves of several systems over one axis, with intervals if any, and the table of the numbers."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from pipeline.report_page.charts.text_width import text_width
from pipeline.report_page.charts.ticks import (
    ANY,
    LARGEST,
    SMALLEST,
    Range,
    label,
    log_ticks,
    ticks,
)

WIDTH, HEIGHT = 360, 220
"""User units, about CSS pixels: a chart fills the width of a phone, or a column of a laptop."""
LEFT, RIGHT, TOP, BOTTOM = 46, 12, 10, 34
"""Room around the plot for the axes' labels."""
MARKED = 30
"""Curves of at most so many points show each of them."""
SMALL_PRINT, GAP = 11, 6
"""The size of the labels, and the least room between them."""
BESIDE, GROUP = 4.5, 0.65
"""How far apart the intervals at one place are; all of them at most, of the step to the next."""


class Point(NamedTuple):
    """A value of y at one of x, with the ends of its interval if it has one.

    Attributes:
        p_value: of a difference, that there is none.
    """

    x: float
    y: float
    low: float | None = None
    high: float | None = None
    p_value: float | None = None

    @property
    def heights(self) -> list[float]:
        """What there must be room for."""
        return [y for y in (self.y, self.low, self.high) if y is not None]


Points = Sequence[tuple[float, float] | Point]


@dataclass(frozen=True)
class Tick:
    """A place on an axis, in user units, and what stands there."""

    at: float
    label: str


@dataclass(frozen=True)
class Line:
    """A curve, and the number of the system whose style it has.

    Attributes:
        whiskers: of the intervals: x, top and bottom of each.
        points: by their x, for the table.
    """

    name: str
    style: int
    path: str
    marks: tuple[tuple[float, float], ...]
    whiskers: tuple[tuple[float, float, float], ...]
    points: Mapping[float, Point]


@dataclass(frozen=True)
class LineChart:
    """A chart, ready to draw.

    Attributes:
        signed: whether its numbers are differences, shown with their sign and a line at zero.
        domain: the values at the left and the right end of the plot.
        rows: of the table: a value of x, then a number or `None` for each line.
        names: what stands for a value of x, where it has a name.
    """

    title: str
    x_name: str
    y_name: str
    log: bool
    signed: bool
    x_ticks: tuple[Tick, ...]
    y_ticks: tuple[Tick, ...]
    lines: tuple[Line, ...]
    domain: tuple[float, float]
    rows: tuple[tuple[float, tuple[float | None, ...]], ...]
    names: Mapping[float, str]
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
    x_names: Sequence[str] | None = None,
    signed: bool = False,
    within: Range = ANY,
    digits: int = 2,
) -> LineChart | None:
    """The chart of some curves by name.

    What is not finite, or nearly so, is left out, and so is an empty curve.

    Args:
        styles: the number of each curve's style; without it, their order says.
        scale: of y; a logarithmic one leaves out what is not above zero.
        from_zero, x_from_zero: whether y (a linear one), or x, starts at zero in any case.
        x_names: names of x = 0, 1, …, where these are no numbers but places; the intervals of
            several curves are side by side there.
        signed: whether y is a difference.
        within: what y can be: a linear axis does not go beyond it.
        digits: decimal places of the numbers in the table.
    """
    log = scale == "log"
    drawn = {name: kept for name, points in curves.items() if (kept := _drawable(points, log=log))}
    if not drawn:
        return None
    xs = sorted({point.x for points in drawn.values() for point in points})
    ys = [y for points in drawn.values() for point in points for y in point.heights]
    ys += [0.0] if from_zero or signed else []
    x_marks, ends = _along_x(xs, x_names, from_zero=x_from_zero)
    y_marks = log_ticks(min(ys), max(ys)) if log else ticks(min(ys), max(ys), within=within)
    frame = _Frame(ends, (y_marks[0], y_marks[-1]), log)
    asides = {} if x_names is None else _asides(drawn, len(x_names))
    lines = tuple(
        frame.line(
            name,
            number if styles is None else styles[name],
            points,
            aside=asides.get(name, 0.0),
        )
        for number, (name, points) in enumerate(drawn.items())
    )
    values = [{x: point.y for x, point in line.points.items()} for line in lines]
    return LineChart(
        title=title,
        x_name=x_name,
        y_name=y_name,
        log=log,
        signed=signed,
        x_ticks=_legible([Tick(frame.right_of(x), text) for x, text in x_marks.items()]),
        y_ticks=tuple(Tick(frame.below_top(mark), label(mark)) for mark in y_marks),
        lines=lines,
        domain=ends,
        rows=tuple((x, tuple(of_line.get(x) for of_line in values)) for x in xs),
        names={} if x_names is None else x_marks,
        digits=digits,
    )


def _drawable(points: Points, *, log: bool) -> list[Point]:
    """The points that have a place."""
    return [
        point
        for point in (Point(*values) for values in points)
        if all(abs(value) <= LARGEST for value in (point.x, *point.heights))
        and (not log or min(point.heights) >= SMALLEST)
    ]


def _along_x(
    xs: Sequence[float], names: Sequence[str] | None, *, from_zero: bool
) -> tuple[dict[float, str], tuple[float, float]]:
    """What stands at which values of x, and those at the ends of the axis."""
    if names is not None:
        return dict(enumerate(names)), (-0.5, len(names) - 0.5)
    ends = [*xs, 0.0] if from_zero else xs
    marks = ticks(min(ends), max(ends))
    # The last round number may be far from the last point: the axis ends at the point.
    last = marks[-1] if xs[0] == xs[-1] else max(ends)
    return {mark: label(mark) for mark in marks if mark <= last}, (marks[0], last)


def _asides(curves: Mapping[str, Sequence[Point]], places: int) -> dict[str, float]:
    """How far to the right each curve with intervals is moved, so that these don't overlap."""
    moved = [
        name for name, points in curves.items() if any(point.low is not None for point in points)
    ]
    step = (WIDTH - RIGHT - LEFT) / places
    beside = min(BESIDE, GROUP * step / max(len(moved), 1))
    return {name: beside * (i - (len(moved) - 1) / 2) for i, name in enumerate(moved)}


def _legible(x_ticks: Sequence[Tick]) -> tuple[Tick, ...]:
    """As many of the ticks as have room for their labels, at equal distances."""
    if len(x_ticks) < 2:
        return tuple(x_ticks)
    widest = max(text_width(tick.label, SMALL_PRINT) for tick in x_ticks)
    return tuple(x_ticks[:: math.ceil((widest + GAP) / (x_ticks[1].at - x_ticks[0].at))])


@dataclass(frozen=True)
class _Frame:
    """Where values are: those of x and y at the ends of the axes."""

    x: tuple[float, float]
    y: tuple[float, float]
    log: bool

    def right_of(self, x: float) -> float:
        """How far from the left."""
        first, last = self.x
        return round(LEFT + (x - first) / (last - first) * (WIDTH - RIGHT - LEFT), 1)

    def below_top(self, y: float) -> float:
        """How far from the top."""
        first, last, y = (map(math.log, (*self.y, y))) if self.log else (*self.y, y)
        share = (y - first) / (last - first) if last > first else 0.5
        return round(HEIGHT - BOTTOM - share * (HEIGHT - BOTTOM - TOP), 1)

    def line(self, name: str, style: int, points: Sequence[Point], *, aside: float) -> Line:
        """A curve that is moved to the right by `aside`."""
        places = tuple(
            (round(self.right_of(point.x) + aside, 1), self.below_top(point.y)) for point in points
        )
        return Line(
            name=name,
            style=style,
            path="M" + "L".join(f"{x:g} {y:g}" for x, y in places),
            marks=places if len(places) <= MARKED else (),
            whiskers=tuple(
                (x, self.below_top(point.high), self.below_top(point.low))
                for (x, _), point in zip(places, points, strict=True)
                if point.low is not None and point.high is not None
            ),
            points={point.x: point for point in points},
        )
