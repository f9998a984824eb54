"""Curves in TensorBoard and Weights & Biases: each point once, also of a resumed run."""

from __future__ import annotations

import importlib.util
import json
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest

from mgsa.cli.errors import InputError
from mgsa.cli.settings import from_mapping
from mgsa.config import ModelConfig, TrainConfig
from mgsa.run_config import Logger
from mgsa.training.processes import make_fabric
from mgsa.training.run import train_model
from mgsa.training.trainer import Run
from tests.copy_task import write_copy_task
from tests.running import wait_until
from tests.training_settings import TRAIN, model_settings


def train(folder: Path, logger: Logger, max_updates: int) -> None:
    settings = TRAIN | {"max_updates": max_updates, "log_every": 2, "validate_every": 4}
    run = Run(
        folder / "dataset",
        from_mapping(ModelConfig, model_settings({}), "model"),
        from_mapping(TrainConfig, settings, "train"),
        out=folder / "out",
        checkpoints=folder / "checkpoints",
        logger=logger,
    )
    train_model(run, make_fabric("cpu", 1, 1, precision="32-true"), restart="never")


def test_each_point_is_logged_once(tmp_path: Path) -> None:
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    write_copy_task(tmp_path / "dataset")
    for max_updates in (6, 12):
        train(tmp_path, "tensorboard", max_updates)
    curves = (tmp_path / "out/curves.jsonl").read_text(encoding="utf-8").splitlines()
    expected: Any = defaultdict(list)
    for line in map(json.loads, curves):
        update = line.pop("update")
        for name, value in line.items():
            expected[name].append((update, pytest.approx(value, rel=1e-6)))
    events = EventAccumulator(str(tmp_path / "checkpoints/logs/tensorboard"))
    events.Reload()
    # The validation at the end of the first run, which is in no checkpoint, is logged too.
    assert {
        name: [(e.step, e.value) for e in events.Scalars(name) if e.step != 6]
        for name in events.Tags()["scalars"]
    } == {name: [point for point in points if point[0] != 6] for name, points in expected.items()}


def test_weights_and_biases(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wandb = pytest.importorskip("wandb")
    monkeypatch.setenv("WANDB_MODE", "offline")
    write_copy_task(tmp_path / "dataset")
    train(tmp_path, "wandb", 4)
    wandb.finish()
    (file,) = (tmp_path / "checkpoints/logs").rglob("run-*.wandb")
    # Its own process writes the file, and may be behind.
    wait_until(lambda: b"valid_nll" in file.read_bytes(), "no curves in the file")


@pytest.mark.skipif(bool(importlib.util.find_spec("wandb")), reason="W&B is installed")
def test_a_logger_that_is_not_installed_is_named(tmp_path: Path) -> None:
    write_copy_task(tmp_path / "dataset")
    with pytest.raises(InputError, match=r"logger: expected wandb .*\(pip install 'mgsa\[wandb\]'"):
        train(tmp_path, "wandb", 4)
