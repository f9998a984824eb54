"""Results of a table's cells: a row has mean and standard deviation over seeds."""

import statistics
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, Literal

from mgsa.cli.files import atomic_file, write_json
from mgsa.data.controls import PHRASE_SOURCES
from pipeline.experiment.plan import Cell, Table
from pipeline.formats.tables import Record, markdown

HEADINGS = {"bleu": "BLEU", "chrf": "chrF", "ter": "TER"}
CONTRASTS = {f"contrast_{source}": f"given {source} phrases" for source in PHRASE_SOURCES} | {
    "contrast_parsed": "contrastive accuracy"
}
BY_SEED = {"bootstrap": "p by seed (bootstrap)", "randomization": "p by seed (randomisation)"}
OVER_SEEDS = "p over seeds"
CONTRASTS_BY_SEED, CONTRASTS_OVER_SEEDS = "p by seed (contrasts)", "p over seeds (contrasts)"
AER, ATTENTION = "aer", "attention"
SHARES = "Attention from words to words / phrases, from phrases to words / phrases, in %"
Missing = Literal["failed", "not_run"]
"""Why a cell has no result: DVC was to run it now, or nobody has asked for it as it is to be."""


def read_cell(runs: Path, table: Table, cell: Cell) -> dict[str, Any]:
    """Scores, size, speed and dataset of a finished cell, and what else the table asks for."""
    scores, contrasts, training, model = (
        Record.read(runs / cell.name / name)
        for name in ("evaluate.json", "contrast.json", "train.json", "model/manifest.json")
    )
    speed, sets = training.get("tokens_per_second"), scores.get("sets", {}).items()
    return {
        "seed": cell.seed,
        "scores": {one["metric"]: scores[one["metric"]] for one in scores["signatures"]}
        | {f"BLEU {name}": of_set["bleu"] for name, of_set in sets if "bleu" in of_set},
        **{
            name: contrasts[kind]["accuracy"]
            for name in CONTRASTS
            if (kind := name.removeprefix("contrast_")) in contrasts
        },
        "parameters": training["parameters"],
        "tokens_per_second": speed,
        "minutes": training["target_tokens"] / speed / 60 if speed else None,
        "dataset": model["dataset"]["identity"],
        **({AER: Record.read(runs / cell.name / "alignment.json")[AER]} if table.align else {}),
        **({ATTENTION: Record.read(runs / cell.name / "attention.json")} if table.analyze else {}),
    }


def collect(
    runs: Path,
    name: str,
    table: Table,
    cells: Mapping[str, Sequence[Cell]],
    finished: Collection[Cell],
    missing: Missing,
) -> dict[str, Any]:
    """Collect a table's finished cells by system, the baseline first.

    Args:
        runs: parent of the cells' folders.
        name: of the table.
        cells: by system.
        finished: the cells to read.
        missing: why the others have no results.
    """
    from pipeline.experiment.significance import compare_cells, contrast_test, translation_test

    systems, dataset = {}, None
    for system, of_system in cells.items():
        done = [cell for cell in of_system if cell in finished]
        results = [read_cell(runs, table, cell) for cell in done]
        scores = [result["scores"] for result in results]
        metrics = [n for n in dict.fromkeys(chain(*scores)) if all(n in each for each in scores)]
        names = [
            name
            for name in (AER, *CONTRASTS, "tokens_per_second", "minutes")
            if all(result.get(name) is not None for result in results)
        ]
        pairs = [(cell, Cell(table.baseline, cell.seed)) for cell in done]
        compared = [pair for pair in pairs if pair[0] != pair[1] and pair[1] in finished]
        systems[system] = {
            "parameters": results[0]["parameters"] if results else None,
            "scores": {name: spread(each[name] for each in scores) for name in metrics},
            **{name: spread(result[name] for result in results) for name in names},
            "comparisons": [compare_cells(runs, pair) for pair in compared],
            "over_seeds": {
                "bleu": translation_test(runs, compared) if compared else None,
                "contrast": contrast_test(runs, compared) if compared else None,
            },
            ATTENTION: mean_shares([result.pop(ATTENTION, {}) for result in results]),
            "cells": results,
            "seeds": [cell.seed for cell in done],
            **{"failed": [], "not_run": []},
            missing: [cell.seed for cell in of_system if cell not in finished],
        }
        dataset = dataset or (results[0]["dataset"] if results else None)
    about = {"title": table.title or name, "baseline": table.baseline, "dataset": dataset}
    return {**about, "systems": systems}


