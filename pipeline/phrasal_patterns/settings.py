"""Settings of the stage `phrasal_patterns`."""

from dataclasses import dataclass
from itertools import pairwise

from mgsa.cli.settings import Positive, Resamples, Seed
from pipeline.statistics.bleu_tokenizers import BleuTokenizer


@dataclass(frozen=True)
class PhrasalPatternsSettings:
    """N-gram sizes; `source_lengths` are the upper ends of all length bins but the last."""

    max_ngram: Positive
    max_category_ngram: Positive
    bleu_tokenizer: BleuTokenizer
    source_lengths: tuple[Positive, ...]
    bootstrap_samples: Resamples
    seed: Seed

    def __post_init__(self) -> None:
        if any(one >= other for one, other in pairwise(self.source_lengths)):
            raise ValueError("source_lengths: expected each larger than the one before")
