"""Checkpoints: a folder each, `step-00000123`, that appears whole or not at all.

It holds the weights and Adam's means as safetensors, the curves so far, and `state.json`: where the
run stands, which run it is (`identity`), and the SHA-256 of the other files. Nothing is pickled.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from mgsa.base.errors import InputError
from mgsa.base.io import atomic_folder, open_to_write, read_json, sha256, write_json
from mgsa.base.settings import from_excerpt, to_mapping
from mgsa.model.encoder_decoder import EncoderDecoder
from mgsa.training.curves import read_curves
from mgsa.training.optimizer import load_optimizer_tensors, optimizer_tensors
from mgsa.training.state import State
from mgsa.weights import load_tensors, load_weights, named_tensors, save_tensors

VERSION = 1
WEIGHTS, OPTIMIZER, CURVES = "weights.safetensors", "optimizer.safetensors", "curves.jsonl"
_STATE = "state.json"
_REMEDY = "remove the folder to resume from the checkpoint before it"
_FOLDER = re.compile(r"step-(\d{8,})")


@dataclass(frozen=True)
class _Content:
    """What is read of `state.json`."""

    identity: str
    files: dict[str, str]
    state: State

    def __post_init__(self) -> None:
        for name in (WEIGHTS, OPTIMIZER, CURVES):
            if name not in self.files:
                raise ValueError(f"files.{name}: missing")


@dataclass(frozen=True)
class Checkpoint:
    """A checkpoint whose files are all there and undamaged."""

    folder: Path
    identity: str
    state: State

    @property
    def weights(self) -> Path:
        """The model's weights at this update."""
        return self.folder / WEIGHTS

    @property
    def curves(self) -> str:
        """The curves up to this update."""
        return read_curves(self.folder / CURVES)

    def restore(self, model: EncoderDecoder, optimizer: torch.optim.Adam) -> None:
        """Put the weights and Adam's means back."""
        load_weights(model, self.weights)
        path = self.folder / OPTIMIZER
        load_optimizer_tensors(optimizer, model, load_tensors(path), path=path)


def save_checkpoint(
    checkpoints: Path,
    model: EncoderDecoder,
    optimizer: torch.optim.Adam,
    state: State,
    *,
    identity: str,
    curves: str,
) -> None:
    """Write the checkpoint of the present update into the folder of checkpoints."""
    with atomic_folder(folder_of(checkpoints, state.update)) as folder:
        save_tensors(named_tensors(model), folder / WEIGHTS)
        save_tensors(optimizer_tensors(optimizer, model), folder / OPTIMIZER)
        with open_to_write(folder / CURVES) as file:
            file.write(curves)
        content = {
            "version": VERSION,
            "identity": identity,
            "state": to_mapping(state),
            "files": {name: sha256(folder / name) for name in (WEIGHTS, OPTIMIZER, CURVES)},
        }
        write_json(folder / _STATE, content)


def read_checkpoint(folder: Path) -> Checkpoint:
    """Open a checkpoint and check every file of it.

    Raises:
        InputError: a file is missing, cut short, changed, or of another version.
    """
    try:
        content: Any = read_json(folder / _STATE)
    except InputError as error:
        raise InputError(f"{error}; {_REMEDY}") from None
    if not isinstance(content, dict) or content.get("version") != VERSION:
        raise InputError(f"expected a checkpoint of version {VERSION}", path=folder / _STATE)
    found = from_excerpt(_Content, content, f"{folder / _STATE}: checkpoint")
    for name in (WEIGHTS, OPTIMIZER, CURVES):
        path = folder / name
        if not path.is_file():
            raise InputError(f"missing from the checkpoint; {_REMEDY}", path=path)
        if sha256(path) != found.files[name]:
            raise InputError(
                f"damaged checkpoint: its SHA-256 is not the recorded one; {_REMEDY}", path=path
            )
    return Checkpoint(folder=folder, identity=found.identity, state=found.state)


def folder_of(checkpoints: Path, update: int) -> Path:
    """Where the checkpoint of `update` lies."""
    return checkpoints / f"step-{update:08d}"


def saved_updates(checkpoints: Path) -> list[int]:
    """The updates that have a checkpoint, in order."""
    if not checkpoints.is_dir():
        return []
    matches = (_FOLDER.fullmatch(path.name) for path in checkpoints.iterdir() if path.is_dir())
    return sorted(int(match[1]) for match in matches if match)


def regular_updates(updates: Iterable[int], *, every: int, keep: int, last: int = 0) -> list[int]:
    """The newest `keep` checkpoints that every run of these settings has, in order.

    Those are the ones at multiples of `every`, and the `last` of a run that is over. One saved on a
    signal, or for a best score in between, isn't: an average must not depend on where a run was
    stopped and taken up again.
    """
    regular = [update for update in sorted(updates) if update % every == 0 or update == last]
    return regular[-keep:]


def remove_checkpoints(checkpoints: Path, *, keep: Iterable[int]) -> None:
    """Remove all checkpoints but those of the updates `keep`, and what killed runs left behind."""
    kept = set(keep)
    for update in saved_updates(checkpoints):
        if update not in kept:
            # Renamed first: what is removed in part is no checkpoint.
            folder = folder_of(checkpoints, update)
            folder.replace(checkpoints / f".partial-{folder.name}")
    for partial in checkpoints.glob(".partial-*"):
        if partial.is_dir():
            shutil.rmtree(partial)
        else:
            partial.unlink()
