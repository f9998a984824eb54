"""Checkpoints: what comes back, what is refused, what is kept."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import nn

from mgsa.base.errors import InputError
from mgsa.base.io import read_json, sha256, write_json
from mgsa.data.batching import Position
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
from mgsa.weights import load_tensors, named_tensors, save_tensors
from tests.mutations import mutated_json, refusal
from tests.pickle_bomb import pickle_bomb

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
        ('"identity"', '"identify"', "checkpoint.identity: missing; expected text"),
        ('"update": 7', '"update": -7', "state.update: expected a whole number at least 0, got -7"),
        ('"epoch": 1', '"epoch": -1', "state.position.epoch: expected a whole number at least 0"),
        ('"loss": 0.1', '"loss": NaN', "state.interval.loss: expected a number"),
        ('"curves.jsonl"', '"other.jsonl"', "checkpoint: files.curves.jsonl: missing"),
        ("}", "", "expected JSON"),
    ],
)
def test_a_wrong_state_is_named(tmp_path: Path, old: str, new: str, message: str) -> None:
    path = save(tmp_path) / "state.json"
    path.write_text(path.read_text().replace(old, new))
    with pytest.raises(InputError, match=rf"state\.json.*{re.escape(message)}"):
        read_checkpoint(path.parent)


def record(path: Path) -> None:
    """Let the state beside a file that was changed find it right."""
    state = path.with_name("state.json")
    content = read_json(state)
    content["files"][path.name] = sha256(path)
    write_json(state, content)


@pytest.mark.parametrize("name", ["weights.safetensors", "optimizer.safetensors", "curves.jsonl"])
def test_a_pickle_planted_with_its_hash_is_refused_unopened(tmp_path: Path, name: str) -> None:
    path = save(tmp_path) / name
    path.write_bytes(pickle_bomb(tmp_path / "evidence"))
    record(path)
    checkpoint = read_checkpoint(path.parent)
    model, optimizer = model_and_optimizer(steps=1)
    with pytest.raises(InputError, match=rf"{name}(:1)?: expected "):
        _ = checkpoint.curves, checkpoint.restore(model, optimizer)  # type: ignore[func-returns-value, arg-type]
    assert not (tmp_path / "evidence").exists()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"step.0.weight": None}, "optimizer state 'step.0.weight' is missing"),
        (
            {"step.0.weight": torch.zeros(2)},
            "optimizer state step.0.weight: expected torch.float32 of shape (), got torch.float32 "
            "of shape (2,)",
        ),
        (
            {"exp_avg.1.bias": torch.zeros(3, dtype=torch.float64)},
            "optimizer state exp_avg.1.bias: expected torch.float32 of shape (3,), got "
            "torch.float64 of shape (3,)",
        ),
        (
            {"exp_avg_sq.0.weight": torch.zeros(3, 1)},
            "optimizer state exp_avg_sq.0.weight: expected torch.float32 of shape (3, 3), got",
        ),
        ({"more": torch.zeros(1, dtype=torch.int64)}, "tensor more: expected floating-point numb"),
    ],
    ids=["missing", "step", "type", "shape", "integers"],
)
def test_the_state_of_another_optimizer_is_refused(
    tmp_path: Path, change: dict[str, torch.Tensor | None], message: str
) -> None:
    path = save(tmp_path) / "optimizer.safetensors"
    tensors = load_tensors(path) | change
    save_tensors({name: tensor for name, tensor in tensors.items() if tensor is not None}, path)
    record(path)
    checkpoint = read_checkpoint(path.parent)
    with pytest.raises(InputError, match=rf"optimizer\.safetensors: {re.escape(message)}"):
        checkpoint.restore(*model_and_optimizer(steps=1))  # type: ignore[arg-type]


@given(st.data())
def test_whatever_a_state_says(tmp_path_factory: pytest.TempPathFactory, data: Any) -> None:
    folder = tmp_path_factory.getbasetemp() / "checkpoints"
    path = save(folder) / "state.json"
    path.write_text(data.draw(mutated_json(read_json(path))), encoding="utf-8")
    said = refusal(lambda: read_checkpoint(path.parent))
    assert said is None or said.startswith(str(path.parent))


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
