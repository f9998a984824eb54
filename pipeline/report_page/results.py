"""Results: the run at a glance, scores of systems, systems over seeds."""

from __future__ import annotations

import json
import math
import statistics
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from markupsafe import Markup

from mgsa.base.settings import from_mapping
from pipeline.base.charts import chart, panel
from pipeline.report_page.blocks import Block, Details, Files, Group, Part, Table, figure
from pipeline.report_page.inputs import Inputs, Report
from pipeline.report_page.markup import breakable, html, join, named
from pipeline.report_page.numbers import counted, duration, fixed, interval, p_value, plain, signed

METRICS = {
    "bleu": ("BLEU", "higher is better"),
    "chrf": ("chrF", "higher is better"),
    "ter": ("TER", "lower is better"),
}


def overview(inputs: Inputs) -> Iterator[Block]:
    """What was run, when and where, and its numbers at a glance."""
    tiles = [*_tiles_of_systems(inputs), *_tiles_of_data(inputs)]
    if tiles:
        yield Part("tiles.html", {"tiles": tiles})
    if inputs.runs:
        yield _when_and_where(inputs.runs)
    if len(inputs.systems) > 1:
        names = join((_chip(named(*one)) for one in inputs.styles.items()), " ")
        yield html("<p>{} systems side by side: {}</p>", len(inputs.systems), names)
    # Of the run's own parameters: systems that are only compared were composed of others.
    composed = inputs.report("params") if inputs.parameters is not None else None
    content: dict[str, Any] = composed or {}
    differences = content.get("differences", {})
    options = [option for option in content.items() if option[0] != "differences"]
    if options:
        chip = '<span class="muted">{}</span> {}'
        chips = join((_chip(html(chip, *option)) for option in options), " ")
        rest = "" if differences else " with every value as these presets give it."
        yield html("<p>Composed of {}{}</p>", chips, rest)
    if differences:
        values = [
            [_code(breakable(key)), _code(pair["params"]), _code(pair["preset"])]
            for key, pair in differences.items()
        ]
        table = Table("Values that no preset gives", ["key", "this run", "preset"], values)
        summary = f"{counted(len(values), 'value')} that no preset gives"
        yield Details(summary, [table], opened=len(values) <= 8)
    yield Markup(
        '<p class="muted">Every parameter, hash and version is under '
        '<a href="#provenance">What was run</a>.</p>'
    )


def _when_and_where(runs: Sequence[Report]) -> Markup:
    def each(key: str) -> str:
        return ", ".join(dict.fromkeys(run[key] for run in runs if run[key]))

    days = [run["started"][:10] for run in runs]
    return html(
        "<p>Run on {} on {}{}; the stages took {} in all.</p>",
        " to ".join(dict.fromkeys((days[0], days[-1]))),
        each("host"),
        html(", commit <code>{}</code>", each("commit")) if each("commit") else "",
        duration(sum(run.number("seconds") for run in runs)),
    )


def _chip(content: Markup) -> Markup:
    return html('<span class="chip" dir="auto">{}</span>', content)


def _code(value: Any) -> Markup:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return html("<code>{}</code>", text)


Tile = tuple[str, str, str, str, str]
"""A number, what comes after it in small print, what it is, of what; the section it is from."""


def _tiles_of_systems(inputs: Inputs) -> Iterator[Tile]:
    """The best BLEU of all systems; more of a system alone."""
    reports = inputs.systems_reports("evaluate")
    bleu = {name: report.number("bleu") for name, report in reports.items() if "bleu" in report}
    if bleu:
        name = max(bleu, key=lambda name: bleu[name])
        half = reports[name].optional("bleu_interval")
        label = "BLEU" if len(bleu) == 1 else f"best BLEU of {len(bleu)} systems"
        yield fixed(bleu[name], 1), f"± {half:.1f}" if half else "", label, name, "scores"
    if len(reports) == 1:
        ((name, report),) = reports.items()
        if "chrf" in report:
            yield fixed(report.number("chrf"), 1), "", "chrF", name, "scores"
    trained = list(inputs.systems_reports("train").values())
    if len(trained) == 1 and "parameters" in trained[0]:
        millions = f"{trained[0].number('parameters') / 1e6:.2f} M"
        updates = plain(trained[0].optional("updates"))
        yield millions, "", "parameters", f"{updates} updates" if updates else "", "curves"


