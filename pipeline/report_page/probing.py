"""Accuracies of probes: every encoder beside the majority class, by task and by layer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import count

from pipeline.base.charts import panel
from pipeline.base.stage import SPLITS
from pipeline.probing.accuracies import (
    COLUMNS,
    MAJORITY,
    Accuracy,
    accuracy_chart,
    last_layers,
    layer_chart,
)
from pipeline.report_page.blocks import (
    Block,
    Details,
    Group,
    Legend,
    Table,
    figure,
    files,
    series_table,
)
from pipeline.report_page.inputs import Inputs, Report
from pipeline.report_page.markup import html
from pipeline.report_page.numbers import fixed, interval, plain

TASKS = {
    "voice": ("Voice", "Is the main clause active or passive?", "sentences"),
    "tense": ("Tense", "Is the finite verb of the main clause in the past tense?", "sentences"),
    "tss": (
        "Top-level sequence (TSS)",
        "Which constituents does the sentence consist of, in their order?",
        "sentences",
    ),
    "spc": (
        "Smallest phrase constituent (SPC)",
        "Which constituent is right above the word’s part of speech?",
        "subwords",
    ),
    "pos": ("Part of speech (POS)", "Which part of speech is the word?", "subwords"),
}
"""What a task is called, what it asks, and of what."""
GREY = 6
"""The style of the majority class, which no encoder has."""


def probing(inputs: Inputs) -> Iterator[Block]:
    """Accuracies of probes: every encoder beside the majority class, by task and by layer."""
    report, data = inputs.report("probe"), inputs.report("probe_data")
    if report is None or not report["cells"]:
        return
    cells = [Accuracy(**{name: cell[name] for name in COLUMNS}) for cell in report["cells"]]
    numbers = (number for number in count() if number != GREY)
    styles = dict(zip(dict.fromkeys(cell.encoder for cell in cells), numbers, strict=False))
    styles[MAJORITY] = GREY
    tasks: dict[str, list[Accuracy]] = {}
    for cell in cells:
        tasks.setdefault(cell.task, []).append(cell)
    yield html(
        "<p>What the states of an encoder tell about syntax: a classifier with one hidden layer "
        "learns each task from them. The encoder is frozen; one whose name begins with "
        "<code>scratch_</code> learns the task itself. Accuracy is in per cent of the test split’s "
        "{} sentences, or of their subwords, with 95% intervals of bootstrap resamples. The dashed "
        "line is the majority class: who always says what is most frequent in training.</p>",
        plain(report.number("test_sentences")),
    )
    asked = [task for recipe in report["recipe"] for task in recipe["tasks"] or ()]
    left_out = [TASKS.get(task, (task,))[0] for task in asked if task not in tasks]
    if left_out:
        yield html("<p>Left out, for want of labels: {}.</p>", ", ".join(left_out))
    if any(_has_layers(some) for some in tasks.values()):
        yield Legend(styles)
    groups = [Group([*_task(name, some, styles, data)], "task") for name, some in tasks.items()]
    yield Group(groups, "beside")
    yield files(report, data)


def _has_layers(cells: Sequence[Accuracy]) -> bool:
    return len(cells) > len(last_layers(cells))


def _task(
    task: str, cells: Sequence[Accuracy], styles: Mapping[str, int], data: Report | None
) -> Iterator[Block]:
    """The last layers, the curve over all of them, classes."""
    title, question, unit = TASKS.get(task, (task, "", ""))
    last = last_layers(cells)
    yield html(
        '<h3>{}</h3><p>{} <span class="muted">{} classes, {} {} of the test split.</span></p>',
        *(title, question, plain(cells[0].classes), plain(cells[0].counted), unit),
    )
    lines = [[MAJORITY, "", fixed(cells[0].majority, 1), ""]] + [
        [one.encoder, plain(one.layer), fixed(one.accuracy, 1), _ends(one)] for one in last
    ]
    table = Table(title, ["encoder", "layer", "accuracy", "95% interval"], lines)
    yield figure(f"{title}, last layers", panel(accuracy_chart(last, styles), height=None), table)
    if _has_layers(cells):
        rows = [{**vars(one), "cell": f"{one.accuracy:.1f} ({_ends(one)})"} for one in cells]
        title_of_layers = f"{title} by layer"
        by_layer = series_table(
            title_of_layers, rows, "layer", "encoder", lambda row: row["cell"], x_name="layer"
        )
        yield figure(title_of_layers, panel(layer_chart(cells, styles)), by_layer)
    if data is not None:
        splits = [data[split][task] for split in SPLITS]
        classes = [[name, *(plain(of.number(name)) for of in splits)] for name in splits[0]]
        counts = Table(f"Classes of {title} in each split", ["class", *SPLITS], classes)
        yield Details("Classes", [counts], style="numbers")


def _ends(cell: Accuracy) -> str:
    return interval(cell.low, cell.high, lambda value: fixed(value, 1))
