"""Settings of a model and a training run that take a second, for tests to change."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from tests.parameters import PARAMETERS, RUN

MODEL: dict[str, Any] = PARAMETERS["model"]
RNN: dict[str, Any] = {
    "kind": "rnn",
    "encoder_layers": 2,
    "decoder_layers": 1,
    "dim": 16,
    "attention": "key_value",
    "dropout": 0.1,
    "init_std": 0.2,
    "share_embeddings": "all",
    "alignment": None,
}
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
