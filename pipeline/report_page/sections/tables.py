"""Tables of systems, each trained from several seeds, as `pipeline.experiment` collected them."""

from __future__ import annotations

import statistics
from pathlib import Path
from typing import Any, NamedTuple

from mgsa.base.errors import InputError
from pipeline.report_page.inputs import Inputs
from pipeline.report_page.numbers import Report
from pipeline.report_page.section import Context
from pipeline.report_page.sections.scores import METRICS


class Spread(NamedTuple):
    """A mean over seeds and the standard deviation of a sample, of two seeds at least."""

    mean: float
    deviation: float | None


class Comparison(NamedTuple):
    """A cell against the baseline's of the same seed: how much is between them, and by chance."""

    seed: int
    difference: float
    bootstrap: float
    randomization: float | None


class Row(NamedTuple):
    """A system of a table; what is `None` none of its cells has.

    Attributes:
        scores: by metric.
        difference: to the baseline, in BLEU.
        seeds, failed, not_run: of its cells.
    """

    system: str
    scores: dict[str, Spread | None]
    difference: Spread | None
    comparisons: list[Comparison]
    parameters: float | None
    tokens_per_second: Spread | None
    minutes: Spread | None
    seeds: list[int]
    failed: list[int]
    not_run: list[int]

    @property
    def num_cells(self) -> int:
        """How many cells there are to be."""
        return len(self.seeds) + len(self.failed) + len(self.not_run)


def context(inputs: Inputs) -> Context | None:
    if not inputs.tables:
        return None
    return {"tables": [_table(path) for path in inputs.tables], "paths": inputs.tables}


def _table(path: Path) -> dict[str, Any]:
    table = Report.read(path)
    systems = table.part("systems")
    parts = {name: systems.part(name) for name in systems.content}
    metrics = [name for name in METRICS if any(name in one for one in parts.values())]
    rows = [_row(name, one, metrics) for name, one in parts.items()]
    return {
        "title": table.text("title"),
        "baseline": table.text("baseline"),
        "dataset": table.text("dataset") if table.content.get("dataset") is not None else None,
        "metrics": {name: METRICS[name] for name in metrics},
        "rows": rows,
        "compared": [row for row in rows if row.comparisons],
        "has_randomization": any(
            one.randomization is not None for row in rows for one in row.comparisons
        ),
    }


def _row(system: str, one: Report, metrics: list[str]) -> Row:
    comparisons = [
        Comparison(
            int(compared.number("seed")),
            compared.number("difference"),
            compared.number("bootstrap"),
            _number(compared, "randomization"),
        )
        for compared in one.parts("comparisons")
    ]
    differences = [compared.difference for compared in comparisons]
    return Row(
        system=system,
        scores={name: _spread(one, name) for name in metrics},
        difference=_over(differences) if differences else None,
        comparisons=comparisons,
        parameters=_number(one, "parameters"),
        tokens_per_second=_spread(one, "tokens_per_second"),
        minutes=_spread(one, "minutes"),
        seeds=_seeds(one, "seeds"),
        failed=_seeds(one, "failed"),
        not_run=_seeds(one, "not_run"),
    )


def _over(values: list[float]) -> Spread:
    return Spread(statistics.fmean(values), statistics.stdev(values) if len(values) > 1 else None)


def _spread(one: Report, key: str) -> Spread | None:
    if one.content.get(key) is None:
        return None
    spread = one.part(key)
    return Spread(spread.number("mean"), _number(spread, "deviation"))


def _number(one: Report, key: str) -> float | None:
    """A number for which `null` may stand."""
    return None if one.content.get(key) is None else one.number(key)


def _seeds(one: Report, key: str) -> list[int]:
    seeds = one.content.get(key)
    if not isinstance(seeds, list) or not all(type(seed) is int for seed in seeds):
        raise InputError(f"{one.inside}{key}: expected a list of seeds", path=one.path)
    return seeds
