"""Results: the run at a glance, scores, systems over seeds, learning curves."""

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

from markupsafe import Markup

from mgsa.cli.errors import InputError
from pipeline.charts import LARGEST, chart, panel
from pipeline.experiment.results import (
    BY_SEED,
    CONTRASTS,
    CONTRASTS_BY_SEED,
    CONTRASTS_OVER_SEEDS,
    SHARES,
    attention_rows,
    table_rows,
)
from pipeline.formats.tables import Record, read_csv
from pipeline.report.blocks import (
    MACROS,
    PROSE,
    Number,
    breakable,
    details,
    figure,
    group,
    html,
    line_figure,
    named,
    number,
    p_value,
    table,
)
from pipeline.report.inputs import Inputs
from pipeline.report.settings import SPLIT
from pipeline.stage.command import run_note

LOWER = "lower is better"
METRICS = {
    "bleu": ("BLEU", "higher is better"),
    "chrf": ("chrF", "higher is better"),
    "ter": ("TER", LOWER),
}
CURVES = "plots/metrics"
"""Where DVCLive puts its curves: a file for each metric."""
CURVE_TITLES = {
    "valid_bleu_tokenized": "Validation BLEU (tokenised)",
    "valid_nll": "Validation loss (NLL a token)",
    "train_nll": "Training loss (NLL a token)",
    "valid_tag_accuracy": "Validation accuracy of phrase tags",
    "valid_alignment_nll": "Validation loss of alignment",
    "valid_perplexity": "Validation perplexity",
    "train_perplexity": "Training perplexity",
}
"""The first metrics, in order; others follow by name."""
CURVES_SHOWN = 4
"""The others are unfolded on request."""


def overview(inputs: Inputs) -> Iterator[Markup]:
    """The run's numbers at a glance, and when and where it ran."""
    if len(tiles := [*_tiles(inputs)]) > 1:
        yield MACROS.tiles(tiles)
    done, notes = (
        ("Run", inputs.runs) if inputs.runs else ("Compared", [run_note(datetime.now(UTC))])
    )
    yield PROSE.overview(done, notes[-1])


def _tiles(inputs: Inputs) -> Iterator[tuple[str, str, str, str]]:
    """A number, what it is, of what, and the section that it is from."""
    reports = inputs.system_reports("evaluate").items()
    scored = {name: report["bleu"] for name, report in reports if "bleu" in report}
    if scored:
        best = max(scored, key=lambda name: scored[name])
        label = "BLEU" if len(scored) == 1 else f"best BLEU of {len(scored)} systems"
        yield number(scored[best], ".1f"), label, breakable(best), "scores"
    told = [report for report in inputs.system_reports("contrast").values() if report["contrasts"]]
    if len(told) == 1:
        first = next(block for block in told[0].values() if isinstance(block, dict))
        count = f"of {number(told[0]['contrasts'])} contrasts"
        yield number(first["accuracy"], ".1f"), "contrastive accuracy", count, "contrasts"
    trained = list(inputs.system_reports("train").values())
    if len(trained) == 1:
        updates = f"{number(trained[0]['updates'])} updates"
        yield f"{trained[0]['parameters'] / 1e6:.2f} M", "parameters", updates, "curves"
    if tokenized := inputs.report("tokenize"):
        pairs = f"of {number(tokenized['train_pairs'])} in the corpus"
        yield number(tokenized["train_kept"]), "training pairs", pairs, "corpus"
    parser, aligned = inputs.report("parser"), inputs.report("align")
    if parser and "labelled_f1" in parser:
        trees = f"on {number(parser['dev_trees'])} held-out trees"
        yield number(parser["labelled_f1"], ".1f"), "parser F1", trees, "parsing"
    if aligned and f"{SPLIT}_aer" in aligned:
        error = number(aligned[f"{SPLIT}_aer"], ".1f")
        yield error, "AER of the aligner", f"on {SPLIT}", "alignments"


def scores(inputs: Inputs) -> Iterator[Markup]:
    """BLEU, chrF and TER of every system, with intervals and tests."""
    reports = inputs.system_reports("evaluate")
    if not reports:
        return
    is_tested = any("bleu_baseline" in report for report in reports.values())
    counts = dict.fromkeys(number(report["sentences"]) for report in reports.values())
    yield PROSE.scores(counts, is_tested)
    signatures = [one for report in reports.values() for one in report["signatures"]]
    _check_comparable(reports.values())
    for metric in dict.fromkeys(one["metric"] for one in signatures):
        if of_metric := {name: report for name, report in reports.items() if metric in report}:
            yield _metric(metric, of_metric, inputs.styles)
    if of_sets := [*_set_rows(reports, inputs.styles)]:
        yield table("Test sets, of which the scores above are means", of_sets)
    lines = list({one["signature"]: one for one in signatures}.values())
    yield details("Signatures", table("Signatures of sacreBLEU, commands of others", lines))


def _check_comparable(reports: Iterable[Record]) -> None:
    """Raise an `InputError` for scores of a metric that were computed in another way.

    The test sets of a system may have different numbers of references.
    """
    known: dict[str, list[str]] = {}
    for report in reports:
        ways: dict[str, list[str]] = {}
        for one in report["signatures"]:
            way = re.sub(r"\|(bs|seed|version):[^|]*", "", one["signature"])
            ways.setdefault(one["metric"], []).append(way)
        for metric, found in ways.items():
            if found != known.setdefault(metric, found):
                expected = f"expected scores by {', '.join(known[metric])}, as of the first system"
                message = f"{metric}: {expected}, found {', '.join(found)}"
                raise InputError(message, path=report.path)


