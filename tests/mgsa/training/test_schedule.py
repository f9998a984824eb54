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
    assert learning_rate(update, peak=1.0, warmup=4) == pytest.approx(expected)


def test_is_equation_3_of_vaswani_et_al() -> None:
    dim, warmup = 512, 4000
    for update in (1, 100, 3999, 4000, 4001, 100_000):
        paper = dim**-0.5 * min(update**-0.5, update * warmup**-1.5)
        ours = learning_rate(update, peak=1 / math.sqrt(dim * warmup), warmup=warmup)
        assert ours == pytest.approx(paper)
