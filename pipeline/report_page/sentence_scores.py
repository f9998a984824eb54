"""The score of every sentence by every system, and which sentences to show for it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from statistics import fmean
from typing import Literal

ALL = "all"
"""The key of the mean over systems, beside the systems' numbers."""

Metric = Literal["chrf", "bleu"]


@dataclass(frozen=True)
class SentenceScores:
    """Scores in per cent, of each sentence.

    Attributes:
        of_system: by the system's name.
    """

    of_system: Mapping[str, Sequence[float]]

    @property
    def mean(self) -> list[float]:
        """The mean over systems."""
        return [fmean(scores) for scores in zip(*self.of_system.values(), strict=True)]

    @property
    def spread(self) -> list[float]:
        """How far apart the best and the worst system are."""
        return [max(s) - min(s) for s in zip(*self.of_system.values(), strict=True)]

    def ranked(self, count: int) -> dict[int, dict[str, list[str]]]:
        """The sentences to list, in their order, each with the lists that it is on.

        Returns:
            For each sentence's index: `worst` and `best`, by whose scores (`all`, or a system's
            number); `different`, where systems differ most.
        """
        found: dict[int, dict[str, list[str]]] = {}

        def note(name: str, key: str, indices: Sequence[int]) -> None:
            for index in indices:
                found.setdefault(index, {}).setdefault(name, []).append(key)

        columns = {ALL: self.mean}
        if len(self.of_system) > 1:
            columns |= {str(i): list(s) for i, s in enumerate(self.of_system.values())}
        for key, scores in columns.items():
            note("worst", key, lowest(scores, count))
            note("best", key, lowest([-score for score in scores], count))
        if len(self.of_system) > 1:
            apart = [index for index, spread in enumerate(self.spread) if spread > 0]
            apart.sort(key=lambda index: (-self.spread[index], index))
            note("different", ALL, apart[:count])
        return dict(sorted(found.items()))


def lowest(values: Sequence[float], count: int) -> list[int]:
    """The places of the `count` lowest values, the lowest first; of equal ones the first."""
    return sorted(range(len(values)), key=lambda index: (values[index], index))[:count]


def score_sentences(
    hypotheses: Mapping[str, Sequence[str]], references: Sequence[str], metric: Metric
) -> SentenceScores:
    """Score every sentence with sacreBLEU's chrF, or its BLEU with effective order."""
    from sacrebleu.metrics.bleu import BLEU
    from sacrebleu.metrics.chrf import CHRF

    scorer = CHRF() if metric == "chrf" else BLEU(effective_order=True)
    score = partial(_score, scorer)
    return SentenceScores(
        {
            name: [score(h, r) for h, r in zip(translated, references, strict=True)]
            for name, translated in hypotheses.items()
        }
    )


def _score(scorer: object, hypothesis: str, reference: str) -> float:
    from sacrebleu.metrics.base import Metric as SacreMetric

    assert isinstance(scorer, SacreMetric)
    return round(float(scorer.sentence_score(hypothesis, [reference]).score), 2)
