"""Settings of the stages that look at a trained model.

Apart from those stages, so that the check of all sections needs none of what the stages import.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from mgsa.settings import Count, Positive

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
