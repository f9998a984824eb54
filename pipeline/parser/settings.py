"""Settings of the stage `parser`, one class for each kind of parser."""

from dataclasses import dataclass
from typing import Annotated, Literal

from annotated_types import Interval

from mgsa.cli.settings import InputPath, NonNegative, Positive, Probability, Seed

Rounds = Annotated[int, Interval(ge=1, le=10_000_000)]
Batch = Annotated[int, Interval(ge=1, le=100_000)]


@dataclass(frozen=True)
class TrainingSettings:
    """Hyperparameters of both trainings; batches are of sentences."""

    seed: Seed
    vector_dim: Positive
    tagger_hidden: Positive
    tagger_steps: Rounds
    tagger_batch: Batch
    tagger_learning_rate: NonNegative
    tagger_dropout: Probability
    tagger_word_dropout: Probability
    parser_hidden: Positive
    parser_epochs: Rounds
    parser_batch: Batch
    parser_learning_rate: NonNegative


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
