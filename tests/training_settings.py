"""Settings of a model and a training run that take a second, for tests to change."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from pipeline.params.presets import compose
from tests.imports import ROOT
from tests.parameters import PARAMETERS, RUN

MODEL: dict[str, Any] = PARAMETERS["model"]
SMALL_RNN = ["model=rnn_key_value_tiny", "model.dim=16", "model.dropout=0.1", "model.init_std=0.2"]
RNN: dict[str, Any] = compose(ROOT / "conf", SMALL_RNN)["model"]
ALIGNMENT: dict[str, Any] = {"layer": 1, "full_context": True, "sentences": 0.5, "weight": 0.05}
"""A head that aligns sentences drawn at random."""
TRAIN: dict[str, Any] = PARAMETERS["train"]


def model_settings(changes: dict[str, Any]) -> dict[str, Any]:
    """`MODEL`, or `RNN` if that is the kind that is asked for, but for these keys."""
    return (RNN if changes.get("kind") == "rnn" else MODEL) | changes


def write_settings(path: Path, *, model: dict[str, Any], train: dict[str, Any]) -> Path:
    """Write a configuration that differs from the above by these keys; give its path back."""
    content = {"model": model_settings(model), "train": TRAIN | train, "run": RUN}
    path.write_text(yaml.safe_dump(content), encoding="utf-8")
    return path
