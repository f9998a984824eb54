"""How many processes a run has, and under which torchrun it refuses to start."""

from __future__ import annotations

import pytest

from mgsa.base.errors import InputError
from mgsa.base.settings import from_mapping
from mgsa.config import TrainConfig
from mgsa.training.processes import processes
from tests.training_settings import TRAIN

TORCHRUN = {"TORCHELASTIC_RUN_ID": "run", "LOCAL_WORLD_SIZE": "2", "WORLD_SIZE": "6"}


@pytest.fixture
def config() -> TrainConfig:
    """The settings, which name one device of one node."""
    return from_mapping(TrainConfig, TRAIN, "train")


def test_torchrun_says_how_many_there_are(
    config: TrainConfig, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert processes(config) == (1, 1)
    for name, value in TORCHRUN.items():
        monkeypatch.setenv(name, value)
    assert processes(config) == (2, 3)


@pytest.mark.parametrize(
    ("restarts", "shares_its_store", "refused"),
    [("0", "True", False), ("3", "False", False), ("3", "True", True)],
)
def test_restarts_with_the_store_of_processes_that_ended_are_refused(
    config: TrainConfig,
    monkeypatch: pytest.MonkeyPatch,
    restarts: str,
    shares_its_store: str,
    refused: bool,
) -> None:
    for name, value in TORCHRUN.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("TORCHELASTIC_MAX_RESTARTS", restarts)
    monkeypatch.setenv("TORCHELASTIC_USE_AGENT_STORE", shares_its_store)
    if refused:
        with pytest.raises(InputError, match=r"^--max-restarts 3: set TORCH_DISABLE_SHARE_RDZV"):
            processes(config)
    else:
        assert processes(config) == (2, 3)
