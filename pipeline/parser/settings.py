"""Settings of the stage `parser`, one class for each kind of parser."""

from dataclasses import dataclass
from typing import Annotated, Literal

from annotated_types import Interval

from mgsa.cli.settings import InputPath, NonNegative, Positive, Seed

Rounds = Annotated[int, Interval(ge=1, le=10_000_000)]
Batch = Annotated[int, Interval(ge=1, le=100_000)]


@dataclass(frozen=True)
class TrainingSettings:
    """Hyperparameters of the parser's training; a batch is of sentences."""

    seed: Seed
    vector_dim: Positive
    hidden: Positive
    epochs: Rounds
    batch: Batch
    learning_rate: NonNegative


@dataclass(frozen=True)
class TrainedParser:
    """Train on the named treebank files; `null`: those of the corpus."""

    kind: Literal["train"]
    train: InputPath | None
    dev: InputPath | None
    training: TrainingSettings


@dataclass(frozen=True)
class StanzaParser:
    """A package of stanza's: downloaded, or from a local resources folder.

    `dev` is a treebank to score it on (`null`: none).
    """

    kind: Literal["stanza"]
    package: str
    resources: InputPath | None
    dev: InputPath | None


@dataclass(frozen=True)
class ReadyTrees:
    """No parser: trees of each split's sentences, kept or all; `null`: those of the corpus."""

    kind: Literal["trees"]
    train: InputPath | None
    valid: InputPath | None
    test: InputPath | None


@dataclass(frozen=True)
class NoParser:
    """No parser: flat trees, for models without syntax."""

    kind: Literal["none"]


ParserSettings = TrainedParser | StanzaParser | ReadyTrees | NoParser
