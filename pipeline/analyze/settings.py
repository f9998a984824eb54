"""Settings of the stage `analyze`."""

from dataclasses import dataclass
from typing import Literal

from mgsa.cli.settings import Count, Positive

SHARES = "attention_shares.csv"
"""File of the table of shares."""


@dataclass(frozen=True)
class AnalyzeSettings:
    """The split to count over, and the rows (`sentences`) to draw."""

    split: Literal["train", "valid", "test"]
    sentences: tuple[Count, ...]
    batch_tokens: Positive

    def __post_init__(self) -> None:
        if len(set(self.sentences)) != len(self.sentences):
            raise ValueError("sentences: expected each once")