def mean_shares(cells: Sequence[Mapping[str, Any]]) -> dict[str, list[dict[str, float]]]:
    """Shares of attention by quadrant in each layer of each place: means over the cells."""
    return {
        place: [
            {name: statistics.fmean(one[place][layer][name] for one in cells) for name in shares}
            for layer, shares in layers.items()
        ]
        for place, layers in (cells[0] if cells else {}).items()
    }


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
    told = [row["scores"] for row in systems.values() if row["seeds"]]
    metrics = [n for n in dict.fromkeys(chain(*told)) if all(n in scores for scores in told)]
    given = [name for name in CONTRASTS if any(row.get(name) for row in systems.values())]
    rows = []
    for system, row in systems.items():
        scores = {HEADINGS.get(n, n): _shown(row["scores"].get(n)) for n in metrics}
        shown = {"system": system} | scores
        shown["Δ BLEU"] = _shown(spread(one["difference"] for one in row["comparisons"]), "+.2f")
        for test, heading in BY_SEED.items():
            shown[heading] = _p_values(one[test] for one in row["comparisons"])
        shown[OVER_SEEDS] = _p_values([row["over_seeds"]["bleu"]])
        if any(other.get(AER) for other in systems.values()):
            shown["AER"] = _shown(row.get(AER))
        shown |= {CONTRASTS[name]: _shown(row.get(name)) for name in given}
        if given:
            shown[CONTRASTS_BY_SEED] = _p_values(one["contrast"] for one in row["comparisons"])
            shown[CONTRASTS_OVER_SEEDS] = _p_values([row["over_seeds"]["contrast"]])
        shown["parameters"] = f"{row['parameters']:,}" if row["seeds"] else ""
        shown["tokens/s"] = _shown(row.get("tokens_per_second"), ",.0f")
        shown["minutes"] = _shown(row.get("minutes"), ".1f")
        done, absent = len(row["seeds"]), len(row["failed"] + row["not_run"])
        shown["seeds"] = f"{done} of {done + absent}" if absent else f"{done}"
        rows.append(shown)
    return rows


def attention_rows(content: Mapping[str, Any]) -> list[dict[str, str]]:
    """Shares of attention in per cent, a row for each system and place with phrases.

    Phrase-based attention, tables 3 and 4: from words to words / phrases, then from phrases.
    """
    rows = []
    for system, row in content["systems"].items():
        for place, layers in row.get(ATTENTION, {}).items():
            if any(len(shares) > 1 for shares in layers):
                shown = ("/".join(f"{100 * x:.0f}" for x in each.values()) for each in layers)
                numbered = {f"layer {n}": text for n, text in enumerate(shown, start=1)}
                rows.append({"system": system, "attention": place} | numbered)
    return rows


def to_markdown(content: Mapping[str, Any]) -> str:
    """A title, the table, the cells without results, and shares of attention."""
    rows, without = table_rows(content), [""]
    for system, row in content["systems"].items():
        without += [f"{system}-{seed}: failed" for seed in row["failed"]]
        without += [f"{system}-{seed}: not run" for seed in row["not_run"]]
    table = (row.values() for row in rows)
    title = f"{content['title']}; differences and p-values: to {content['baseline']}."
    lines = [title, "", *markdown([*rows[0]], table), *without]
    if shares := attention_rows(content):
        lines += ["", f"{SHARES}:", "", *markdown([*shares[0]], (row.values() for row in shares))]
    return "\n".join(lines).rstrip() + "\n"


def _shown(figure: Mapping[str, float | None] | None, form: str = ".2f") -> str:
    if figure is None:
        return ""
    mean, deviation = (None if n is None else format(n, form) for n in figure.values())
    return f"{mean}" if deviation is None else f"{mean} ± {deviation.removeprefix('+')}"


def _p_values(values: Iterable[float | None]) -> str:
    return ", ".join(f"{value:.4f}" for value in values if value is not None)


def write_table(folder: Path, name: str, content: dict[str, Any]) -> None:
    """Write a table as JSON, which has every cell, and as Markdown."""
    write_json(folder / f"{name}.json", content)
    with atomic_file(folder / f"{name}.md") as file:
        file.write(to_markdown(content))
