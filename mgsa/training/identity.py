"""Which run it is: settings and data of which every checkpoint must come from."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import mgsa
from mgsa.base.io import sha256
from mgsa.base.settings import to_mapping
from mgsa.config import ModelConfig, TrainConfig

_MAY_CHANGE = frozenset({"max_epochs", "max_updates", "patience", "log_every"})
"""Settings of when to stop and how often to write a line: a run that goes on under other values
ends as one that had them from the start."""

_WHO_COMPUTES = frozenset({"devices", "nodes", "accumulate"})
"""Settings that share out an update's micro-batches. Only how many those are is the run's: it may
go on with more devices that accumulate less, equal then up to float rounding."""


def run_identity(
    model: ModelConfig, train: TrainConfig, *, micro_batches: int, dataset: str, code: str | None
) -> str:
    """A hash of what determines the weights of each update, and which of them are kept.

    Args:
        micro_batches: of an update, over all processes.
        dataset: the dataset's own identity.
        code: `code_identity`, or `None` where a run may go on under other code.
    """
    settings = to_mapping(train)
    content = {
        "model": to_mapping(model),
        "train": {k: v for k, v in settings.items() if k not in _MAY_CHANGE | _WHO_COMPUTES},
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
