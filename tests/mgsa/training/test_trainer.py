"""The learning rate, by a table."""

from __future__ import annotations

import math
from typing import Any

import pytest

from mgsa.cli.settings import from_mapping
from mgsa.config import Decay, TrainConfig
from mgsa.training.trainer import learning_rate
from tests.training_settings import TRAIN


def config_of(**schedule: Any) -> TrainConfig:
    return from_mapping(TrainConfig, TRAIN | schedule, "train")


@pytest.mark.parametrize(
    ("decay", "warmup", "rates"),
    [
        # a quarter of the way up, half, the peak; √(4/16), √(4/100)
        ("inverse_sqrt", 4, {1: 0.25, 2: 0.5, 4: 1.0, 16: 0.5, 100: 0.2}),
        ("linear", 4, {1: 0.25, 4: 1.0, 8: 0.75, 12: 0.5, 20: 0.0, 21: 0.0}),
        ("linear", 30, {15: 0.5, 29: 29 / 30}),  # the run ends before warm-up does
        ("none", 4, {1: 0.25, 4: 1.0, 5: 1.0, 10_000: 1.0}),
        ("none", 1, {1: 1.0, 2: 1.0, 99: 1.0}),
    ],
)
def test_rises_linearly_then_falls_or_stays(
    decay: Decay, warmup: int, rates: dict[int, float]
) -> None:
    config = config_of(learning_rate=1.0, warmup=warmup, decay=decay)
    found = {n: learning_rate(n, config, last=20) for n in rates}
    assert found == pytest.approx(rates)


def test_is_equation_3_of_vaswani_et_al() -> None:
    dim, warmup = 512, 4000
    peak = 1 / math.sqrt(dim * warmup)
    config = config_of(learning_rate=peak, warmup=warmup, decay="inverse_sqrt")
    for update in (1, 100, 3999, 4000, 4001, 100_000):
        paper = dim**-0.5 * min(update**-0.5, update * warmup**-1.5)
        assert learning_rate(update, config, last=100_000) == pytest.approx(paper)
