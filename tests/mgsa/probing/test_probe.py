"""One probe: it stops when it gets no better, and has its best weights in the end."""

from __future__ import annotations

import pytest
import torch

from mgsa.probing.classifier import Classifier
from mgsa.probing.probe import Probe


@pytest.fixture
def probe() -> Probe:
    torch.manual_seed(0)
    return Probe(
        "voice",
        0,
        Classifier(2, 2, hidden=8, dropout=0.0),
        [],
        peak=0.05,
        warmup=1,
        patience=2,
        generator=torch.Generator().manual_seed(1),
    )


def test_the_first_of_the_best_weights_are_restored(probe: Probe) -> None:
    bias = probe.classifier.output.bias
    for value, accuracy in enumerate([0.5, 0.7, 0.7]):
        torch.nn.init.constant_(bias, value)
        probe.note(accuracy)
        assert not probe.finished
    torch.nn.init.constant_(bias, 9)
    probe.note(0.6)
    assert probe.finished
    probe.restore()
    assert bias.tolist() == [1, 1]


def test_two_clouds_are_told_apart(probe: Probe) -> None:
    """Sentences of one position, left or right of the origin; one of them has no label."""
    torch.manual_seed(2)
    labels = torch.arange(40) % 2
    states = (torch.randn(40, 1, 2) + 6 * (labels[:, None, None] - 0.5)).clone()
    mask = torch.ones(40, 1, 1, 1, dtype=torch.bool)
    labels[7] = -1
    for _ in range(60):
        probe.update(states, mask, labels)
    right, counted = probe.right(states, mask, labels)
    assert counted.tolist() == [int(row != 7) for row in range(40)]
    assert int(right.sum()) == 39
    before = probe.classifier.output.bias.clone()
    probe.update(states, mask, torch.full((40,), -1))
    assert torch.equal(before, probe.classifier.output.bias)
