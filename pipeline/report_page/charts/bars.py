"""Bars and intervals that are drawn in the cells of a table, beside their numbers.

Places are per cent of the cell's width, so a drawing is as wide as its column and its text as large
as any other.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pipeline.report_page.charts.ticks import ANY, Range, label, ticks


@dataclass(frozen=True)
class Part:
    """A part of a stacked bar: its kind, where it starts, and how wide it is."""

    name: str
    start: float
    width: float


@dataclass(frozen=True)
class Interval:
    """A score and its interval, if there is one; all in per cent of the axis."""

    at: float
    low: float | None
    high: float | None


@dataclass(frozen=True)
class Axis:
    """Values at the two ends of a cell, and the marks between."""

    low: float
    high: float
    marks: tuple[tuple[float, str], ...]

    def place(self, value: float) -> float:
        """Where a value is, in per cent."""
        return round(100 * (value - self.low) / (self.high - self.low), 2)

    def interval(self, value: float, low: float | None, high: float | None) -> Interval:
        """Where a score and its interval are; one that goes on beyond the axis ends with it."""
        return Interval(
            self.place(value),
            None if low is None else self.place(max(low, self.low)),
            None if high is None else self.place(min(high, self.high)),
        )


def axis(values: Sequence[float], within: Range = ANY) -> Axis:
    """An axis of round numbers that has room for all values that there can be."""
    marks = ticks(min(values), max(values), 4, within=within)
    low, high = marks[0], marks[-1]
    made = Axis(low, high, ())
    return Axis(low, high, tuple((made.place(mark), label(mark)) for mark in marks))


def stacked(shares: Mapping[str, float]) -> tuple[Part, ...]:
    """Parts of a whole, one after the other; shares add up to 1 at most."""
    parts, start = [], 0.0
    for name, share in shares.items():
        parts.append(Part(name, round(100 * start, 3), round(100 * share, 3)))
        start += share
    return tuple(parts)
