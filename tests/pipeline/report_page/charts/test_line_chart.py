"""Points are where their values are, and the table has the very numbers."""

from __future__ import annotations

import math
from itertools import pairwise

import pytest

from pipeline.report_page.charts.line_chart import (
    BOTTOM,
    HEIGHT,
    LEFT,
    MARKED,
    RIGHT,
    TOP,
    WIDTH,
    LineChart,
    Point,
    Points,
    line_chart,
)
from pipeline.report_page.charts.ticks import PERCENT


def chart(curves: dict[str, Points], **settings: object) -> LineChart:
    drawn = line_chart("title", curves, x_name="x", y_name="y", **settings)  # type: ignore[arg-type]
    assert drawn is not None
    return drawn


def test_scores_of_100_have_nothing_above_them() -> None:
    labels = [tick.label for tick in chart({"a": [(1, 100.0)]}).y_ticks]
    assert labels[-1] == "150"
    drawn = chart({"a": [(1, 100.0)]}, within=PERCENT)
    assert [tick.label for tick in drawn.y_ticks] == ["50", "100"]
    assert drawn.y_ticks[-1].at == TOP


def test_the_ends_of_the_axes_are_the_edges_of_the_plot() -> None:
    drawn = chart({"a": [(0, 0), (50, 50), (100, 100)]})
    (line,) = drawn.lines
    assert line.marks == (
        (LEFT, HEIGHT - BOTTOM),
        ((LEFT + WIDTH - RIGHT) / 2, (HEIGHT - BOTTOM + TOP) / 2),
        (WIDTH - RIGHT, TOP),
    )
    assert line.path == "M46 186L197 98L348 10"
    assert [(tick.at, tick.label) for tick in drawn.y_ticks] == [
        *((186, "0"), (98, "50"), (10, "100")),
    ]
    assert drawn.domain == (0, 100)


def test_the_table_has_every_number_and_a_gap_where_there_is_none() -> None:
    drawn = chart({"a": [(1, 0.5), (2, 0.25)], "b": [(2, 7.0), (4, 8.0)]})
    assert drawn.rows == ((1, (0.5, None)), (2, (0.25, 7.0)), (4, (None, 8.0)))


def test_a_logarithmic_axis_puts_equal_factors_equally_far() -> None:
    drawn = chart({"a": [(0, 1), (1, 10), (2, 100), (3, 1000)]}, scale="log")
    heights = [y for _, y in drawn.lines[0].marks]
    steps = [first - second for first, second in pairwise(heights)]
    assert steps == pytest.approx([steps[0]] * 3, abs=0.11)


def test_what_is_not_finite_is_left_out() -> None:
    curve = [(0.0, math.nan), (1.0, 5.0), (2.0, math.inf), (3.0, 1e308)]
    assert chart({"a": curve}).rows == ((1.0, (5.0,)),)
    assert line_chart("t", {"a": [(0.0, math.nan)]}, x_name="", y_name="") is None
    assert line_chart("t", {"a": [(0.0, 0.0)]}, x_name="", y_name="", scale="log") is None
    assert line_chart("t", {}, x_name="", y_name="") is None


def test_zero_is_an_end_of_x_on_either_side() -> None:
    for points, domain in (([(2, 1), (4, 1)], (0, 4)), ([(-4, 1), (-2, 1)], (-4, 0))):
        assert chart({"a": points}, x_from_zero=True).domain == domain


def test_points_of_a_long_curve_are_not_marked() -> None:
    assert len(chart({"a": [(i, i) for i in range(MARKED)]}).lines[0].marks) == MARKED
    assert chart({"a": [(i, i) for i in range(MARKED + 1)]}).lines[0].marks == ()


def test_a_curve_keeps_its_style_where_another_is_missing() -> None:
    drawn = chart({"a": [], "b": [(0, 1), (1, 2)]}, styles={"a": 0, "b": 1})
    assert [(line.name, line.style) for line in drawn.lines] == [("b", 1)]


def test_an_axis_may_start_at_zero() -> None:
    assert chart({"a": [(500, 80), (900, 90)]}, x_from_zero=True).domain == (0, 900)
    assert chart({"a": [(500, 80), (900, 90)]}, from_zero=True).y_ticks[0].label == "0"
    assert chart({"a": [(500, 80)]}).lines[0].marks == ((197, 98),)


def test_whiskers_span_their_intervals() -> None:
    drawn = chart({"a": [Point(0, 50, 0, 100), Point(100, 50)]})
    (line,) = drawn.lines
    assert line.whiskers == ((LEFT, TOP, HEIGHT - BOTTOM),)
    assert line.marks[0] == (LEFT, (HEIGHT - BOTTOM + TOP) / 2)
    assert line.points[100].low is None
    assert drawn.rows == ((0, (50,)), (100, (50,)))
    nowhere = Point(1, 5, math.nan, 6)
    assert chart({"a": [nowhere, Point(2, 5, 4, 6)]}).rows == ((2, (5,)),)


def test_at_named_places_intervals_are_side_by_side() -> None:
    points = [Point(0, 1, 0, 2), Point(1, 2, 1, 3)]
    curves: dict[str, Points] = {"a": points, "without": [(0, 1), (1, 1)], "b": points}
    drawn = chart(curves, x_names=["NP", "VP"])
    step = (WIDTH - RIGHT - LEFT) / 2
    assert [(tick.at, tick.label) for tick in drawn.x_ticks] == [
        (LEFT + step / 2, "NP"),
        (LEFT + 1.5 * step, "VP"),
    ]
    assert drawn.domain == (-0.5, 1.5)
    assert drawn.names == {0: "NP", 1: "VP"}
    one, without, other = (line.marks for line in drawn.lines)
    marks = zip(drawn.x_ticks, one, without, other, strict=True)
    for tick, (left, _), (middle, _), (right, _) in marks:
        assert left < middle == tick.at < right
        assert left + right == pytest.approx(2 * tick.at, abs=0.11)
    assert [x for x, _, _ in drawn.lines[0].whiskers] == [x for x, _ in one]


def test_labels_that_would_overlap_are_left_out_at_equal_distances() -> None:
    names = [f"{i}0-{i}9" for i in range(1, 30)]
    drawn = chart({"a": [(i, i) for i in range(29)]}, x_names=names)
    places = [names.index(tick.label) for tick in drawn.x_ticks]
    steps = {after - before for before, after in pairwise(places)}
    assert len(steps) == 1
    assert 1 < steps.pop() < 10
    assert len(drawn.rows) == 29


def test_differences_have_a_line_at_zero() -> None:
    drawn = chart({"a": [Point(0, 2, 1, 3), Point(1, 2.5, 1.5, 3.5)]}, signed=True)
    assert drawn.signed
    assert drawn.y_ticks[0].label == "0"
