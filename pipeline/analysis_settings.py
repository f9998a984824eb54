"""Settings of the stages that look at a trained model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from mgsa.settings import Count, Positive


@dataclass(frozen=True)
class AnalyzeSettings:
    """`split`: whose attention is counted; `sentences`: its rows that maps are drawn of."""

    split: str
    sentences: tuple[Count, ...]
    figures: Literal["svg", "png"]
    batch_tokens: Positive
