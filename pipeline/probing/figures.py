"""Accuracies of probes by encoder, and by layer; always with 95% intervals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict

from pipeline.base.charts import Spec, chart
from pipeline.patterns.figures import pattern_chart
from pipeline.probing.accuracies import MAJORITY, Accuracy


def accuracy_chart(cells: Sequence[Accuracy], styles: Mapping[str, int] | None = None) -> Spec:
    """A row for each encoder, with a line at the majority class."""
    if styles is None:
        styles = {name: i for i, name in enumerate(dict.fromkeys(cell.encoder for cell in cells))}
    spec = chart(
        "accuracies", [asdict(cell) for cell in cells], x="accuracy", y="encoder", styles=styles
    )
    del spec["facet"]["column"]
    spec["facet"]["row"]["sort"] = list(dict.fromkeys(cell.task for cell in cells))
    return spec


def layer_chart(cells: Sequence[Accuracy], styles: Mapping[str, int] | None = None) -> Spec:
    """A curve for each encoder and one for the majority class; fewer layers leave gaps."""
    rows = [
        {
            "system": cell.encoder,
            "measure": cell.task,
            "n": cell.layer,
            "score": cell.accuracy,
            "score_low": cell.low,
            "score_high": cell.high,
        }
        for cell in sorted(cells, key=lambda cell: cell.layer)
    ]
    majorities = {(cell.task, cell.layer): cell.majority for cell in cells}
    rows += [
        {"system": MAJORITY, "measure": task, "n": layer, "score": majority}
        | dict.fromkeys(("score_low", "score_high"))
        for (task, layer), majority in sorted(majorities.items())
    ]
    spec = pattern_chart("ngrams", rows, None, styles)
    spec["spec"]["encoding"]["x"]["title"] = "layer"
    return spec
