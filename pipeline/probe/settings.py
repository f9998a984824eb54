"""Types and ranges of the `probe` settings; `conf/config.yaml` documents the keys."""

from dataclasses import dataclass
from typing import Literal

from mgsa.cli.settings import NonNegative, Positive, Probability, Resamples, Seed, check_each_once

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
    """Encoders trained on a task from scratch (Hao et al. 2019, section 4.4)."""

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
    """Classifiers of an encoder's states, and their training."""

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
