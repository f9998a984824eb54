"""Systems trained from several seeds each, as `pipeline.experiment` collected them."""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Sequence

from markupsafe import Markup

from mgsa.base.errors import InputError
from pipeline.report_page.blocks import (
    Block,
    Details,
    Files,
    Table,
    fixed,
    html,
    named,
    p_value,
    plain,
    signed,
)
from pipeline.report_page.files import Report
from pipeline.report_page.inputs import Inputs
from pipeline.report_page.results import METRICS


def tables(inputs: Inputs) -> Iterator[Block]:
    """Systems trained from several seeds each, as `pipeline.experiment` collected them."""
    if not inputs.tables:
        return
    yield Markup(
        "<p>Each system was trained from several seeds: means ± standard deviations over them. "
        "Differences are to the baseline, seed by seed, and so are the p-values of sacreBLEU’s "
        "paired tests, since these are of two translations.</p>"
    )
    for path in inputs.tables:
        yield from _table(Report.read(path))
    yield Files(inputs.tables)


def _table(table: Report) -> Iterator[Block]:
    systems = table.part("systems")
    rows = {name: systems.part(name) for name in systems.content}
    metrics = [name for name in METRICS if any(name in row for row in rows.values())]
    title = table.text("title")
    yield Table(
        html('{} <span class="muted">(baseline: {})</span>', title, table.text("baseline")),
        [
            *("system", *(METRICS[name][0] for name in metrics), "Δ BLEU", "p (bootstrap)"),
            *("parameters", "tokens/s", "minutes", "seeds"),
        ],
        [_row(name, row, metrics, style) for style, (name, row) in enumerate(rows.items())],
    )
    compared = [
        [
            named(name, style),
            plain(one.number("seed")),
            signed(one.number("difference")),
            p_value(one.number("bootstrap")),
            p_value(one.get("randomization")),
        ]
        for style, (name, row) in enumerate(rows.items())
        for one in row.parts("comparisons")
    ]
    if compared:
        columns = ["system", "seed", "Δ BLEU", "p (bootstrap)", "p (randomisation)"]
        by_seed = Table(f"{title}, seed by seed", columns, compared)
        yield Details("Seed by seed", [by_seed], style="numbers")
    if table.content.get("dataset") is not None:
        yield html(
            '<p class="muted">SHA-256 of the dataset’s manifest: <code class="hash">{}</code></p>',
            table.text("dataset"),
        )


def _row(name: str, row: Report, metrics: Sequence[str], style: int) -> list[str]:
    compared = row.parts("comparisons")
    differences = [one.number("difference") for one in compared]
    change: str = ""
    if differences:
        change = signed(statistics.fmean(differences))
        if len(differences) > 1:
            change = _with_deviation(change, statistics.stdev(differences))
    seeds = {key: _seeds(row, key) for key in ("seeds", "failed", "not_run")}
    total = sum(map(len, seeds.values()))
    done = len(seeds["seeds"])
    notes = [f"{done}" if done == total else f"{done} of {total}"]
    for key, what in (("failed", "failed"), ("not_run", "not run")):
        notes += [f"{what}: {', '.join(map(str, seeds[key]))}"] if seeds[key] else []
    parameters = row.get("parameters")
    return [
        named(name, style),
        *(_spread(row, metric) for metric in metrics),
        change,
        ", ".join(p_value(one.number("bootstrap")) for one in compared),
        "" if parameters is None else plain(parameters),
        _spread(row, "tokens_per_second", 0),
        _spread(row, "minutes", 1),
        "; ".join(notes),
    ]


def _spread(row: Report, key: str, digits: int = 2) -> str:
    """A mean over seeds and, of two seeds at least, its standard deviation."""
    if row.content.get(key) is None:
        return fixed(None)
    spread = row.part(key)
    mean, deviation = fixed(spread.number("mean"), digits), spread.get("deviation")
    return mean if deviation is None else _with_deviation(mean, deviation, digits)


def _with_deviation(mean: str, deviation: float, digits: int = 2) -> Markup:
    return html(
        '<span class="spread">{} <span class="muted">± {}</span></span>',
        mean,
        fixed(deviation, digits),
    )


def _seeds(row: Report, key: str) -> list[int]:
    seeds = row.content.get(key)
    if not isinstance(seeds, list) or not all(type(seed) is int for seed in seeds):
        raise InputError(f"{row.inside}{key}: expected a list of seeds", path=row.path)
    return seeds
