"""BLEU, chrF and TER of every system, with the intervals and the tests of the stage `evaluate`."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

from pipeline.report_page.charts.bars import Axis, Interval, axis
from pipeline.report_page.charts.ticks import PERCENT, Range
from pipeline.report_page.inputs import Inputs
from pipeline.report_page.numbers import Report
from pipeline.report_page.section import Context


class Metric(NamedTuple):
    """What a metric is called, which scores are good, and what they can be.

    An interval, the mean plus and minus half the middle 95 %, may go beyond; an axis does not.
    """

    name: str
    direction: str
    within: Range


METRICS = {
    "bleu": Metric("BLEU", "higher is better", PERCENT),
    "chrf": Metric("chrF", "higher is better", PERCENT),
    "ter": Metric("TER", "lower is better", (0.0, math.inf)),
}


@dataclass(frozen=True)
class Score:
    """A system's score by one metric; `None` is what was not computed."""

    system: str
    score: float
    low: float | None
    high: float | None
    baseline: float | None
    difference: float | None
    p_value: float | None
    randomization: float | None

    @classmethod
    def read(cls, system: str, report: Report, metric: str) -> Score:
        """The score in a report of the stage `evaluate`."""
        mean, half = report.get(f"{metric}_mean"), report.get(f"{metric}_interval")
        known = mean is not None and half is not None
        return cls(
            system=system,
            score=report.number(metric),
            low=mean - half if known and mean is not None and half is not None else None,
            high=mean + half if known and mean is not None and half is not None else None,
            baseline=report.get(f"{metric}_baseline"),
            difference=report.get(f"{metric}_difference"),
            p_value=report.get(f"{metric}_p_value"),
            randomization=report.get(f"{metric}_randomization_p_value"),
        )

    def on(self, scale: Axis) -> Interval:
        """Where score and interval are on an axis."""
        return scale.interval(self.score, self.low, self.high)


def context(inputs: Inputs) -> Context | None:
    reports = [(s.name, r) for s in inputs.systems if (r := s.report("evaluate")) is not None]
    tables = []
    for metric, (name, direction, within) in METRICS.items():
        scores = [Score.read(system, r, metric) for system, r in reports if metric in r]
        if not scores:
            continue
        ends = [x for s in scores for x in (s.score, s.low, s.high) if x is not None]
        scale = axis(ends, within)
        tables.append(
            {
                "name": name,
                "direction": direction,
                "axis": scale,
                "rows": [(score, score.on(scale)) for score in scores],
                "has_intervals": any(score.low is not None for score in scores),
                "has_baselines": any(score.baseline is not None for score in scores),
                "has_randomization": any(score.randomization is not None for score in scores),
            }
        )
    if not tables:
        return None
    return {
        "metrics": tables,
        "sentences": sorted({int(r.number("sentences")) for _, r in reports if "sentences" in r}),
        "signatures": _signatures([report for _, report in reports]),
        "paths": [report.path for _, report in reports],
    }


def _signatures(reports: list[Report]) -> list[tuple[str, str]]:
    """The metrics' recipes, each once."""
    found: dict[tuple[str, str], None] = {}
    for report in reports:
        signatures: Any = report.content.get("signatures", [])
        for one in signatures if isinstance(signatures, list) else []:
            if isinstance(one, dict):
                found[str(one.get("metric")), str(one.get("signature"))] = None
    return list(found)
