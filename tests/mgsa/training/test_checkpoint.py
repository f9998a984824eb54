"""Checkpoints: what comes back, what is refused, what is kept, and which run they are of."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn

import mgsa
from mgsa.artifact.weights import named_tensors
from mgsa.cli.errors import InputError
from mgsa.cli.settings import from_mapping
from mgsa.config import ModelConfig, TrainConfig
from mgsa.data.batching import Position
from mgsa.training.checkpoint import (
    WEIGHTS,
    State,
    average,
    code_identity,
    folder_of,
    read_state,
    regular_updates,
    remove_checkpoints,
    restore,
    run_identity,
    save_checkpoint,
    saved_updates,
)
from mgsa.training.loss import LossSums
from tests.training_settings import MODEL, TRAIN

STATE = State(
    identity="abc",
    update=7,
    tokens=31,
    position=Position(1, 3),
    interval=LossSums(0.1, 0.2, 3.0, 0.4, 5.0, 6.0),
    best_score=-1 / 3,
    best_update=6,
    bad_validations=1,
    validated_at=6,
    skipped_batches=2,
    curves=[{"update": 6, "valid_nll": 0.1 + 0.2, "skipped_batches": 2}],
)


def model_and_optimizer(*, steps: int) -> tuple[nn.Sequential, torch.optim.Adam]:
    """A network with a shared weight, and Adam after some steps."""
    model = nn.Sequential(nn.Linear(3, 3), nn.Linear(3, 3))
    model[1].weight = model[0].weight
    optimizer = torch.optim.Adam(model.parameters(), fused=True)
    for _ in range(steps):
        optimizer.zero_grad()
        model(torch.randn(2, 3)).square().sum().backward()
        optimizer.step()
    return model, optimizer


@pytest.mark.parametrize("steps", [0, 3])
def test_what_is_saved_comes_back_to_the_bit(tmp_path: Path, steps: int) -> None:
    model, optimizer = model_and_optimizer(steps=steps)
    save_checkpoint(tmp_path, model, optimizer, STATE)
    other, _ = model_and_optimizer(steps=1)
    other_optimizer = torch.optim.Adam(other.parameters(), fused=True)
    folder = folder_of(tmp_path, 7)
    assert repr(read_state(tmp_path, 7)) == repr(STATE)
    restore(folder, other, other_optimizer)
    for name, tensor in named_tensors(model).items():
        assert torch.equal(named_tensors(other)[name], tensor)
    assert other[0].weight is other[1].weight
    assert len(optimizer.state) == len(other_optimizer.state)
    for ours, theirs in zip(model.parameters(), other.parameters(), strict=True):
        for key, value in optimizer.state.get(ours, {}).items():
            assert torch.equal(other_optimizer.state[theirs][key], value), key


def test_an_average_is_the_mean_of_each_number(tmp_path: Path) -> None:
    model, optimizer = model_and_optimizer(steps=1)
    for update, number in {1: 1.0, 2: 3.0, 7: 5.0}.items():
        nn.init.constant_(next(model.parameters()), number)
        save_checkpoint(tmp_path, model, optimizer, replace(STATE, update=update))
    mean = average(tmp_path, [1, 2, 7], "abc")["0.weight"]
    assert mean.eq(3.0).all()
    assert mean.dtype == torch.float32
    with pytest.raises(InputError, match="step-00000001: expected a checkpoint of this run"):
        average(tmp_path, [1, 2, 7], "abd")


def test_parts_of_other_checkpoints_are_refused(tmp_path: Path) -> None:
    model, optimizer = model_and_optimizer(steps=1)
    for update in (1, 2):
        save_checkpoint(tmp_path, model, optimizer, replace(STATE, update=update))
        nn.init.zeros_(next(model.parameters()))
    folder_of(tmp_path, 1).joinpath(WEIGHTS).replace(folder_of(tmp_path, 2) / WEIGHTS)
    with pytest.raises(InputError, match=rf"step-00000002/{WEIGHTS}: expected the file"):
        read_state(tmp_path, 2)
    with pytest.raises(InputError, match=rf"step-00000001/{WEIGHTS}: no such file"):
        read_state(tmp_path, 1)
    folder_of(tmp_path, 2).replace(folder_of(tmp_path, 3))
    with pytest.raises(InputError, match=r"state\.json: expected update 3, found 2"):
        read_state(tmp_path, 3)


def test_what_others_have_put_into_a_checkpoint_stays(tmp_path: Path) -> None:
    save_checkpoint(tmp_path, *model_and_optimizer(steps=1), replace(STATE))
    notes = folder_of(tmp_path, 7) / "eval/notes.txt"
    notes.parent.mkdir()
    notes.write_text("mine")
    save_checkpoint(tmp_path, *model_and_optimizer(steps=2), replace(STATE))
    assert notes.read_text() == "mine"
    read_state(tmp_path, 7)


def test_scores_are_followed() -> None:
    state = State("abc")
    followed = []
    for score in (1.0, 3.0, 3.0, 2.0, 4.0):
        state.update += 1
        state.validated(score)
        followed.append((state.best_update, state.bad_validations))
    # A tie is no improvement: of two equals the earlier stays.
    assert followed == [(1, 0), (2, 0), (2, 1), (2, 2), (5, 0)]


def test_unfinished_folders_are_no_checkpoints_and_are_removed(tmp_path: Path) -> None:
    assert saved_updates(tmp_path / "none") == []
    for update in (2, 4, 6):
        save_checkpoint(tmp_path, *model_and_optimizer(steps=1), replace(STATE, update=update))
    (tmp_path / ".partial-xyz").mkdir()
    (tmp_path / "notes").touch()
    assert saved_updates(tmp_path) == [2, 4, 6]
    remove_checkpoints(tmp_path, keep=[6, 2])
    left = {path.name for path in tmp_path.iterdir()}
    assert left == {"notes", "step-00000002", "step-00000006"}
    (tmp_path / "step-00000002/mine").touch()
    remove_checkpoints(tmp_path, keep=[])
    assert saved_updates(tmp_path) == []
    assert [path.name for path in tmp_path.glob("step-*/*")] == ["mine"]


@pytest.mark.parametrize(
    ("updates", "last", "expected"),
    [
        ([10, 20, 30, 40], 0, [20, 30, 40]),
        ([10, 13, 20, 27, 30], 0, [10, 20, 30]),  # 13 and 27: a signal, or a best score
        ([10, 20, 30, 37], 37, [20, 30, 37]),  # the end of a run that is over
        ([10, 20, 30, 37], 0, [10, 20, 30]),
        ([], 0, []),
    ],
)
def test_averages_do_not_depend_on_where_a_run_was_stopped(
    updates: list[int], last: int, expected: list[int]
) -> None:
    assert regular_updates(updates, every=10, keep=3, last=last) == expected


MODEL_CONFIG = from_mapping(ModelConfig, MODEL, "model")
TRAIN_CONFIG = from_mapping(TrainConfig, TRAIN, "train")


def identity(
    *, model: Any = MODEL_CONFIG, micro_batches: int = 1, code: str | None = None, **train: object
) -> str:
    config = replace(TRAIN_CONFIG, **train)  # type: ignore[arg-type]
    return run_identity(model, config, micro_batches=micro_batches, dataset="data", code=code)


@pytest.mark.parametrize(
    ("changed", "same"),
    [
        ({"max_epochs": 99}, True),
        ({"max_updates": 99}, True),
        ({"decay": "linear", "max_updates": 99}, False),  # the rate falls to zero there
        ({"decay": "linear", "max_epochs": 99}, False),
        ({"max_seconds": 99}, True),
        ({"patience": 7}, True),
        ({"log_every": 99}, True),
        ({"artifact": "average"}, True),
        ({"accumulate": 2}, True),  # as many micro-batches, on fewer devices
        ({"micro_batches": 2}, False),
        ({"code": "other"}, False),
        ({"seed": 99}, False),
        ({"learning_rate": 0.5}, False),
        ({"validate_every": 99}, False),  # other weights may be the best
        ({"checkpoint_every": 99}, False),  # other weights are averaged
        ({"model": replace(MODEL_CONFIG, dropout=0.25)}, False),
    ],
    ids=str,
)
def test_which_settings_make_another_run(changed: dict[str, Any], same: bool) -> None:
    assert (identity(**changed) == identity(decay=changed.get("decay", TRAIN_CONFIG.decay))) is same


def test_the_identity_of_code_is_that_of_its_sources(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mgsa, "__file__", str(tmp_path / "__init__.py"))
    (tmp_path / "model").mkdir()
    source = tmp_path / "model" / "transformer.py"
    source.write_text("x = 1\n")
    first = code_identity()
    source.with_suffix(".pyc").write_text("compiled")
    assert code_identity() == first
    source.write_text("x = 2\n")
    assert code_identity() != first
