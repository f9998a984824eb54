"""Tables of systems, each trained from several seeds: run what is missing, then collect.

DVC runs the cells of the matrix in `experiments/dvc.yaml` and knows which are finished; one that
fails holds up nothing but itself. This command asks it for the cells of the tables that are named,
and sets side by side what the finished ones came to.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Collection, Sequence
from pathlib import Path

from mgsa.base.cli import progress_bar, run
from mgsa.base.errors import FailedError, InputError
from mgsa.base.io import atomic_file, write_json
from pipeline.experiment.cells import run_stages, unfinished_stages
from pipeline.experiment.choices import write_values
from pipeline.experiment.plan import Cell, Plan, read_plan
from pipeline.experiment.results import Row, read_rows
from pipeline.experiment.table import FAILED, NOT_RUN, Missing, to_csv, to_mapping, to_markdown


def last_stages(plan: Plan, tables: Sequence[str]) -> list[str]:
    """What DVC is to be asked for: the stages of the tables' cells that no other one reads."""
    stages: dict[str, None] = {}
    for name in tables:
        for cells in plan.rows(name).values():
            for cell in cells:
                stages[f"evaluate@{cell.name}"] = None
                if plan.tables[name].analyze:
                    stages[f"analyze@{cell.name}"] = None
    return list(stages)


def finished_cells(plan: Plan, name: str, unfinished: Collection[str]) -> set[Cell]:
    """The cells of a table none of whose stages is unfinished."""
    analyze = plan.tables[name].analyze
    return {
        cell
        for cells in plan.rows(name).values()
        for cell in cells
        if not any(stage in unfinished for stage in cell.stages(analyze=analyze))
    }


def collect(
    folder: Path, plan: Plan, name: str, *, finished: Collection[Cell], missing: Missing
) -> list[Row]:
    """Write a table of what its finished cells came to, into `tables` of the folder.

    Args:
        finished: the cells that have a result.
        missing: what to say of the others.

    Raises:
        InputError: what a cell wrote is malformed.
    """
    table = plan.tables[name]
    rows = plan.rows(name)
    num_comparisons = sum(len(cells) for cells in list(rows.values())[1:])
    with progress_bar(f"compare {name}", total=num_comparisons, unit="cells") as advance:
        found = read_rows(folder / "runs", rows, finished, on_comparison=lambda: advance(1))
    tables = folder / "tables"
    tables.mkdir(exist_ok=True)
    for suffix, text in {"md": to_markdown(table, found, missing), "csv": to_csv(found)}.items():
        with atomic_file(tables / f"{name}.{suffix}") as file:
            file.write(text)
    write_json(tables / f"{name}.json", to_mapping(table, found, missing))
    return found


def choose(path: Path, plan: Plan, arguments: argparse.Namespace) -> Plan:
    """Write the command's choices into the parameter file, and read that again.

    Raises:
        InputError: there are not so many seeds, or it is not said of which table.
    """
    values: dict[tuple[str, ...], str | int] = {}
    if arguments.overrides is not None:
        values["overrides",] = arguments.overrides
    if arguments.seeds is not None:
        if not 1 <= arguments.seeds <= len(plan.seeds):
            raise InputError(
                f"--seeds: expected 1 to {len(plan.seeds)}, for so many there are in seeds, "
                f"got {arguments.seeds}",
                path=path,
            )
        if not arguments.tables:
            raise InputError("--seeds: expected a TABLE whose cells are to have so many")
        values |= {("tables", name, "num_seeds"): arguments.seeds for name in arguments.tables}
    if not values:
        return plan
    write_values(path, values)
    return read_plan(path)


def main(argv: Sequence[str] | None = None) -> None:
    """Run and collect the tables that are named."""
    arguments = _parser().parse_args(argv)
    folder: Path = arguments.folder
    plan = read_plan(folder / "params.yaml")
    for name in arguments.tables:
        if name not in plan.tables:
            raise InputError(
                f"{name}: no such table; expected one of {', '.join(plan.tables)}",
                path=folder / "params.yaml",
            )
    plan = choose(folder / "params.yaml", plan, arguments)
    if not arguments.tables:
        for name, table in plan.tables.items():
            print(f"{name}: {table.title}")
        return
    stages = last_stages(plan, arguments.tables)
    # Asked before running too: what stops DVC itself is said before any work, and makes no table.
    unfinished = unfinished_stages(folder, stages)
    all_ran = True
    if not arguments.collect_only:
        all_ran = run_stages(folder, stages)
        unfinished = unfinished_stages(folder, stages)
    missing: Missing = NOT_RUN if arguments.collect_only else FAILED
    without: dict[str, None] = {}
    for name in arguments.tables:
        finished = finished_cells(plan, name, unfinished)
        if arguments.collect_only and not finished:
            raise FailedError(
                f"{name}: no cell is of the present dataset and parameters (`dvc status` in "
                f"{folder} says what has changed); its table is left as it is"
            )
        rows = collect(folder, plan, name, finished=finished, missing=missing)
        print(f"\n## {name}\n\n{to_markdown(plan.tables[name], rows, missing)}")
        without |= dict.fromkeys(cell.name for row in rows for cell in row.missing)
    if without:
        count = "1 cell has" if len(without) == 1 else f"{len(without)} cells have"
        raise FailedError(f"{count} no result: {', '.join(without)}")
    if not all_ran:
        raise FailedError("dvc repro: failed, though every cell is finished")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m pipeline.experiment",
        description="Train, score and compare the systems of a table, each from several seeds.",
    )
    parser.add_argument(
        "tables",
        nargs="*",
        metavar="TABLE",
        help="tables of params.yaml; without one, they are listed",
    )
    parser.add_argument(
        "--folder",
        type=Path,
        default=Path("experiments"),
        metavar="DIR",
        help="where dvc.yaml and params.yaml of the experiments lie (default: experiments)",
    )
    parser.add_argument(
        "--overrides",
        metavar="'KEY=VALUE …'",
        help="of conf/, for the cells of all tables; written into params.yaml first",
    )
    parser.add_argument(
        "--seeds",
        type=int,
        metavar="N",
        help="from how many seeds each system of these tables is trained; written there too",
    )
    parser.add_argument(
        "--collect-only",
        action="store_true",
        help="run nothing; take the cells that are of the present dataset and parameters",
    )
    return parser


if __name__ == "__main__":
    sys.exit(run(main))
