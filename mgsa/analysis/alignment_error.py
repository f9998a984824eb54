"""Alignment error rate, precision and recall against gold links (Och & Ney 2003)."""

from __future__ import annotations

from collections.abc import Set
from dataclasses import astuple, dataclass

from mgsa.base.word_links import Link


@dataclass(frozen=True)
class GoldLinks:
    """Gold links of a sentence pair; sure ones are possible too."""

    sure: frozenset[Link]
    possible: frozenset[Link]

    @classmethod
    def of(cls, sure: Set[Link], possible: Set[Link] = frozenset()) -> GoldLinks:
        """From sure links and other possible ones."""
        return cls(frozenset(sure), frozenset(sure | possible))


@dataclass(frozen=True)
class AlignmentCounts:
    """Counts for one sentence pair, or their sums: |A|, |S|, |A ∩ S|, |A ∩ P|."""

    predicted: int = 0
    sure: int = 0
    predicted_sure: int = 0
    predicted_possible: int = 0

    def __add__(self, other: AlignmentCounts) -> AlignmentCounts:
        return AlignmentCounts(*map(sum, zip(astuple(self), astuple(other), strict=True)))

    @property
    def precision(self) -> float:
        """|A ∩ P| / |A|; 1 without links."""
        return self.predicted_possible / self.predicted if self.predicted else 1.0

    @property
    def recall(self) -> float:
        """|A ∩ S| / |S|; 1 without sure links."""
        return self.predicted_sure / self.sure if self.sure else 1.0

    @property
    def error_rate(self) -> float:
        """AER: 1 − (|A ∩ S| + |A ∩ P|) / (|A| + |S|); 0 without links."""
        links = self.predicted + self.sure
        return 1 - (self.predicted_sure + self.predicted_possible) / links if links else 0.0


def count(predicted: Set[Link], gold: GoldLinks) -> AlignmentCounts:
    """The counts of one sentence pair."""
    return AlignmentCounts(
        predicted=len(predicted),
        sure=len(gold.sure),
        predicted_sure=len(predicted & gold.sure),
        predicted_possible=len(predicted & gold.possible),
    )
