"""Results of a table's cells, and significance of the differences.

A row has mean and standard deviation over seeds. Significance is tested seed by seed, since a test
compares two translations.
"""

from __future__ import annotations

import csv
import statistics
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

from mgsa.base.io import atomic_file, read_json, write_json
from mgsa.base.settings import from_mapping, read_yaml
from pipeline.base.tables import Row, markdown
from pipeline.base.text import read_parallel
from pipeline.evaluate import EvaluateSettings, compare
from pipeline.experiment.plan import Cell, Table

METRIC: Literal["bleu"] = "bleu"
"""What systems are compared by; the other metrics are shown."""
HEADINGS = {"bleu": "BLEU", "chrf": "chrF", "ter": "TER"}
TESTS = {"bootstrap": "p by seed (bootstrap)", "randomization": "p by seed (randomisation)"}
Missing = Literal["failed", "not_run"]
"""Why a cell has no result: DVC was to run it now, or nobody has asked for it as it is to be."""


def read_cell(runs: Path, cell: Cell) -> dict[str, Any]:
    """Scores, size, speed and dataset of a finished cell."""
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
    """Test a cell's translations against the baseline's, by the cell's `evaluate` settings."""
    params = runs / cell.system / "params.yaml"
    section = read_yaml(params).get("evaluate")
    settings = from_mapping(EvaluateSettings, section, f"{params}: evaluate")
    folder, other = (runs / one.name / "translations" for one in (cell, baseline))
    files = [folder / "test.hypotheses", other / "test.hypotheses", folder / "test.references"]
    ours, theirs, references = zip(*read_parallel(files), strict=True)
    scores = compare(ours, theirs, references, replace(settings, metrics=(METRIC,)))
    return {
        "seed": cell.seed,
        "difference": scores[f"{METRIC}_difference"],
        "bootstrap": scores[f"{METRIC}_p_value"],
        "randomization": scores.get(f"{METRIC}_randomization_p_value"),
    }


def collect(
    runs: Path,
    table: Table,
    cells: Mapping[str, Sequence[Cell]],
    finished: Collection[Cell],
    missing: Missing,
) -> dict[str, Any]:
    """Collect a table's finished cells by system, the baseline first.

    Args:
        runs: parent of the cells' folders.
        cells: by system.
        finished: the cells to read.
        missing: why the others have no results.
    """
    systems, dataset = {}, None
    for system, of_system in cells.items():
        done = [cell for cell in of_system if cell in finished]
        results = [read_cell(runs, cell) for cell in done]
        names = [name for name in HEADINGS if all(name in result for result in results)]
        names += ["tokens_per_second", "minutes"]
        pairs = [(cell, Cell(table.baseline, cell.seed)) for cell in done]
        compared = [pair for pair in pairs if pair[0] != pair[1] and pair[1] in finished]
        systems[system] = {
            "parameters": results[0]["parameters"] if results else None,
            **{name: spread(result[name] for result in results) for name in names},
            "comparisons": [compare_cells(runs, *pair) for pair in compared],
            "cells": results,
            "seeds": [cell.seed for cell in done],
            **{"failed": [], "not_run": []},
            missing: [cell.seed for cell in of_system if cell not in finished],
        }
        dataset = dataset or (results[0]["dataset"] if results else None)
    about = {"title": table.title, "baseline": table.baseline, "dataset": dataset}
    return {**about, "systems": systems}


def spread(values: Iterable[float]) -> dict[str, float | None] | None:
    """Mean and sample standard deviation; the latter is `None` for fewer than two values."""
    values = list(values)
    if not values:
        return None
    deviation = statistics.stdev(values) if len(values) > 1 else None
    return {"mean": statistics.fmean(values), "deviation": deviation}


def table_rows(content: Mapping[str, Any]) -> list[dict[str, str]]:
    """A row for each system, by column: means ± standard deviations over seeds."""
    systems = content["systems"]
    metrics = [name for name in HEADINGS if all(name in row for row in systems.values())]
    rows = []
    for system, row in systems.items():
        shown = {"system": system} | {HEADINGS[name]: _shown(row[name]) for name in metrics}
        shown["Δ BLEU"] = _shown(spread(one["difference"] for one in row["comparisons"]), "+.2f")
        for test, heading in TESTS.items():
            p_values = [one[test] for one in row["comparisons"] if one[test] is not None]
            shown[heading] = ", ".join(f"{p_value:.4f}" for p_value in p_values)
        shown["parameters"] = f"{row['parameters']:,}" if row["seeds"] else ""
        shown["tokens/s"] = _shown(row["tokens_per_second"], ",.0f")
        shown["minutes"] = _shown(row["minutes"], ".1f")
        done, absent = len(row["seeds"]), len(row["failed"] + row["not_run"])
        shown["seeds"] = f"{done} of {done + absent}" if absent else f"{done}"
        rows.append(shown)
    return rows


def to_markdown(content: Mapping[str, Any]) -> str:
    """A title, the table, and the cells without results."""
    rows, without = table_rows(content), [""]
    for system, row in content["systems"].items():
        without += [f"{system}-{seed}: failed" for seed in row["failed"]]
        without += [f"{system}-{seed}: not run" for seed in row["not_run"]]
    title = f"{content['title']}; differences and p-values: to {content['baseline']}."
    return "\n".join([title, "", *markdown(rows, list(rows[0])), *without]).rstrip() + "\n"


def _shown(figure: Mapping[str, float | None] | None, form: str = ".2f") -> str:
    if figure is None:
        return ""
    mean, deviation = (None if n is None else format(n, form) for n in figure.values())
    return f"{mean}" if deviation is None else f"{mean} ± {deviation.removeprefix('+')}"


def to_rows(content: Mapping[str, Any]) -> Iterator[Row]:
    """A row for each finished cell: scores, and comparison with the baseline."""
    for system, row in content["systems"].items():
        compared = {one["seed"]: one for one in row["comparisons"]}
        for cell in row["cells"]:
            comparison = compared.get(cell["seed"], {})
            yield {
                "system": system,
                **{name: value for name, value in cell.items() if name != "dataset"},
                "difference": comparison.get("difference"),
                **{f"{test}_p_value": comparison.get(test) for test in TESTS},
            }


def write_table(folder: Path, name: str, content: dict[str, Any]) -> None:
    """Write a table as JSON, Markdown and CSV."""
    write_json(folder / f"{name}.json", content)
    with atomic_file(folder / f"{name}.md") as file:
        file.write(to_markdown(content))
    with atomic_file(folder / f"{name}.csv") as file:
        rows = list(to_rows(content))
        writer = csv.DictWriter(file, rows[0] if rows else ["system"], lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