def _set_rows(reports: Mapping[str, Record], styles: Mapping[str, int]) -> Iterator[dict[str, str]]:
    """A row for each system and test set, where there are several."""
    for name, report in reports.items():
        for part in report.get("set_reports", []):
            row: dict[str, str] = {"system": named(name, styles), "set": part["set"]}
            row["sentences"] = number(part["sentences"])
            for metric in report["sets"][part["set"]]:
                title, half = METRICS.get(metric, (metric,))[0], part.get(f"{metric}_interval")
                interval = "" if half is None else f" ± {half:.2f}"
                row[title] = Number(number(part[metric], ".2f") + interval)
                row[f"{title}: p"] = p_value(part.get(f"{metric}_randomization_p_value"))
            yield row


def _metric(metric: str, reports: Mapping[str, Record], styles: Mapping[str, int]) -> Markup:
    """A table of the systems' scores beside a chart of their intervals."""
    title, direction = METRICS.get(metric, (metric, "of a command"))
    # An interval, the mean plus and minus half the middle 95 %, may go beyond what there can be.
    least = 0 if metric in METRICS else -math.inf
    most = 100 if metric in ("bleu", "chrf") else math.inf
    rows, drawn = [], []
    for name, report in reports.items():
        mean, half = report.get(f"{metric}_mean"), report.get(f"{metric}_interval")
        low, high, ends = None, None, ""
        gain = report.get(f"{metric}_difference")
        if gain is not None and direction == LOWER:
            gain = -gain
        if mean is not None:
            low, high = max(mean - half, least), min(mean + half, most)
            ends = f"{number(low, '.2f')} to {number(high, '.2f')}"
        rows.append(
            {
                "system": named(name, styles),
                title: number(report[metric], ".2f"),
                "95% interval": Number(ends),
                "gain": number(gain, "+.2f"),
                "p (randomisation)": p_value(report.get(f"{metric}_randomization_p_value")),
            }
        )
        drawn.append({"system": name, "score": report[metric], "low": low, "high": high})
    numbers = table(html('{} <span class="muted">({})</span>', title, direction), rows)
    spec = chart("accuracies", drawn, x="score", y="system", styles=styles)
    for layer in spec["spec"]["layer"][1:]:
        layer["encoding"]["x"]["title"] = title
    drawing = figure(f"{title} with intervals", panel(spec, height=None), with_numbers=False)
    return group("scores", [numbers, drawing])


def tables(inputs: Inputs) -> Iterator[Markup]:
    """Systems trained from several seeds each, as `pipeline.experiment` collected them."""
    if inputs.tables:
        yield PROSE.tables()
    contrasts = [*CONTRASTS.values(), CONTRASTS_OVER_SEEDS]
    elsewhere = [*BY_SEED.values(), CONTRASTS_BY_SEED, *contrasts]  # a page has no such width
    for path in inputs.tables:
        collected = Record.read(path, "pipeline.experiment")
        rows = table_rows(collected)
        caption = '{} <span class="muted">(baseline: {})</span>'
        title = html(caption, collected["title"], collected["baseline"])
        yield table(title, _columns(rows, [name for name in rows[0] if name not in elsewhere]))
        if told := [name for name in rows[0] if name in contrasts]:
            yield table("Their contrastive accuracy", _columns(rows, ["system", *told]))
        if shares := attention_rows(collected):
            yield table(SHARES, shares)


def _columns(rows: Iterable[Mapping[str, str]], names: Sequence[str]) -> list[dict[str, str]]:
    """Some columns of a table of systems; all but the first have numbers."""
    first, *others = names
    return [{first: row[first]} | {name: Number(row[name]) for name in others} for row in rows]


def curves(inputs: Inputs) -> Iterator[Markup]:
    """The learning curves that DVCLive wrote, every system in one chart."""
    outputs = inputs.system_outputs("curves").items()
    folders = {name: folder / CURVES for name, folder in outputs}
    found = {path.stem for folder in folders.values() for path in folder.glob("*.tsv")}
    names = [name for name in CURVE_TITLES if name in found] + sorted(found - CURVE_TITLES.keys())
    charts = [c for name in names if (c := _curve(name, folders, inputs.styles)) is not None]
    if not charts:
        return
    yield MACROS.legend({name: inputs.styles[name] for name in folders})
    yield group("charts", charts[:CURVES_SHOWN])
    if more := charts[CURVES_SHOWN:]:
        yield details(f"More curves ({len(more)})", group("charts", more))
    rows = [
        {"system": name} | {key.replace("_", " "): number(value) for key, value in report.items()}
        for name, report in inputs.system_reports("train").items()
    ]
    yield details("How training ended", table("Ends of the trainings", rows))


def _curve(metric: str, folders: Mapping[str, Path], styles: Mapping[str, int]) -> Markup | None:
    """The chart of a metric; none of one that is zero throughout, such as skipped batches."""
    is_log = metric.endswith("perplexity")
    rows = [
        {"rev": name, "update": row["step"], "value": row[metric]}
        for name, folder in folders.items()
        if (path := folder / f"{metric}.tsv").is_file()
        for row in read_csv(path, delimiter="\t")
        if abs(row[metric]) <= LARGEST and (row[metric] > 0 or not is_log)
    ]
    if not any(row["value"] for row in rows):
        return None
    title = CURVE_TITLES.get(metric) or metric.replace("_", " ").capitalize()
    is_level = len({row["value"] for row in rows}) == 1
    scale = {"type": "log" if is_log else "linear", "zero": is_level}
    return line_figure(title, rows, "update", "value", scale=scale, styles=styles)
