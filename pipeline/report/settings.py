"""Settings of the stage `report`."""

from dataclasses import dataclass
from typing import Literal

from mgsa.cli.settings import Count, Positive

SPLIT = "test"
"""The split whose sentences are shown, which the pipeline translates."""


@dataclass(frozen=True)
class ReportSettings:
    """Sentences on the page.

    `sentences`, spread over their lengths up to `max_words` source words, are drawn. `ranked` of
    the worst, of the best and of those that systems differ in most are listed, by the sentence
    score `metric`.
    """

    sentences: Count
    max_words: Positive
    ranked: Count
    metric: Literal["chrf", "bleu"]
