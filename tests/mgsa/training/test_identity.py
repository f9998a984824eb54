"""Which settings make another run, and which don't."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import mgsa
from mgsa.base.settings import from_mapping, from_tagged
from mgsa.config import MODEL_KINDS, TrainConfig
from mgsa.training.identity import code_identity, run_identity
from tests.training_settings import MODEL, TRAIN

MODEL_CONFIG = from_tagged(MODEL_KINDS, MODEL, "model")
TRAIN_CONFIG = from_mapping(TrainConfig, TRAIN, "train")


def identity(
    model: dict[str, Any], train: dict[str, Any], dataset: str = "data", code: str | None = None
) -> str:
    config = replace(TRAIN_CONFIG, **train)
    return run_identity(
        replace(MODEL_CONFIG, **model),
        config,
        micro_batches=config.devices * config.nodes * config.accumulate,
        dataset=dataset,
        code=code,
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


def test_code_makes_another_run_where_it_counts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "mgsa"
    (package / "model").mkdir(parents=True)
    source = package / "model" / "transformer.py"
    source.write_text("x = 1\n", "utf-8")
    monkeypatch.setattr(mgsa, "__file__", str(package / "__init__.py"))
    first = code_identity()
    assert code_identity() == first
    (package / "model" / "transformer.pyc").write_text("compiled", "utf-8")
    assert code_identity() == first
    source.write_text("x = 2\n", "utf-8")
    assert code_identity() != first
    assert identity({}, {}, code=code_identity()) != identity({}, {}, code=first)
