"""Bars stand at accuracies beside the majority class; encoders of fewer layers have gaps."""

from __future__ import annotations

import numpy as np

from pipeline.probing.figures import bars_figure, layer_panels
from pipeline.probing.tables import MAJORITY, Cell, last_layers


def cell(encoder: str, layer: int, task: str, accuracy: float) -> Cell:
    return Cell(encoder, layer, task, 2, 10, accuracy, accuracy - 5, accuracy + 2, 30.0)


CELLS = [
    cell("deep", 1, "voice", 60),
    cell("deep", 1, "pos", 50),
    cell("deep", 2, "voice", 80),
    cell("deep", 2, "pos", 70),
    cell("$ flat", 1, "voice", 65),
    cell("$ flat", 1, "pos", 55),
]


def test_last_layers_are_each_encoders_own() -> None:
    assert last_layers(CELLS) == [*CELLS[2:4], *CELLS[4:]]


def test_bars_of_a_task_stand_together() -> None:
    (axes,) = bars_figure(last_layers(CELLS)).axes
    heights = [[bar.get_height() for bar in group] for group in axes.containers if len(group) == 2]
    assert [30, 30] in heights
    assert [80, 70] in heights
    assert [65, 55] in heights
    assert [label.get_text() for label in axes.get_xticklabels()] == ["voice", "pos"]


def test_layers_that_an_encoder_lacks_are_gaps() -> None:
    voice, pos = layer_panels(CELLS)
    assert (voice.title, voice.labels, pos.title) == ("voice", ["1", "2"], "pos")
    assert voice.curves["deep"].tolist() == [[60, 80], [55, 75], [62, 82]]
    assert np.isnan(voice.curves["$ flat"][:, 1]).all()
    assert pos.curves[MAJORITY].tolist() == [[30, 30]] * 3
