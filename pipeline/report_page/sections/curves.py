"""The learning curves that DVCLive drew, every system in one chart."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Literal, NamedTuple

from pipeline.report_page.charts.line_chart import LineChart, line_chart
from pipeline.report_page.charts.ticks import ANY, PERCENT, Range
from pipeline.report_page.inputs import Inputs
from pipeline.report_page.numbers import read_number, read_table
from pipeline.report_page.section import Context

FOLDER = "plots/metrics"
"""Where DVCLive puts its curves: a file for each metric."""

Curves = Mapping[str, list[tuple[float, float]]]


class Kind(NamedTuple):
    """How a metric is drawn; the first ones are shown, the others on request."""

    title: str
    scale: Literal["linear", "log"] = "linear"
    digits: int = 3
    within: Range = ANY


KINDS = {
    "valid_bleu_tokenized": Kind("Validation BLEU (tokenised)", digits=2, within=PERCENT),
    "valid_nll": Kind("Validation loss (NLL a token)"),
    "train_nll": Kind("Training loss (NLL a token)"),
    "valid_tag_accuracy": Kind("Validation accuracy of phrase tags"),
    "valid_alignment_nll": Kind("Validation loss of alignment"),
    "valid_perplexity": Kind("Validation perplexity", "log"),
    "train_perplexity": Kind("Training perplexity", "log"),
    "train_loss": Kind("Training objective"),
    "train_tag_nll": Kind("Training loss of phrase tags"),
    "valid_tag_nll": Kind("Validation loss of phrase tags"),
    "train_tag_accuracy": Kind("Training accuracy of phrase tags"),
    "train_alignment_nll": Kind("Training loss of alignment"),
    "learning_rate": Kind("Learning rate", digits=6),
    "gradient_norm": Kind("Norm of the gradient"),
}
"""The metrics of a training in order; others follow by name."""

SHOWN = 4


def context(inputs: Inputs) -> Context | None:
    folders = {s.name: s.curves / FOLDER for s in inputs.systems if s.curves is not None}
    if not folders:
        return None
    styles = {system.name: number for number, system in enumerate(inputs.systems)}
    found = {path.stem for folder in folders.values() for path in folder.glob("*.tsv")}
    charts = [
        chart
        for metric in [*(name for name in KINDS if name in found), *sorted(found - KINDS.keys())]
        if (chart := _chart(metric, folders, styles)) is not None
    ]
    if not charts:
        return None
    return {
        "systems": list(folders),
        "styles": styles,
        "charts": charts[:SHOWN],
        "more": charts[SHOWN:],
        "paths": list(folders.values()),
        "trainings": _trainings(inputs),
    }


def _chart(metric: str, folders: Mapping[str, Path], styles: Mapping[str, int]) -> LineChart | None:
    """The chart of a metric; none of one that is zero throughout, such as skipped batches."""
    curves: dict[str, list[tuple[float, float]]] = {}
    for name, folder in folders.items():
        path = folder / f"{metric}.tsv"
        if path.is_file():
            curves[name] = read_curve(path, metric)
    if not any(value for points in curves.values() for _, value in points):
        return None
    kind = KINDS.get(metric, Kind(metric.replace("_", " ")))
    return line_chart(
        kind.title,
        curves,
        x_name="update",
        y_name="",
        styles=styles,
        scale=kind.scale,
        x_from_zero=True,
        within=kind.within,
        digits=kind.digits,
    )


def read_curve(path: Path, metric: str) -> list[tuple[float, float]]:
    """The points of a curve: update and value.

    Raises:
        InputError: the file is no such curve.
    """
    return [
        (
            read_number(row["step"], path=path, line=line),
            read_number(row[metric], path=path, line=line),
        )
        for line, row in read_table(path, ("step", metric), delimiter="\t")
    ]


def _trainings(inputs: Inputs) -> list[tuple[str, dict[str, float]]]:
    """The numbers that each training tells of itself at its end."""
    return [
        (system.name, {k: x for k, x in report.content.items() if isinstance(x, int | float)})
        for system in inputs.systems
        if (report := system.report("train")) is not None
    ]
