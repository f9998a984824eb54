"""Accuracies: by hand, their intervals by a loop over resamples, and as charts."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from unittest.mock import Mock

import numpy as np
import pytest

from mgsa.data.batch import NO_LABEL, Row, RowColumns
from pipeline.charts import write_figure
from pipeline.formats.text import SPLITS
from pipeline.probe.accuracies import (
    COLUMNS,
    MAJORITY,
    accuracies,
    accuracy_chart,
    last_layers,
    layer_chart,
)
from pipeline.probe.classifier import ProbeResult
from pipeline.probe.encoders import majority_accuracies
from tests.probing_folders import probe_config


def columns_of(**labels: list[int]) -> RowColumns:
    """As many sentences of a word each, with these labels of sentences, and no tense."""
    count = len(labels["voice"])
    whole = RowColumns.of([Row(i, [4], (), [1], [], []) for i in range(count)])
    no_tense = {"tense": np.full(count, NO_LABEL)}
    arrays = {task: np.array(values) for task, values in labels.items()}
    return replace(whole, labels={**no_tense, **arrays})


def test_the_majority_class_is_that_of_training(capsys: pytest.CaptureFixture[str]) -> None:
    """Class 1 is most frequent in train, the first of equals in pos; nothing has a tense."""
    voices = {"train": [0, 1, 1, -1], "valid": [0], "test": [1, 0, 0, 0, -1]}
    others = {"train": [0, 1, 1, 0], "valid": [0], "test": [0, 1, 1, 1, -1]}
    rows = {split: columns_of(voice=voices[split], pos=others[split]) for split in SPLITS}
    data = Mock(classes={"voice": ("a", "b"), "tense": ("c",), "pos": ("d", "e")})
    found = majority_accuracies(rows, data, ["voice", "tense", "pos"])
    assert found == {"voice": 25, "pos": 25}
    assert capsys.readouterr().err == "probe: tense has no labels in train, valid, test: left out\n"


def test_an_interval_is_that_of_a_slow_loop_over_resampled_sentences() -> None:
    generator = np.random.default_rng(4)
    counted = generator.integers(0, 9, 30)
    right = generator.binomial(counted, 0.7)
    whole = np.ones(30, dtype=np.int64)
    results = [ProbeResult("pos", 2, right, counted), ProbeResult("voice", 2, whole, whole)]
    both = {"pos": 5, "voice": 2}
    config = probe_config(bootstrap_samples=200, seed=5)
    pos, voice = accuracies("model", results, both, {"pos": 40.0, "voice": 60.0}, config)
    drawn = np.random.default_rng(5)
    scores = []
    for _ in range(200):
        rows = drawn.choice(30, size=30, replace=True)
        scores.append(100 * sum(right[r] for r in rows) / sum(counted[r] for r in rows))
    scores.sort()
    assert pos["accuracy"] == pytest.approx(100 * right.sum() / counted.sum(), abs=1e-6)
    # 2.5% of 200 at either end
    assert (pos["low"], pos["high"]) == pytest.approx((scores[5], scores[194]), abs=1e-6)
    assert (pos["classes"], pos["counted"], pos["majority"]) == (5, counted.sum(), 40)
    assert (voice["accuracy"], voice["low"], voice["high"]) == (100, 100, 100)


CELLS = [
    dict(zip(COLUMNS, (encoder, layer, task, 2, 10, x, x - 5, x + 2, 30.0), strict=True))
    for encoder, layer, voice in (("deep", 1, 60), ("deep", 2, 80), ("$ flat", 1, 65))
    for task, x in (("voice", voice), ("pos", voice - 10))
]


def test_a_chart_has_the_last_layer_of_each_encoder_beside_the_majority(tmp_path: Path) -> None:
    spec = accuracy_chart(last_layers(CELLS))
    assert spec["facet"]["row"]["sort"] == ["voice", "pos"]
    values = [(v["encoder"], v["layer"], v["majority"]) for v in spec["data"]["values"]]
    assert values[::2] == [("deep", 2, 30), ("$ flat", 1, 30)]
    write_figure(spec, tmp_path / "probe.svg")
    assert "$ flat" in (tmp_path / "probe.svg").read_text("utf-8")


def test_layers_that_an_encoder_lacks_are_gaps() -> None:
    curves: dict[str, list[int]] = {}
    for row in layer_chart(CELLS)["data"]["values"]:
        if row["measure"] == "voice":
            curves.setdefault(row["system"], []).append(row["n"])
    assert curves == {"deep": [1, 2], "$ flat": [1], MAJORITY: [1, 2]}
