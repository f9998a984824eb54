"""Checkpoints: a folder each, `step-00000123`, written atomically; nothing in it is pickled.

weights.safetensors    the model's weights
optimizer.safetensors  Adam's moments
curves.jsonl           the curves so far
state.json             where the run stands, its identity, the SHA-256 of the other files
"""

from __future__ import annotations

import hashlib
import json
import re
import shutil
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import torch
from torch import Tensor, nn

import mgsa
from mgsa.base.errors import InputError
from mgsa.base.io import (
    PARTIAL,
    atomic_folder,
    open_to_write,
    read_json,
    read_text,
    sha256,
    write_json,
)
from mgsa.base.settings import from_mapping, to_mapping
from mgsa.config import ModelConfig, TrainConfig
from mgsa.training.progress import State
from mgsa.weights import load_tensors, load_weights, named_tensors, save_tensors

WEIGHTS, OPTIMIZER, CURVES = "weights.safetensors", "optimizer.safetensors", "curves.jsonl"
_STATE = "state.json"
_FILES = (WEIGHTS, OPTIMIZER, CURVES)
_REMEDY = "remove the folder to resume from the checkpoint before it"
_FOLDER = re.compile(r"step-(\d{8,})")

_MAY_CHANGE = frozenset({"max_epochs", "max_updates", "patience", "log_every", "accumulate"})
"""Settings of training that a resumed run may change: when to stop, how often to write a line, and
how an update's micro-batches are shared out, as long as they are as many."""


@dataclass(frozen=True)
class _Content:
    """`state.json`."""

    version: Literal[1]
    identity: str
    state: State
    files: dict[str, str]


@dataclass(frozen=True)
class Checkpoint:
    """A checkpoint whose files are all there and undamaged."""

    folder: Path
    identity: str
    state: State

    @property
    def curves(self) -> str:
        """The curves up to this update."""
        return read_text(self.folder / CURVES)

    def restore(self, model: nn.Module, optimizer: torch.optim.Adam) -> None:
        """Load the weights and Adam's moments."""
        load_weights(model, self.folder / WEIGHTS)
        tensors = load_tensors(self.folder / OPTIMIZER)
        if tensors:  # nothing before the first update
            keys = ("step", "exp_avg", "exp_avg_sq")
            state = {
                index: {key: tensors[f"{key}.{name}"] for key in keys}
                for index, (name, _) in enumerate(model.named_parameters())
            }
            groups = optimizer.state_dict()["param_groups"]
            optimizer.load_state_dict({"state": state, "param_groups": groups})


def save_checkpoint(
    checkpoints: Path,
    model: nn.Module,
    optimizer: torch.optim.Adam,
    state: State,
    *,
    identity: str,
    curves: str,
) -> None:
    """Write the checkpoint of the present update into the folder of checkpoints."""
    moments: dict[str, Tensor] = {
        f"{key}.{name}": value
        for name, parameter in model.named_parameters()
        for key, value in optimizer.state.get(parameter, {}).items()
    }
    with atomic_folder(folder_of(checkpoints, state.update)) as folder:
        save_tensors(named_tensors(model), folder / WEIGHTS)
        save_tensors(moments, folder / OPTIMIZER)
        with open_to_write(folder / CURVES) as file:
            file.write(curves)
        files = {name: sha256(folder / name) for name in _FILES}
        write_json(folder / _STATE, to_mapping(_Content(1, identity, state, files)))


def read_checkpoint(folder: Path) -> Checkpoint:
    """Open a checkpoint and check every file of it.

    Raises:
        InputError: a file is missing, cut short, changed, or of another version.
    """
    path = folder / _STATE
    try:
        content = from_mapping(_Content, read_json(path), f"{path}: checkpoint")
    except InputError as error:
        raise InputError(f"{error}; {_REMEDY}") from None
    for name, recorded in content.files.items():
        path = folder / name
        if not path.is_file() or sha256(path) != recorded:
            problem = "its SHA-256 is not the recorded one" if path.is_file() else "no such file"
            raise InputError(f"damaged checkpoint: {problem}; {_REMEDY}", path=path)
    return Checkpoint(folder, content.identity, content.state)


def folder_of(checkpoints: Path, update: int) -> Path:
    """The folder of the checkpoint of `update`."""
    return checkpoints / f"step-{update:08d}"


def saved_updates(checkpoints: Path) -> list[int]:
    """The updates that have a checkpoint, in order."""
    if not checkpoints.is_dir():
        return []
    matches = (_FOLDER.fullmatch(path.name) for path in checkpoints.iterdir() if path.is_dir())
    return sorted(int(match[1]) for match in matches if match)


def regular_updates(updates: Iterable[int], *, every: int, keep: int, last: int = 0) -> list[int]:
    """The newest `keep` checkpoints that every run of these settings has, in order.

    Those are the ones at multiples of `every`, and the `last` of a finished run. One saved on a
    signal or for a best score is not among them: an average must not depend on where a run was
    resumed.
    """
    regular = [update for update in sorted(updates) if update % every == 0 or update == last]
    return regular[-keep:]


def remove_checkpoints(checkpoints: Path, *, keep: Iterable[int]) -> None:
    """Remove all checkpoints but those of the updates `keep`, and what killed runs left."""
    for update in set(saved_updates(checkpoints)) - set(keep):
        # Renamed first, so that a folder removed in part is no checkpoint.
        folder = folder_of(checkpoints, update)
        folder.replace(checkpoints / f"{PARTIAL}{folder.name}")
    for partial in checkpoints.glob(f"{PARTIAL}*"):
        shutil.rmtree(partial) if partial.is_dir() else partial.unlink()


def run_identity(
    model: ModelConfig, train: TrainConfig, *, micro_batches: int, dataset: str, code: str | None
) -> str:
    """A hash of what determines the weights of each update, and which of them are kept.

    Args:
        micro_batches: of an update, over all processes.
        dataset: the dataset's own identity.
        code: `code_identity`, or `None` where a run may resume under other code.
    """
    content = {
        "model": to_mapping(model),
        "train": {k: v for k, v in to_mapping(train).items() if k not in _MAY_CHANGE},
        "micro_batches": micro_batches,
        "dataset": dataset,
        "code": code,
    }
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def code_identity() -> str:
    """A hash of this package's sources."""
    package = Path(mgsa.__file__).parent
    sources = {str(path.relative_to(package)): sha256(path) for path in package.rglob("*.py")}
    return hashlib.sha256(json.dumps(sources, sort_keys=True).encode()).hexdigest()