def _tiles_of_data(inputs: Inputs) -> Iterator[Tile]:
    tokenized = inputs.report("tokenize")
    if tokenized is not None:
        pairs = f"of {plain(tokenized.number('train_pairs'))} in the corpus"
        yield plain(tokenized.number("train_kept")), "", "training pairs", pairs, "corpus"
    parser = inputs.report("parser")
    if parser is not None and "labelled_f1" in parser:
        trees = f"on {plain(parser.number('dev_trees'))} held-out trees"
        yield fixed(parser.number("labelled_f1"), 1), "", "parser F1", trees, "parsing"
    aligned, split = inputs.report("align"), inputs.settings.split
    if aligned is not None and f"{split}_aer" in aligned:
        error = fixed(aligned.number(f"{split}_aer"), 1)
        yield error, "", "AER of the aligner", f"on {split}", "alignments"


def scores(inputs: Inputs) -> Iterator[Block]:
    """BLEU, chrF and TER of every system, with intervals and tests."""
    reports = inputs.systems_reports("evaluate")
    metrics = [name for name in METRICS if any(name in report for report in reports.values())]
    if not metrics:
        return
    tests = _tests_against_first(inputs, reports)
    tested = bool(tests) or any("bleu_baseline" in report for report in reports.values())
    sizes = sorted({r.number("sentences") for r in reports.values() if "sentences" in r})
    yield html(
        "<p>{} sentences, detokenised and cased. A bar spans the 95% interval of bootstrap "
        "resamples, the dot is the score itself.{}{}</p>",
        ", ".join(map(plain, sizes)),
        " “Gain” is over the system that each one is compared with, and p-values are of "
        "sacreBLEU’s paired tests."
        if tested
        else "",
        html(" Where none was named, that is {}.", next(iter(reports))) if tests else "",
    )
    for metric in metrics:
        yield _metric(metric, inputs, reports, tests)
    signatures = dict.fromkeys(
        (one["metric"], one["signature"])
        for report in reports.values()
        for one in report.get("signatures", ())
    )
    if signatures:
        lines = join(html("<dt>{}</dt><dd><code>{}</code></dd>", *one) for one in signatures)
        yield Details("sacreBLEU’s signatures", [html('<dl class="signatures">{}</dl>', lines)])
    yield Files([report.path for report in reports.values()])


def _tests_against_first(
    inputs: Inputs, reports: Mapping[str, Report]
) -> dict[str, dict[str, float]]:
    """Paired bootstrap tests against the first system, of systems that name no baseline."""
    from pipeline.evaluate import EvaluateSettings, compare

    (references, hypotheses), sections = inputs.translations, inputs.parameters
    if sections is None and inputs.systems:
        _, sections = inputs.systems[0].parameters() or (None, None)
    if not hypotheses or len(reports) < 2 or not sections or "evaluate" not in sections:
        return {}
    settings = from_mapping(EvaluateSettings, sections["evaluate"], "evaluate")
    settings = replace(settings, randomization_trials=0)
    outputs = {name: [line.rstrip() for line in lines] for name, lines in hypotheses.items()}
    first, *others = (name for name in reports if name in outputs)
    expected = [line.rstrip() for line in references]
    return {
        name: compare(outputs[name], outputs[first], expected, settings)
        for name in others
        if "bleu_baseline" not in reports[name]
    }


