"""Tables of systems, each trained from several seeds: run what is missing, then collect.

DVC runs the cells of the matrix in `experiments/dvc.yaml` and knows which are finished; one that
fails holds up nothing but itself. This command asks it for the cells of the tables that are named,
and sets side by side what they came to.
"""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from mgsa.command import progress_bar, run
from mgsa.errors import FailedError, InputError
from mgsa.files import replacing_file, write_json
from pipeline.experiment.plan import Plan, read_plan
from pipeline.experiment.results import Row, read_rows
from pipeline.experiment.table import to_csv, to_mapping, to_markdown


def run_cells(folder: Path, plan: Plan, tables: Sequence[str]) -> None:
    """Let DVC run every cell of the tables that is not finished, whatever becomes of the others.

    Raises:
        FailedError: DVC can't be run.
    """
    stages: dict[str, None] = {}
    for name in tables:
        for cells in plan.rows(name).values():
            for cell in cells:
                stages[f"evaluate@{cell.name}"] = None
                if plan.tables[name].analyze:
                    stages[f"analyze@{cell.name}"] = None
    command = [sys.executable, "-m", "dvc", "repro", "--keep-going", *stages]
    try:
        dvc = subprocess.Popen(command, cwd=folder, process_group=0)
    except OSError as error:
        raise FailedError(f"dvc: {error.strerror}") from None
    try:
        dvc.wait()  # what failed, DVC has said; the table shows it too
    except BaseException:
        # A training saves its state, and is gone on with by the same command.
        os.killpg(dvc.pid, signal.SIGTERM)
        dvc.wait()
        raise


def collect(folder: Path, plan: Plan, name: str) -> list[Row]:
    """Write a table of what its cells came to, into `tables` of the folder.

    Raises:
        InputError: what a cell wrote is malformed.
    """
    rows = plan.rows(name)
    num_comparisons = sum(len(cells) for cells in list(rows.values())[1:])
    with progress_bar(f"compare {name}", total=num_comparisons, unit="cells") as advance:
        found = read_rows(folder / "runs", rows, on_comparison=lambda: advance(1))
    table = plan.tables[name]
    tables = folder / "tables"
    tables.mkdir(exist_ok=True)
    for suffix, text in {"md": to_markdown(table, found), "csv": to_csv(found)}.items():
        with replacing_file(tables / f"{name}.{suffix}") as file:
            file.write(text)
    write_json(tables / f"{name}.json", to_mapping(table, found))
    return found


def main(argv: Sequence[str] | None = None) -> None:
    """Run and collect the tables that are named."""
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
        "--collect-only", action="store_true", help="run nothing; take what is finished"
    )
    arguments = parser.parse_args(argv)
    folder: Path = arguments.folder
    plan = read_plan(folder / "params.yaml")
    for name in arguments.tables:
        if name not in plan.tables:
            raise InputError(
                f"{name}: no such table; expected one of {', '.join(plan.tables)}",
                path=folder / "params.yaml",
            )
    if not arguments.tables:
        for name, table in plan.tables.items():
            print(f"{name}: {table.title}")
        return
    if not arguments.collect_only:
        run_cells(folder, plan, arguments.tables)
    failed: dict[str, None] = {}
    for name in arguments.tables:
        rows = collect(folder, plan, name)
        print(f"\n## {name}\n\n{to_markdown(plan.tables[name], rows)}")
        failed |= dict.fromkeys(cell.name for row in rows for cell in row.missing)
    if failed:
        raise FailedError(f"{len(failed)} cells have no result: {', '.join(failed)}")


if __name__ == "__main__":
    sys.exit(run(main))
