"""The learning rate, by a table."""

from __future__ import annotations

import math

import pytest

from mgsa.training.schedule import learning_rate


@pytest.mark.parametrize(
    ("update", "expected"),
    [
        (1, 0.25),  # a quarter of the way up
        (2, 0.5),
        (4, 1.0),  # the peak
        (16, 0.5),  # √(4/16)
        (100, 0.2),  # √(4/100)
    ],
)
def test_rises_linearly_then_falls_with_the_root(update: int, expected: float) -> None:
    assert learning_rate(update, peak=1.0, warmup=4, decay="inverse_sqrt") == pytest.approx(
        expected
    )


def test_is_equation_3_of_vaswani_et_al() -> None:
    dim, warmup = 512, 4000
    for update in (1, 100, 3999, 4000, 4001, 100_000):
        paper = dim**-0.5 * min(update**-0.5, update * warmup**-1.5)
        peak = 1 / math.sqrt(dim * warmup)
        ours = learning_rate(update, peak=peak, warmup=warmup, decay="inverse_sqrt")
        assert ours == pytest.approx(paper)


@pytest.mark.parametrize(("update", "expected"), [(1, 0.25), (4, 1.0), (5, 1.0), (10_000, 1.0)])
def test_stays_at_the_peak_without_decay(update: int, expected: float) -> None:
    assert learning_rate(update, peak=1.0, warmup=4, decay="none") == expected


def test_a_warm_up_of_one_update_is_none() -> None:
    assert [learning_rate(n, peak=0.5, warmup=1, decay="none") for n in (1, 2, 99)] == [0.5] * 3
