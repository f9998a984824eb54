"""Checkpoints: what comes back, what is refused, what is kept."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import torch
from torch import nn

from mgsa.data.batching import Position
from mgsa.errors import InputError
from mgsa.training.checkpoint import (
    folder_of,
    read_checkpoint,
    regular_updates,
    remove_checkpoints,
    save_checkpoint,
    saved_updates,
)
from mgsa.training.loss import LossSums
from mgsa.training.state import State
from mgsa.weights import named_tensors

STATE = State(
    update=7,
    tokens=31,
    position=Position(1, 3),
    interval=LossSums(0.1, 0.2, 3, 0.4, 5, 6),
    best_score=-1 / 3,
    best_update=6,
    bad_validations=1,
    validated_at=6,
    skipped_batches=2,
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


def save(folder: Path, update: int = 7) -> Path:
    """Write a checkpoint of something."""
    model, optimizer = model_and_optimizer(steps=2)
    save_checkpoint(
        folder,
        model,  # type: ignore[arg-type]
        optimizer,
        State(**{**vars(STATE), "update": update}),
        identity="abc",
        curves='{"update": 5}\n',
    )
    return folder_of(folder, update)


@pytest.mark.parametrize("steps", [0, 3])
def test_what_is_saved_comes_back_to_the_bit(tmp_path: Path, steps: int) -> None:
    model, optimizer = model_and_optimizer(steps=steps)
    save_checkpoint(tmp_path, model, optimizer, STATE, identity="abc", curves="")  # type: ignore[arg-type]
    other, other_optimizer = model_and_optimizer(steps=1)
    checkpoint = read_checkpoint(folder_of(tmp_path, 7))
    checkpoint.restore(other, other_optimizer if steps else torch.optim.Adam(other.parameters()))  # type: ignore[arg-type]
    assert (checkpoint.identity, checkpoint.state) == ("abc", STATE)
    for name, tensor in named_tensors(model).items():
        assert torch.equal(named_tensors(other)[name], tensor)
    assert other[0].weight is other[1].weight
    for ours, theirs in zip(model.parameters(), other.parameters(), strict=True):
        for key, value in optimizer.state.get(ours, {}).items():
            assert torch.equal(other_optimizer.state[theirs][key], value), key


@pytest.mark.parametrize("name", ["weights.safetensors", "optimizer.safetensors", "curves.jsonl"])
def test_a_file_cut_short_is_named(tmp_path: Path, name: str) -> None:
    path = save(tmp_path) / name
    path.write_bytes(path.read_bytes()[:-3])
    with pytest.raises(InputError, match=rf"{re.escape(str(path))}: damaged checkpoint: its SHA"):
        read_checkpoint(path.parent)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    path = save(tmp_path) / "optimizer.safetensors"
    path.unlink()
    with pytest.raises(InputError, match=r"optimizer\.safetensors: missing from the checkpoint"):
        read_checkpoint(path.parent)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"version": 1', '"version": 9', "expected a checkpoint of version 1"),
        ('"identity"', '"identify"', "damaged checkpoint: 'identity'"),
        ('"update": 7', '"update": -7', "state.update: expected a whole number at least 0, got -7"),
        ("}", "", "expected JSON"),
    ],
)
def test_a_wrong_state_is_named(tmp_path: Path, old: str, new: str, message: str) -> None:
    path = save(tmp_path) / "state.json"
    path.write_text(path.read_text().replace(old, new))
    with pytest.raises(InputError, match=rf"state\.json.*{re.escape(message)}"):
        read_checkpoint(path.parent)


def test_unfinished_folders_are_no_checkpoints_and_are_cleared_away(tmp_path: Path) -> None:
    for update in (2, 4, 6):
        save(tmp_path, update)
    (tmp_path / ".partial-xyz").mkdir()
    (tmp_path / "curves.jsonl").touch()
    assert saved_updates(tmp_path) == [2, 4, 6]
    remove_checkpoints(tmp_path, keep=[6, 2])
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "curves.jsonl",
        "step-00000002",
        "step-00000006",
    ]


def test_a_folder_that_is_not_there_has_no_checkpoints(tmp_path: Path) -> None:
    assert saved_updates(tmp_path / "none") == []


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
