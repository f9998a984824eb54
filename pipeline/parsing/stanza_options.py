"""The settings of stanza's trainings, and how its code takes them: as flags."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from mgsa.settings import LearningRate, Probability, Range, Seed, Width

# What stanza's code does with numbers is not ours to check; these are far from its limits.
Rounds = Annotated[int, Range(minimum=1, maximum=10_000_000)]
Batch = Annotated[int, Range(minimum=1, maximum=100_000)]


@dataclass(frozen=True)
class TrainingSettings:
    """Sizes and lengths of the two trainings; batches are of sentences."""

    seed: Seed
    vector_dim: Width
    tagger_hidden: Width
    tagger_steps: Rounds
    tagger_batch: Batch
    tagger_learning_rate: LearningRate
    tagger_dropout: Probability
    tagger_word_dropout: Probability
    parser_hidden: Width
    parser_epochs: Rounds
    parser_batch: Batch


def flags(**options: object) -> list[str]:
    """Command-line flags: what stanza's own parsers of arguments take."""
    return [str(part) for name, value in options.items() for part in (f"--{name}", value)]