def _metric(
    metric: str,
    inputs: Inputs,
    reports: Mapping[str, Report],
    tests: Mapping[str, Mapping[str, float]],
) -> Block:
    """A table of the systems' scores beside a chart of their intervals."""
    title, direction = METRICS[metric]
    of_metric = {
        name: Report({**report, **tests.get(name, {})}, report.path)
        for name, report in reports.items()
        if metric in report
    }
    # An interval, the mean plus and minus half the middle 95 %, may go beyond what there can be.
    most = math.inf if metric == "ter" else 100
    cells, drawn = [], []
    for name, report in of_metric.items():
        score = report.number(metric)
        mean, half = report.optional(f"{metric}_mean"), report.optional(f"{metric}_interval")
        low, high = (None, None) if mean is None or half is None else (mean - half, mean + half)
        cells.append(
            {
                "system": named(name, inputs.styles[name] if len(of_metric) > 1 else None),
                title: fixed(score),
                "95% interval": interval(low, high),
                "gain": signed(report.optional(f"{metric}_difference")),
                "p (bootstrap)": p_value(report.optional(f"{metric}_p_value")),
                "p (randomisation)": p_value(report.optional(f"{metric}_randomization_p_value")),
            }
        )
        ends = {} if low is None or high is None else {"low": max(low, 0), "high": min(high, most)}
        drawn.append({"system": name, "score": score, "low": None, "high": None, **ends})
    columns = [column for column in cells[0] if any(row[column] for row in cells)]
    caption = html('{} <span class="muted">({})</span>', title, direction)
    table = Table(caption, columns, [[row[column] for column in columns] for row in cells])
    if len(drawn) == 1 and drawn[0]["low"] is None:
        return table
    spec = chart("accuracies", drawn, x="score", y="system", styles=inputs.styles)
    for layer in spec["spec"]["layer"][1:]:
        layer["encoding"]["x"]["title"] = title
    drawing = figure(f"{title} with intervals", panel(spec, height=None))
    return Group([table, drawing], "scores")


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
    rows: dict[str, Report] = table["systems"]
    metrics = [name for name in METRICS if any(name in row for row in rows.values())]
    title = table["title"]
    columns = [
        *("system", *(METRICS[name][0] for name in metrics), "Δ BLEU", "p (bootstrap)"),
        *("parameters", "tokens/s", "minutes", "seeds"),
    ]
    cells = [_row(name, row, metrics, style) for style, (name, row) in enumerate(rows.items())]
    caption = html('{} <span class="muted">(baseline: {})</span>', title, table["baseline"])
    yield Table(caption, columns, cells)
    compared = [
        [
            named(name, style),
            plain(one.number("seed")),
            signed(one.number("difference")),
            p_value(one.number("bootstrap")),
            p_value(one.optional("randomization")),
        ]
        for style, (name, row) in enumerate(rows.items())
        for one in row["comparisons"]
    ]
    if compared:
        columns = ["system", "seed", "Δ BLEU", "p (bootstrap)", "p (randomisation)"]
        by_seed = Table(f"{title}, seed by seed", columns, compared)
        yield Details("Seed by seed", [by_seed], style="numbers")
    if table.get("dataset") is not None:
        yield html(
            '<p class="muted">SHA-256 of the dataset’s manifest: <code class="hash">{}</code></p>',
            table["dataset"],
        )


def _row(name: str, row: Report, metrics: Sequence[str], style: int) -> list[str]:
    compared = row["comparisons"]
    differences = [one.number("difference") for one in compared]
    change: str = signed(statistics.fmean(differences)) if differences else ""
    if len(differences) > 1:
        change = _with_deviation(change, statistics.stdev(differences))
    done, total = (
        len(row["seeds"]),
        sum(len(row[key]) for key in ("seeds", "failed", "not_run")),
    )
    notes = [f"{done}" if done == total else f"{done} of {total}"]
    for key in ("failed", "not_run"):
        notes += [f"{key.replace('_', ' ')}: {', '.join(map(str, row[key]))}"] if row[key] else []
    return [
        named(name, style),
        *(_spread(row, metric) for metric in metrics),
        change,
        ", ".join(p_value(one.number("bootstrap")) for one in compared),
        plain(row.optional("parameters")),
        _spread(row, "tokens_per_second", 0),
        _spread(row, "minutes", 1),
        "; ".join(notes),
    ]


def _spread(row: Report, key: str, digits: int = 2) -> str:
    """A mean over seeds and, of two seeds at least, its standard deviation."""
    spread = row.get(key)
    if spread is None:
        return fixed(None)
    mean, deviation = fixed(spread.number("mean"), digits), spread.optional("deviation")
    return mean if deviation is None else _with_deviation(mean, deviation, digits)


def _with_deviation(mean: str, deviation: float, digits: int = 2) -> Markup:
    return html(
        '<span class="spread">{} <span class="muted">± {}</span></span>',
        mean,
        fixed(deviation, digits),
    )
