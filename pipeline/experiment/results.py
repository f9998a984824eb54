"""What the cells of a table came to, and how sure the differences are.

Each system is trained from several seeds. A row has the mean and the standard deviation over them;
significance is of a pair of translations, so it is tested seed by seed.
"""

from __future__ import annotations

import csv
import io
import statistics
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

from mgsa.base.errors import InputError
from mgsa.base.io import read_json
from mgsa.base.settings import from_mapping, read_yaml
from pipeline.base.text import read_parallel
from pipeline.evaluate import EvaluateSettings, compare
from pipeline.experiment.plan import Cell, Table

METRIC: Literal["bleu"] = "bleu"
"""What systems are compared by; the other metrics are shown."""
HEADINGS = {"bleu": "BLEU", "chrf": "chrF", "ter": "TER"}
Missing = Literal["failed", "not run"]
"""Why a cell has no result: DVC was to run it now, or nobody has asked for it as it is to be."""


def read_cell(runs: Path, cell: Cell) -> dict[str, Any]:
    """Scores, size, speed and dataset of a finished cell, whose folder lies in `runs`."""
    scores, training, model = (
        read_json(runs / cell.name / name)
        for name in ("evaluate.json", "train.json", "model/manifest.json")
    )
    speed = training["tokens_per_second"]
    return {
        "seed": cell.seed,
        **{name: scores[name] for name in HEADINGS if name in scores},
        "parameters": training["parameters"],
        "tokens_per_second": speed,
        "minutes": training["target_tokens"] / speed / 60 if speed else 0.0,
        "dataset": model["dataset"]["identity"],
    }


def compare_cells(runs: Path, cell: Cell, baseline: Cell) -> dict[str, Any]:
    """Test a cell's translations against the baseline's, with the cell's settings of `evaluate`.

    Raises:
        InputError: they are not translations of the same text, or the settings are wrong.
    """
    params = runs / cell.system / "params.yaml"
    section = read_yaml(params).get("evaluate")
    settings = from_mapping(EvaluateSettings, section, f"{params}: evaluate")
    folders = [runs / one.name / "translations" for one in (cell, baseline)]
    names = ("test.references", "test.hypotheses")
    lines = read_parallel([folder / name for folder in folders for name in names])
    references, hypotheses, others, translations = (
        list(column) for column in zip(*lines, strict=True)
    )
    if references != others:
        message = f"expected the references of {folders[0]}"
        raise InputError(message, path=folders[1] / names[0])
    settings = replace(settings, metrics=(METRIC,))
    scores = compare(hypotheses, translations, references, settings)
    return {
        "seed": cell.seed,
        "difference": scores[f"{METRIC}_difference"],
        "bootstrap": scores[f"{METRIC}_p_value"],
        "randomization": scores.get(f"{METRIC}_randomization_p_value"),
    }


def read_table(
    runs: Path,
    table: Table,
    cells: Mapping[str, Sequence[Cell]],
    finished: Collection[Cell],
    missing: Missing,
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Each system of a table with what its finished cells came to, the baseline first.

    Args:
        runs: the folder of the cells' folders.
        cells: of each system.
        finished: the cells to read; whatever lies in the folders of others is no result.
        missing: why the others have none.

    Raises:
        InputError: what a cell wrote is malformed, or cells are of several datasets.
    """
    dataset = None
    for system, of_system in cells.items():
        results, comparisons = [], []
        for cell in (cell for cell in of_system if cell in finished):
            results.append(read_cell(runs, cell))
            dataset = dataset or results[0]["dataset"]
            if results[-1]["dataset"] != dataset:
                message = "expected a model of the dataset that the others were trained on"
                raise InputError(message, path=runs / cell.name / "model/manifest.json")
            baseline = Cell(table.baseline, cell.seed)
            if system != table.baseline and baseline in finished:
                comparisons.append(compare_cells(runs, cell, baseline))
        names = [name for name in HEADINGS if all(name in result for result in results)]
        names += ["tokens_per_second", "minutes"]
        absent = [cell.seed for cell in of_system if cell not in finished]
        row = {
            "parameters": results[0]["parameters"] if results else None,
            **{name: spread([result[name] for result in results]) for name in names},
            "comparisons": comparisons,
            "cells": results,
            "seeds": [result["seed"] for result in results],
            "failed": absent if missing == "failed" else [],
            "not_run": absent if missing == "not run" else [],
        }
        yield system, row


def spread(values: Sequence[float]) -> dict[str, float | None] | None:
    """Mean and standard deviation of a sample; the latter is `None` of fewer than two."""
    if not values:
        return None
    deviation = statistics.stdev(values) if len(values) > 1 else None
    return {"mean": statistics.fmean(values), "deviation": deviation}


def to_markdown(content: Mapping[str, Any]) -> str:
    """A title and a table whose rows are systems; means ± standard deviations over seeds."""
    systems = content["systems"]
    metrics = [name for name in HEADINGS if all(name in row for row in systems.values())]
    tests = ["p by seed (bootstrap)", "p by seed (randomisation)"]
    headings = ["system", *(HEADINGS[name] for name in metrics), "Δ BLEU", *tests]
    headings += ["parameters", "tokens/s", "minutes", "seeds"]
    lines = [
        f"{content['title']}; differences and p-values: to {content['baseline']}.",
        "",
        f"| {' | '.join(headings)} |",
        f"| --- |{' ---: |' * (len(headings) - 1)}",
    ]
    without = []
    for system, row in systems.items():
        reason = "failed" if row["failed"] else "not run"
        absent = row["failed"] + row["not_run"]
        without += ["", *(f"{system}-{seed}: {reason}" for seed in absent)]
        count = len(row["seeds"])
        cells = [*[reason] * len(metrics), *[""] * 6]
        if count:
            compared = row["comparisons"]
            values = [one["randomization"] for one in compared]
            cells = [
                *(_shown(row[name]) for name in metrics),
                _shown(spread([one["difference"] for one in compared]), "+"),
                ", ".join(f"{one['bootstrap']:.3f}" for one in compared),
                ", ".join(f"{value:.4f}" for value in values if value is not None),
                f"{row['parameters']:,}",
                f"{row['tokens_per_second']['mean']:,.0f}",
                f"{row['minutes']['mean']:.1f}",
            ]
        seeds = f"{count} of {count + len(absent)}" if absent else f"{count}"
        lines.append(f"| {' | '.join([system, *cells, seeds])} |")
    return "\n".join([*lines, *without]).rstrip() + "\n"


def _shown(figure: Mapping[str, float | None] | None, sign: str = "") -> str:
    if figure is None:
        return ""
    text, deviation = format(figure["mean"], f"{sign}.2f"), figure["deviation"]
    return text if deviation is None else f"{text} ± {deviation:.2f}"


def to_csv(content: Mapping[str, Any]) -> str:
    """A line for each finished cell: its scores, and how it compares with the baseline."""
    rows = []
    for system, row in content["systems"].items():
        compared = {one["seed"]: one for one in row["comparisons"]}
        for cell in row["cells"]:
            line = {"system": system} | {k: v for k, v in cell.items() if k != "dataset"}
            comparison = compared.get(cell["seed"], {})
            for name in ("difference", "bootstrap", "randomization"):
                heading = name if name == "difference" else f"{name}_p_value"
                line[heading] = comparison.get(name)
            rows.append(line)
    text = io.StringIO()
    writer = csv.DictWriter(text, list(rows[0]) if rows else ["system"], lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()
