"""Accuracies of probes: every encoder beside the majority class, task by task and by layer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import count
from typing import Any, NamedTuple

from pipeline.base.stage import SPLITS
from pipeline.probing.accuracies import MAJORITY, Accuracy, last_layers
from pipeline.report_page.charts.bars import Axis, Interval, axis
from pipeline.report_page.charts.line_chart import LineChart, Point, line_chart
from pipeline.report_page.charts.ticks import PERCENT
from pipeline.report_page.inputs import Inputs
from pipeline.report_page.numbers import Report
from pipeline.report_page.section import Context


class Kind(NamedTuple):
    """What a task is called, what it asks, and of what."""

    title: str
    question: str
    unit: str


TASKS = {
    "voice": Kind("Voice", "Is the main clause active or passive?", "sentences"),
    "tense": Kind("Tense", "Is the finite verb of the main clause in the past tense?", "sentences"),
    "tss": Kind(
        "Top-level sequence (TSS)",
        "Which constituents does the sentence consist of, in their order?",
        "sentences",
    ),
    "spc": Kind(
        "Smallest phrase constituent (SPC)",
        "Which constituent is right above the word’s part of speech?",
        "subwords",
    ),
    "pos": Kind("Part of speech (POS)", "Which part of speech is the word?", "subwords"),
}

GREY = 6
"""The style of the majority class, which no encoder has."""


class Bar(NamedTuple):
    """An encoder's accuracy, and where it is on the axis of its task.

    The majority class has neither layer nor interval.
    """

    name: str
    layer: int | None
    accuracy: float
    low: float | None
    high: float | None
    place: Interval


def context(inputs: Inputs) -> Context | None:
    report, data = inputs.report("probe"), inputs.report("probe_data")
    if report is None:
        return None
    cells = [_cell(one) for one in report.parts("cells")]
    numbers = (number for number in count() if number != GREY)
    styles = dict(zip(dict.fromkeys(cell.encoder for cell in cells), numbers, strict=False))
    styles[MAJORITY] = GREY
    of_tasks: dict[str, list[Accuracy]] = {}
    for cell in cells:
        of_tasks.setdefault(cell.task, []).append(cell)
    return {
        "tasks": [_task(name, some, styles, data) for name, some in of_tasks.items()],
        "left_out": [_kind(name).title for name in _asked(report) if name not in of_tasks],
        "styles": styles,
        "sentences": report.number("test_sentences"),
        "splits": SPLITS,
        "paths": [one.path for one in (report, data) if one is not None],
    }


def _cell(one: Report) -> Accuracy:
    return Accuracy(
        encoder=one.text("encoder"),
        layer=int(one.number("layer")),
        task=one.text("task"),
        classes=int(one.number("classes")),
        counted=int(one.number("counted")),
        accuracy=one.number("accuracy"),
        low=one.number("low"),
        high=one.number("high"),
        majority=one.number("majority"),
    )


def _task(
    name: str, cells: Sequence[Accuracy], styles: Mapping[str, int], data: Report | None
) -> dict[str, Any]:
    """What is shown of a task: bars of the last layers, the curve over all of them, classes."""
    kind, last, majority = _kind(name), last_layers(cells), cells[0].majority
    ends = [majority, *(end for one in last for end in (one.accuracy, one.low, one.high))]
    scale = axis(ends, PERCENT)
    return {
        "kind": kind,
        "classes": cells[0].classes,
        "counted": cells[0].counted,
        "axis": scale,
        "bars": [
            Bar(MAJORITY, None, majority, None, None, scale.interval(majority, None, None)),
            *(_bar(one, scale) for one in last),
        ],
        "chart": _layers(kind.title, cells, styles),
        "counts": [] if data is None else _class_counts(name, data),
    }


def _bar(cell: Accuracy, scale: Axis) -> Bar:
    return Bar(
        name=cell.encoder,
        layer=cell.layer,
        accuracy=cell.accuracy,
        low=cell.low,
        high=cell.high,
        place=scale.interval(cell.accuracy, cell.low, cell.high),
    )


def _layers(title: str, cells: Sequence[Accuracy], styles: Mapping[str, int]) -> LineChart | None:
    """The accuracies by layer; none where no encoder was asked for more than one."""
    if len(cells) == len(last_layers(cells)):
        return None
    layers = sorted({cell.layer for cell in cells})
    curves: dict[str, list[Point]] = {}
    for cell in sorted(cells, key=lambda cell: cell.layer):
        point = Point(layers.index(cell.layer), cell.accuracy, cell.low, cell.high)
        curves.setdefault(cell.encoder, []).append(point)
    ordered = {encoder: curves[encoder] for encoder in styles if encoder in curves}
    ordered[MAJORITY] = [Point(place, cells[0].majority) for place in range(len(layers))]
    return line_chart(
        f"{title} by layer",
        ordered,
        x_name="layer",
        y_name="accuracy",
        styles=styles,
        x_names=[str(layer) for layer in layers],
        within=PERCENT,
        digits=1,
    )


def _class_counts(task: str, data: Report) -> list[tuple[str, list[float]]]:
    """How many sentences, or words, of each split are of each class."""
    of_splits = [data.part(split).part(task) for split in SPLITS]
    return [
        (name, [of_split.number(name) for of_split in of_splits]) for name in of_splits[0].content
    ]


def _kind(task: str) -> Kind:
    return TASKS.get(task, Kind(task, "", ""))


def _asked(report: Report) -> list[str]:
    """The tasks that the probes were to learn."""
    named = [one.content.get("tasks") for one in report.parts("recipe")]
    return [str(task) for tasks in named if isinstance(tasks, list) for task in tasks]
