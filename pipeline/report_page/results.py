"""Results: the run at a glance, scores of systems."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from markupsafe import Markup

from mgsa.base.settings import from_mapping
from pipeline.base.charts import chart, panel
from pipeline.base.tables import Row
from pipeline.report_page.blocks import (
    Block,
    Details,
    Files,
    Group,
    Part,
    Table,
    breakable,
    duration,
    figure,
    fixed,
    html,
    interval,
    named,
    p_value,
    plain,
    signed,
)
from pipeline.report_page.files import Report
from pipeline.report_page.inputs import Inputs

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
        names = Markup(" ").join(_chip(named(*one)) for one in inputs.styles.items())
        yield html("<p>{} systems side by side: {}</p>", len(inputs.systems), names)
    # Of the run's own parameters: systems that are only compared were composed of others.
    composed = inputs.report("params") if inputs.parameters is not None else None
    content = {} if composed is None else composed.content
    options = [(group, name) for group, name in content.items() if isinstance(name, str)]
    differences = content.get("differences")
    if options:
        chips = Markup(" ").join(
            _chip(html('<span class="muted">{}</span> {}', *option)) for option in options
        )
        rest = "" if differences else " with every value as these presets give it."
        yield html("<p>Composed of {}{}</p>", chips, rest)
    if isinstance(differences, dict) and differences:
        values = [
            [html("<code>{}</code>", breakable(key)), *map(_code, (pair["params"], pair["preset"]))]
            for key, pair in differences.items()
        ]
        number = f"{len(values)} {'value' if len(values) == 1 else 'values'}"
        table = Table("Values that no preset gives", ["key", "this run", "preset"], values)
        yield Details(f"{number} that no preset gives", [table], opened=len(values) <= 8)
    yield Markup(
        '<p class="muted">Every parameter, hash and version is under '
        '<a href="#provenance">What was run</a>.</p>'
    )


def _when_and_where(runs: Sequence[Report]) -> Markup:
    def each(key: str) -> str:
        return ", ".join(dict.fromkeys(run.text(key) for run in runs if run.content.get(key)))

    days = list(dict.fromkeys(run.text("started")[:10] for run in runs))
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
    reports = [(s.name, r) for s in inputs.systems if (r := s.report("evaluate")) is not None]
    scored = [(name, r) for name, r in reports if "bleu" in r]
    if scored:
        name, report = max(scored, key=lambda one: one[1].number("bleu"))
        half = report.get("bleu_interval")
        label = "BLEU" if len(scored) == 1 else f"best BLEU of {len(scored)} systems"
        yield (
            fixed(report.number("bleu"), 1),
            f"± {half:.1f}" if half else "",
            label,
            name,
            "scores",
        )
    if len(reports) == 1 and "chrf" in reports[0][1]:
        yield fixed(reports[0][1].number("chrf"), 1), "", "chrF", reports[0][0], "scores"
    trained = [r for s in inputs.systems if (r := s.report("train")) is not None]
    if len(trained) == 1 and "parameters" in trained[0]:
        millions = trained[0].number("parameters") / 1e6
        updates = (
            f"{plain(trained[0].number('updates'))} updates" if "updates" in trained[0] else ""
        )
        yield f"{millions:.2f} M", "", "parameters", updates, "curves"


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
    reports = {s.name: r for s in inputs.systems if (r := s.report("evaluate")) is not None}
    metrics = [name for name in METRICS if any(name in report for report in reports.values())]
    if not metrics:
        return
    tests = _tests_against_first(inputs, reports)
    with_tests = [r for name, r in reports.items() if "bleu_baseline" in r or name in tests]
    sizes = sorted({r.number("sentences") for r in reports.values() if "sentences" in r})
    yield html(
        "<p>{} sentences, detokenised and cased. A bar spans the 95% interval of bootstrap "
        "resamples, the dot is the score itself.{}{}</p>",
        ", ".join(map(plain, sizes)),
        " “Gain” is over the system that each one is compared with, and p-values are of "
        "sacreBLEU’s paired tests."
        if with_tests
        else "",
        html(" Where none was named, that is {}.", next(iter(reports))) if tests else "",
    )
    for metric in metrics:
        yield _metric(metric, inputs, reports, tests)
    signatures = {
        (one.text("metric"), one.text("signature")): None
        for report in reports.values()
        if "signatures" in report
        for one in report.parts("signatures")
    }
    if signatures:
        lines = [html("<dt>{}</dt><dd><code>{}</code></dd>", *one) for one in signatures]
        recipe = html('<dl class="signatures">{}</dl>', Markup().join(lines))
        yield Details("sacreBLEU’s signatures", [recipe])
    yield Files([report.path for report in reports.values()])


def _tests_against_first(
    inputs: Inputs, reports: Mapping[str, Report]
) -> dict[str, dict[str, float]]:
    """Paired bootstrap tests against the first system, of systems that name no baseline."""
    from pipeline.evaluate import EvaluateSettings, compare

    translations, sections = inputs.translations, inputs.parameters
    if sections is None and inputs.systems:
        sections = inputs.systems[0].parameters()
    if translations is None or len(reports) < 2 or not sections or "evaluate" not in sections:
        return {}
    settings = from_mapping(EvaluateSettings, sections["evaluate"], "evaluate")
    settings = replace(settings, randomization_trials=0)
    outputs = {
        name: [line.rstrip() for line in lines] for name, lines in translations.hypotheses.items()
    }
    references = [line.rstrip() for line in translations.references]
    first, *others = (name for name in reports if name in outputs)
    return {
        name: compare(outputs[name], outputs[first], references, settings)
        for name in others
        if "bleu_baseline" not in reports[name]
    }


def _metric(
    metric: str,
    inputs: Inputs,
    reports: Mapping[str, Report],
    tests: Mapping[str, Mapping[str, float]],
) -> Block:
    title, direction = METRICS[metric]
    rows: list[Row] = []
    for name, report in reports.items():
        if metric not in report:
            continue
        of_test = {**report.content, **tests.get(name, {})}
        numbers = Report(report.path, of_test)
        mean, half = numbers.get(f"{metric}_mean"), numbers.get(f"{metric}_interval")
        has_interval = mean is not None and half is not None
        rows.append(
            {
                "system": name,
                "score": numbers.number(metric),
                "low": mean - half if has_interval else None,  # type: ignore[operator]
                "high": mean + half if has_interval else None,  # type: ignore[operator]
                "gain": numbers.get(f"{metric}_difference"),
                "bootstrap": numbers.get(f"{metric}_p_value"),
                "randomization": numbers.get(f"{metric}_randomization_p_value"),
            }
        )
    styles = inputs.styles if len(rows) > 1 else {}
    columns = {
        "system": lambda row: named(row["system"], styles.get(row["system"])),
        title: lambda row: fixed(row["score"]),
        "95% interval": lambda row: interval(row["low"], row["high"]),
        "gain": lambda row: "" if row["gain"] is None else signed(row["gain"]),
        "p (bootstrap)": lambda row: p_value(row["bootstrap"]),
        "p (randomisation)": lambda row: p_value(row["randomization"]),
    }
    shown = {name: [cell(row) for row in rows] for name, cell in columns.items()}
    shown = {name: cells for name, cells in shown.items() if any(cells)}
    table = Table(
        html('{} <span class="muted">({})</span>', title, direction),
        list(shown),
        list(zip(*shown.values(), strict=True)),
    )
    if len(rows) == 1 and rows[0]["low"] is None:
        return table
    # An interval, the mean plus and minus half the middle 95 %, may go beyond what there can be.
    most = math.inf if metric == "ter" else 100
    drawn = [
        {**row, "low": max(row["low"], 0), "high": min(row["high"], most)}
        if row["low"] is not None
        else row
        for row in rows
    ]
    spec = chart("accuracies", drawn, x="score", y="system", styles=inputs.styles)
    for layer in spec["spec"]["layer"][1:]:
        layer["encoding"]["x"]["title"] = title
    drawing = figure(f"{title} with intervals", panel(spec, height=None))
    return Group([table, drawing], "scores")
