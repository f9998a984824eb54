"""Settings of the stage `contrast`."""

from dataclasses import dataclass

from mgsa.cli.settings import Positive, Resamples, Seed


@dataclass(frozen=True)
class ContrastSettings:
    """Padded subwords of a batch; resamples of intervals and trials of the randomisation test."""

    batch_tokens: Positive
    bootstrap_samples: Resamples
    randomization_trials: Positive
    seed: Seed
