"""Bars and intervals in per cent of a cell."""

from __future__ import annotations

import pytest

from pipeline.report_page.charts.bars import Interval, Part, axis, stacked
from pipeline.report_page.charts.ticks import PERCENT


def test_parts_lie_one_after_the_other() -> None:
    assert stacked({"a": 0.25, "b": 0.5, "c": 0.25}) == (
        Part("a", 0, 25),
        Part("b", 25, 50),
        Part("c", 75, 25),
    )


def test_an_axis_has_room_for_all_and_marks_round_numbers() -> None:
    scale = axis([79.45, 83.53])
    assert (scale.low, scale.high) == (78, 84)
    assert scale.marks == ((0, "78"), (33.33, "80"), (66.67, "82"), (100, "84"))
    assert scale.place(81) == 50


def test_an_axis_ends_where_values_do() -> None:
    scale = axis([99.0, 104.0], PERCENT)
    assert (scale.low, scale.high) == (99, 100)
    assert scale.interval(99.5, 98.0, 104.0) == Interval(50, 0, 100)
    for value in (0.0, 50.0, 100.0):
        scale = axis([value], PERCENT)
        assert 0 <= scale.low < scale.high <= 100
        assert len(scale.marks) > 1


def test_an_interval_is_where_its_ends_are() -> None:
    scale = axis([0.0, 100.0])
    assert scale.interval(61.25, 60.0, 75.0) == Interval(61.25, 60, 75)
    assert scale.interval(61.25, None, None) == Interval(61.25, None, None)


def test_one_value_is_somewhere_inside() -> None:
    assert 0 < axis([50.0]).place(50.0) < 100
    assert axis([0.0]).place(0.0) == pytest.approx(50)
