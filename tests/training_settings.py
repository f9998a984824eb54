"""Settings of a model and a training run that take a second, for tests to change."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from tests.run_section import RUN

MODEL: dict[str, Any] = {
    "kind": "transformer",
    "encoder_layers": 2,
    "decoder_layers": 1,
    "dim": 16,
    "ffn_dim": 32,
    "heads": 4,
    "norm": "pre",
    "dropout": 0.1,
    "attention_dropout": 0.1,
    "activation_dropout": 0.1,
    "share_embeddings": "all",
    "multi_granularity": {
        "layers": [1],
        "granularities": ["syntactic_1", "syntactic_2", "ngram_2"],
        "group_heads": [1, 1, 1, 1],
        "ngram_unit": "subword",
        "composition": "self_attention",
        "composition_width": 8,
        "interaction": "on_lstm",
        "interaction_width": 8,
        "interaction_chunk": 4,
        "interaction_norm": True,
        "membership": "none",
        "boundaries": "none",
        "tags": True,
        "tag_weight": 0.1,
    },
    "phrase_attention": None,
    "alignment": None,
}
RNN: dict[str, Any] = {
    "kind": "rnn",
    "encoder_layers": 2,
    "decoder_layers": 1,
    "dim": 16,
    "attention": "key_value",
    "dropout": 0.1,
    "init_std": 0.2,
    "share_embeddings": "all",
    "alignment": None,
}
ALIGNMENT: dict[str, Any] = {"layer": 1, "full_context": True, "sentences": 0.5, "weight": 0.05}
"""A head that aligns sentences drawn at random."""
TRAIN: dict[str, Any] = {
    "initial": None,
    "frozen": [],
    "seed": 3,
    "precision": "32-true",
    "compile": False,
    "batch_tokens": 60,
    "batch_sentences": None,
    "accumulate": 1,
    "shuffle_window": 40,
    "max_epochs": 100,
    "max_updates": 12,
    "bpe_dropout": 0.0,
    "max_seconds": None,
    "optimizer_betas": [0.9, 0.98],
    "optimizer_eps": 1e-9,
    "learning_rate": 0.01,
    "warmup": 4,
    "decay": "inverse_sqrt",
    "label_smoothing": 0.1,
    "clip_norm": 1.0,
    "validate_every": 5,
    "validation_beam": 1,
    "validation_sentences": 6,
    "patience": None,
    "best_by": "loss",
    "log_every": 2,
    "checkpoint_every": 4,
    "keep_last": 2,
    "artifact": "best",
}


def model_settings(changes: dict[str, Any]) -> dict[str, Any]:
    """`MODEL`, or `RNN` if that is the kind that is asked for, but for these keys."""
    return (RNN if changes.get("kind") == "rnn" else MODEL) | changes


def write_settings(path: Path, *, model: dict[str, Any], train: dict[str, Any]) -> Path:
    """Write a configuration that differs from the above by these keys; give its path back."""
    content = {"model": model_settings(model), "train": TRAIN | train, "run": RUN}
    path.write_text(yaml.safe_dump(content), encoding="utf-8")
    return path
