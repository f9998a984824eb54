"""Types and ranges of the `probe` settings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from mgsa.base.settings import (
    NonNegative,
    Positive,
    Probability,
    Resamples,
    Seed,
    check_each_once,
)

Task = Literal["voice", "tense", "tss", "spc", "pos"]
EncoderName = Literal[
    "pretrained",
    "scratch_transformer",
    "scratch_ngram",
    "scratch_syntactic",
    "scratch_syntactic_on_lstm",
]
PRETRAINED = "pretrained"
"""The frozen encoder of a translation model; other encoders are trained on the task."""


@dataclass(frozen=True)
class ScratchConfig:
    """Encoders trained on a task from scratch, with the widths, heads and dropout of a model.

    Attributes:
        layers: number of layers (Hao et al. 2019, section 4.4: three).
        phrase_layers: those with phrases, counted from the bottom.
        ngrams: sizes that `scratch_ngram` attends to besides words.
        levels: syntactic levels that the syntactic encoders attend to besides words.
        interaction_width, interaction_chunk: as in `MultiGranularityConfig`.
        learning_rate: of encoder and classifier, reached after `warmup` updates.
    """

    layers: Positive
    phrase_layers: tuple[Positive, ...]
    ngrams: tuple[Positive, ...]
    levels: tuple[Positive, ...]
    interaction_width: Positive
    interaction_chunk: Positive
    learning_rate: NonNegative
    warmup: Positive

    def __post_init__(self) -> None:
        for name in ("phrase_layers", "ngrams", "levels"):
            check_each_once(name, getattr(self, name))
        if max(self.phrase_layers) > self.layers:
            raise ValueError(
                f"phrase_layers: expected 1 to {self.layers} (layers), "
                f"got {max(self.phrase_layers)}"
            )
        if self.interaction_width % self.interaction_chunk:
            raise ValueError(
                f"interaction_chunk: expected a divisor of interaction_width "
                f"({self.interaction_width}), got {self.interaction_chunk}"
            )


@dataclass(frozen=True)
class ProbeConfig:
    """Classifiers of an encoder's states, and their training.

    Attributes:
        layers: of pretrained encoders: a probe on the last one, or on each.
        hidden: units of the classifier's hidden layer.
        dropout: of these units.
        learning_rate: of Adam, with frozen encoders.
        batch_tokens: most source positions of a batch, with padding.
        max_epochs: early stopping comes after `patience` epochs without a higher accuracy on
            `valid`.
        bootstrap_samples: resamples for intervals.
    """

    tasks: tuple[Task, ...]
    encoders: tuple[EncoderName, ...]
    layers: Literal["last", "all"]
    hidden: Positive
    dropout: Probability
    learning_rate: NonNegative
    batch_tokens: Positive
    max_epochs: Positive
    patience: Positive
    bootstrap_samples: Resamples
    seed: Seed
    scratch: ScratchConfig

    def __post_init__(self) -> None:
        check_each_once("tasks", self.tasks)
        check_each_once("encoders", self.encoders)
