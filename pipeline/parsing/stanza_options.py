"""The settings of stanza's trainings, and how its code takes them: as flags."""

from __future__ import annotations

from dataclasses import dataclass

from mgsa.settings import Count, NonNegative, Positive, Probability


@dataclass(frozen=True)
class TrainingSettings:
    """Sizes and lengths of the two trainings; batches are of sentences."""

    seed: Count
    vector_dim: Positive
    tagger_hidden: Positive
    tagger_steps: Positive
    tagger_batch: Positive
    tagger_learning_rate: NonNegative
    tagger_dropout: Probability
    tagger_word_dropout: Probability
    parser_hidden: Positive
    parser_epochs: Positive
    parser_batch: Positive


def flags(**options: object) -> list[str]:
    """Command-line flags: what stanza's own parsers of arguments take."""
    return [str(part) for name, value in options.items() for part in (f"--{name}", value)]
