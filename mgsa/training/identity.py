"""Which run it is: settings and data of which every checkpoint must come from."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from mgsa.config import ModelConfig, TrainConfig
from mgsa.settings import to_mapping

_MAY_CHANGE = frozenset({"max_epochs", "max_updates", "patience", "log_every"})
"""Settings of when to stop and how often to write a line: a run that goes on under other values
ends as one that had them from the start."""

_BATCHES_OF_UPDATE = ("devices", "nodes", "accumulate")
"""Settings that say who computes an update's micro-batches; only their number is the run's, so a
run may go on with more devices that accumulate less (equal then up to float rounding)."""


def run_identity(model: ModelConfig, train: TrainConfig, *, dataset: str) -> str:
    """A hash of what determines the weights of each update, and which of them are kept.

    Args:
        dataset: the dataset's own identity.
    """
    settings: dict[str, Any] = to_mapping(train)
    micro_batches = 1
    for key in _BATCHES_OF_UPDATE:
        micro_batches *= settings.pop(key)
    settings = {key: value for key, value in settings.items() if key not in _MAY_CHANGE}
    content = {
        "model": to_mapping(model),
        "train": settings,
        "micro_batches": micro_batches,
        "dataset": dataset,
    }
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()
