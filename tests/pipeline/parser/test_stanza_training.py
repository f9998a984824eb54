"""The schedule of the parser's training."""

from __future__ import annotations

import sys

import pytest
import torch

from pipeline.parser.settings import TrainingSettings
from pipeline.parser.stanza_training import _schedule


def test_the_learning_rate_of_the_second_half_falls_to_0() -> None:
    settings = TrainingSettings(1, 2, 2, epochs=5, batch=1, learning_rate=0.3)
    weight = torch.nn.Parameter(torch.zeros(()))
    rates = []
    with _schedule(settings, per_epoch=2, stderr=sys.stderr):
        for updates, rate in ((4, 1.0), (6, 0.3)):  # stanza makes a new optimizer halfway
            optimizer = torch.optim.SGD([weight], lr=rate)
            for _ in range(updates):
                weight.grad = torch.ones(())
                optimizer.step()
                rates.append(optimizer.param_groups[0]["lr"])
    assert rates == pytest.approx([1.0] * 4 + [0.25, 0.2, 0.15, 0.1, 0.05, 0.0])
    optimizer.step()
    assert optimizer.param_groups[0]["lr"] == 0
