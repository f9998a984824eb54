"""Settings of the stages that look at a trained model.

Apart from those stages, so that the check of all sections needs none of what the stages import.
"""

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

    def __post_init__(self) -> None:
        if len(set(self.sentences)) != len(self.sentences):
            raise ValueError("sentences: expected each once")
