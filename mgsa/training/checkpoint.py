"""Checkpoints: a folder each, `step-00000123`, written atomically; nothing in it is pickled.

weights.safetensors    the model's weights
optimizer.safetensors  Adam's moments
state.json             position in the data, identity of the run, curves
"""

import hashlib
import json
import re
import shutil
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import torch
from torch import Tensor, nn

import mgsa
from mgsa.artifact.weights import load_tensors, load_weights, named_tensors, save_tensors
from mgsa.cli.errors import InputError
from mgsa.cli.files import PARTIAL, no_file, read_json, write_json
from mgsa.cli.outputs import MANIFEST, atomic_folder, sha256
from mgsa.cli.settings import from_mapping, to_mapping
from mgsa.config import ModelConfig, TrainConfig
from mgsa.data.batching import Position
from mgsa.training.loss import LossSums

WEIGHTS, OPTIMIZER, STATE = "weights.safetensors", "optimizer.safetensors", "state.json"
_MOMENTS = ("step", "exp_avg", "exp_avg_sq")
_MAY_CHANGE = frozenset(
    {"max_epochs", "max_updates", "max_seconds", "patience", "log_every", "accumulate", "artifact"}
)
"""Settings that a resumed run may change: when to stop (unless the learning rate falls to zero
there), how often to log, which weights become the artifact, and `accumulate` if the micro-batches
of an update over all processes stay as many."""


@dataclass
class State:
    """A run between two updates, without weights and Adam's moments."""

    identity: str  #: `run_identity`.
    update: int = 0  #: number of updates made.
    tokens: int = 0  #: target tokens seen, end of sentence included.
    seconds: float = 0.0  #: spent, over all resumptions; counted if they are limited.
    position: Position = field(default=Position(0, 0))  #: the next data.
    interval: LossSums = field(default=LossSums())  #: losses since the last line of the curves.
    best_score: float | None = None  #: highest validation score, `None` before the first.
    best_update: int = 0  #: update of the best score.
    bad_validations: int = 0  #: validations since then.
    validated_at: int = 0  #: update of the last validation, 0 before the first.
    skipped_batches: int = 0  #: batches that did not fit into memory.
    #: losses and scores by `update`, without times, so that they are deterministic.
    curves: list[dict[str, int | float]] = field(default_factory=list)
    files: dict[str, str] = field(default_factory=dict)  #: SHA-256 of weights and moments, saved.

    def validated(self, score: float) -> None:
        """Record a validation score; a tie is no improvement."""
        self.validated_at = self.update
        if self.best_score is None or score > self.best_score:
            self.best_score, self.best_update, self.bad_validations = score, self.update, 0
        else:
            self.bad_validations += 1


def save_checkpoint(
    checkpoints: Path, model: nn.Module, optimizer: torch.optim.Adam, state: State
) -> None:
    """Write the checkpoint of `state.update`; others' files in its folder are kept."""
    moments = {
        f"{key}.{name}": value
        for name, parameter in model.named_parameters()
        for key, value in optimizer.state.get(parameter, {}).items()
    }
    path = folder_of(checkpoints, state.update)
    with atomic_folder(path) as folder:
        if path.exists():
            ours = shutil.ignore_patterns(WEIGHTS, OPTIMIZER, STATE)
            shutil.copytree(path, folder, ignore=ours, dirs_exist_ok=True)
        save_tensors(named_tensors(model), folder / WEIGHTS)
        save_tensors(moments, folder / OPTIMIZER)
        state.files = {name: sha256(folder / name) for name in (WEIGHTS, OPTIMIZER)}
        write_json(folder / STATE, to_mapping(state))


def read_state(
    checkpoints: Path, update: int, names: Sequence[str] = (WEIGHTS, OPTIMIZER)
) -> State:
    """The state after an update, whose files of these names are checked.

    Raises:
        InputError: it is missing, damaged, of another version or update, or has other files.
    """
    folder = folder_of(checkpoints, update)
    state = from_mapping(State, read_json(folder / STATE), f"{folder / STATE}: checkpoint")
    if state.update != update:
        raise InputError(f"expected update {update}, found {state.update}", path=folder / STATE)
    for name in state.files.keys() & names:
        if not (folder / name).is_file():
            raise no_file(folder / name)
        if sha256(folder / name) != state.files[name]:
            message = "expected the file that was saved with its state; without its folder a run"
            raise InputError(f"{message} goes on from the one before", path=folder / name)
    return state


