"""The settings of stanza's trainings, and how its code takes them: as flags."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from annotated_types import Interval

from mgsa.base.settings import NonNegative, Positive, Probability, Seed

# What stanza's code does with numbers is not ours to check; these are far from its limits.
Rounds = Annotated[int, Interval(ge=1, le=10_000_000)]
Batch = Annotated[int, Interval(ge=1, le=100_000)]


@dataclass(frozen=True)
class TrainingSettings:
    """Sizes and lengths of the two trainings; batches are of sentences."""

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


def flags(**options: object) -> list[str]:
    """Command-line flags: what stanza's own parsers of arguments take."""
    return [str(part) for name, value in options.items() for part in (f"--{name}", value)]
