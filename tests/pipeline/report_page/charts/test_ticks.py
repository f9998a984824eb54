"""Round numbers along an axis."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.report_page.charts.ticks import LARGEST, PERCENT, SMALLEST, label, log_ticks, ticks

ODD = [0.0, 1.0, 1 + 1e-15, 1 + 1e-13, -1e-13, 5e-324, SMALLEST, LARGEST, -LARGEST, 1e16, 1e16 + 2]
VALUES = st.one_of(st.sampled_from(ODD), st.floats(-LARGEST, LARGEST))


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        (0, 100, [0, 50, 100]),
        (0, 4, [0, 1, 2, 3, 4]),
        (24.1, 80.9, [20, 40, 60, 80, 100]),
        (0.65, 0.78, [0.65, 0.7, 0.75, 0.8]),
        (-3, 5, [-4, -2, 0, 2, 4, 6]),
        (7, 7, [2, 4, 6, 8, 10, 12]),
        (0, 0, [-0.5, 0, 0.5]),
    ],
)
def test_ticks_are_round_and_enclose(low: float, high: float, expected: list[float]) -> None:
    found = ticks(low, high)
    assert found == pytest.approx(expected)
    assert found[0] <= low
    assert found[-1] >= high


@given(low=VALUES, high=VALUES)
def test_whatever_there_is_to_enclose(low: float, high: float) -> None:
    low, high = sorted((low, high))
    found = ticks(low, high)
    assert found[0] < found[-1]
    assert found == sorted(set(found))
    slack = 1e-9 * (found[-1] - found[0])
    assert found[0] - slack <= low <= high <= found[-1] + slack
    if low >= SMALLEST:
        assert len(log_ticks(low, high)) >= 1


def test_no_tick_is_where_no_value_can_be() -> None:
    assert ticks(98.0, 104.0, within=PERCENT) == [98, 98.5, 99, 99.5, 100]
    assert ticks(100.0, 100.0, within=PERCENT) == [50, 100]
    assert ticks(-3.0, 2.0, within=PERCENT) == [0, 0.5, 1, 1.5, 2]


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        (1, 90_000, [1, 10, 100, 1000, 10_000, 100_000]),
        (3, 40, [2, 5, 10, 20, 50]),
        (10, 10, [10]),
    ],
)
def test_logarithmic_ticks_enclose(low: float, high: float, expected: list[float]) -> None:
    assert log_ticks(low, high) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0"),
        (0.25, "0.25"),
        (-2, "−2"),
        (1500, "1,500"),
        (20_000, "20k"),
        (100_000, "100k"),
        (5_000_000, "5M"),
        (2e9, "2G"),
        (0.0005, "5e−4"),
    ],
)
def test_labels_are_short(value: float, text: str) -> None:
    assert label(value) == text
