"""Which settings make another run, and which don't."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from mgsa.config import ModelConfig, TrainConfig
from mgsa.settings import from_mapping
from mgsa.training.identity import run_identity
from tests.training_settings import MODEL, TRAIN

MODEL_CONFIG = from_mapping(ModelConfig, MODEL, "model")
TRAIN_CONFIG = from_mapping(TrainConfig, TRAIN, "train")


def identity(model: dict[str, Any], train: dict[str, Any], dataset: str = "data") -> str:
    config = replace(TRAIN_CONFIG, **train)
    return run_identity(
        replace(MODEL_CONFIG, **model),
        config,
        micro_batches=config.devices * config.nodes * config.accumulate,
        dataset=dataset,
    )


@pytest.mark.parametrize(
    "train",
    [
        {"max_epochs": 99},
        {"max_updates": 99},
        {"patience": 7},
        {"log_every": 99},
        {"devices": 2, "accumulate": 1},  # as many micro-batches an update
    ],
)
def test_a_run_goes_on_when_these_change(train: dict[str, Any]) -> None:
    assert identity({}, {"accumulate": 2} | train) == identity({}, {"accumulate": 2})


@pytest.mark.parametrize(
    ("model", "train", "dataset"),
    [
        ({"dropout": 0.25}, {}, "data"),
        ({}, {"seed": 99}, "data"),
        ({}, {"devices": 2}, "data"),  # twice the micro-batches an update
        ({}, {"learning_rate": 0.5}, "data"),
        ({}, {"validate_every": 99}, "data"),  # other weights may be the best
        ({}, {"checkpoint_every": 99}, "data"),  # other weights are averaged
        ({}, {}, "other data"),
    ],
)
def test_it_is_another_run_when_these_change(
    model: dict[str, Any], train: dict[str, Any], dataset: str
) -> None:
    assert identity(model, train, dataset) != identity({}, {})