def restore(folder: Path, model: nn.Module, optimizer: torch.optim.Adam) -> None:
    """Load a checkpoint's weights and moments; an `InputError` if they are damaged or don't fit."""
    load_weights(model, folder / WEIGHTS)
    tensors = load_tensors(folder / OPTIMIZER)
    state = {
        index: {key: tensors[f"{key}.{name}"] for key in _MOMENTS}
        for index, (name, _) in enumerate(model.named_parameters())
        if f"step.{name}" in tensors  # absent before the first gradient
    }
    groups = optimizer.state_dict()["param_groups"]
    optimizer.load_state_dict({"state": state, "param_groups": groups})


def average(checkpoints: Path, updates: Sequence[int], identity: str) -> dict[str, Tensor]:
    """Mean weights of a run's checkpoints (Vaswani et al. 2017, section 6.1), in float64.

    One file is in memory at a time. Errors are as of `read_state`, or one is of another run.
    """
    for update in updates:
        if read_state(checkpoints, update, [WEIGHTS]).identity != identity:
            folder = folder_of(checkpoints, update)
            raise InputError("expected a checkpoint of this run, found another's", path=folder)
    first, *others = (folder_of(checkpoints, update) / WEIGHTS for update in updates)
    weights = load_tensors(first)
    sums = {name: tensor.double() for name, tensor in weights.items()}
    for path in others:
        for name, tensor in load_tensors(path).items():
            sums[name] += tensor
    return {name: (sums[name] / len(updates)).to(weights[name].dtype) for name in weights}


def folder_of(checkpoints: Path, update: int) -> Path:
    """The folder of the checkpoint after an update."""
    return checkpoints / f"step-{update:08d}"


def saved_updates(checkpoints: Path) -> list[int]:
    """The updates with a checkpoint, in order."""
    return sorted(u for u, path in _folders(checkpoints).items() if (path / STATE).exists())


def _folders(checkpoints: Path) -> dict[int, Path]:
    matches = (re.fullmatch(r"step-(\d{8,})", path.name) for path in checkpoints.glob("step-*"))
    return {int(match[1]): checkpoints / match[0] for match in matches if match}


def regular_updates(updates: Iterable[int], *, every: int, keep: int, last: int = 0) -> list[int]:
    """The newest `keep` updates at multiples of `every`, and the `last` of a finished run.

    Checkpoints saved on a signal or for a best score are left out: an average must not depend on
    where a run was resumed.
    """
    regular = [update for update in sorted(updates) if update % every == 0 or update == last]
    return regular[-keep:]


def remove_checkpoints(checkpoints: Path, *, keep: Iterable[int]) -> None:
    """Remove all checkpoints but those of the updates `keep`, and stale temporary folders.

    Other files in their folders are left there.
    """
    folders = _folders(checkpoints)
    for folder in (folders[update] for update in folders.keys() - set(keep)):
        for name in (STATE, OPTIMIZER, WEIGHTS):  # without its state it is no checkpoint
            (folder / name).unlink(missing_ok=True)
        with suppress(OSError):  # it is not empty
            folder.rmdir()
    for partial in checkpoints.glob(f"{PARTIAL}*"):
        shutil.rmtree(partial)


def run_identity(
    model: ModelConfig, train: TrainConfig, *, micro_batches: int, dataset: str, code: str | None
) -> str:
    """A hash of what determines the weights of each update, and which of them are kept.

    `micro_batches` are those of an update over all processes, `dataset` is the manifest's identity,
    `code` is `code_identity` (`None`: any code may resume the run). Of `train.initial`, the
    artifact counts, wherever it is.
    """
    may_change = _MAY_CHANGE - ({"max_epochs", "max_updates"} if train.decay == "linear" else set())
    settings = {k: v for k, v in to_mapping(train).items() if k not in may_change}
    if train.initial is not None:
        manifest = Path(train.initial) / MANIFEST
        if not manifest.is_file():
            raise no_file(manifest)
        settings["initial"] = sha256(manifest)
    content = {
        "model": to_mapping(model),
        "train": settings,
        "micro_batches": micro_batches,
        "dataset": dataset,
        "code": code,
    }
    return _hash(content)


def code_identity(*others: Path) -> str:
    """A hash of this package's sources, and of other files."""
    package = Path(mgsa.__file__).parent
    sources = {str(path.relative_to(package)): sha256(path) for path in package.rglob("*.py")}
    return _hash(sources | {f"other/{path.name}": sha256(path) for path in others})


def _hash(content: Mapping[str, object]) -> str:
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()
