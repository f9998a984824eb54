"""Settings of the stage `probe` that take a second, for tests to change."""

from __future__ import annotations

from typing import Any

from mgsa.base.settings import from_mapping
from mgsa.probing.settings import ProbeConfig

SCRATCH: dict[str, Any] = {
    "layers": 2,
    "phrase_layers": [1],
    "ngrams": [2, 3],
    "levels": [1, 2],
    "interaction_width": 8,
    "interaction_chunk": 4,
    "learning_rate": 0.01,
    "warmup": 2,
}
PROBE: dict[str, Any] = {
    "tasks": ["voice", "tense", "tss", "spc", "pos"],
    "encoders": ["pretrained"],
    "layers": "last",
    "hidden": 16,
    "dropout": 0.1,
    "learning_rate": 0.01,
    "batch_tokens": 60,
    "max_epochs": 3,
    "patience": 2,
    "bootstrap_samples": 50,
    "seed": 1,
    "scratch": SCRATCH,
}


def probe_config(**changes: Any) -> ProbeConfig:
    """`PROBE` but for these keys."""
    return from_mapping(ProbeConfig, PROBE | changes, "probe")
