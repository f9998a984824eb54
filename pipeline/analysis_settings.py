"""Settings of the stages that look at a trained model: translations, attention, what it encodes.

Apart from those stages, so that the check of all sections needs none of what the stages import.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from mgsa.base.settings import Count, Positive, Resamples, Seed

SHARES = "attention_shares.csv"
"""The table that the stage `analyze` writes, and the page shows."""


@dataclass(frozen=True)
class AnalyzeSettings:
    """`split`: whose attention is counted; `sentences`: its rows that maps are drawn of."""

    split: str
    sentences: tuple[Count, ...]
    figures: Literal["svg", "png"]
    batch_tokens: Positive

    def __post_init__(self) -> None:
        if len(set(self.sentences)) != len(self.sentences):
            raise ValueError("sentences: expected each once")


@dataclass(frozen=True)
class PhrasalPatternsSettings:
    """Up to which size n-grams are counted, and those of each syntactic category.

    `source_lengths` are the largest numbers of source words of all bins but the last.
    """

    max_ngram: Positive
    max_category_ngram: Positive
    bleu_tokenizer: Literal["13a", "intl", "zh", "char", "none"]
    source_lengths: tuple[Positive, ...]
    bootstrap_samples: Resamples
    seed: Seed

    def __post_init__(self) -> None:
        if any(one >= other for one, other in pairwise(self.source_lengths)):
            raise ValueError("source_lengths: expected each larger than the one before")


@dataclass(frozen=True)
class ProbeDataSettings:
    """What probes learn from, and are tested on.

    Attributes:
        trees: whose labels: `parsed`: the parser's trees of the training split; `gold`: those that
            the corpus brought for it; anything else: a file of bracketed trees, with their words.
        sentences: the most to take; of fewer different ones, all.
        shares: of train, valid and test; what division leaves over is train's.
        tss_classes: the most frequent top-level syntactic sequences; the others share one more.
        seed: of the choice of sentences.
    """

    trees: str
    sentences: Positive
    shares: tuple[Positive, ...]
    tss_classes: Positive
    seed: Seed

    def __post_init__(self) -> None:
        if len(self.shares) != 3:
            raise ValueError(f"shares: expected those of train, valid, test, got {self.shares}")


@dataclass(frozen=True)
class ReportSettings:
    """What the page shows of its sentences.

    `sentences` of the split, spread over their lengths up to `max_words` source words, are drawn.
    Of the worst, of the best and of those that systems differ in most, `ranked` are listed, by the
    sentence score `metric`.
    """

    split: str
    sentences: Count
    max_words: Positive
    ranked: Count
    metric: Literal["chrf", "bleu"]
