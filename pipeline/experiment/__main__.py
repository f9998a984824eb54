"""Tables of systems, each trained from several seeds: run what is missing, then collect.

DVC runs the cells of the matrix in `experiments/dvc.yaml` and knows which are finished; one that
fails holds up nothing but itself. This command asks it for the cells of the tables that are named,
and sets side by side what the finished ones came to.
"""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import sys
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import yaml

from mgsa.base.cli import progress, run
from mgsa.base.command import Option, Positional, command
from mgsa.base.errors import FailedError, InputError
from mgsa.base.io import atomic_file, write_json
from pipeline.experiment.plan import Cell, Table, read_plan
from pipeline.experiment.results import Missing, read_table, to_csv, to_markdown

DVC = (sys.executable, "-m", "dvc")


def experiment(
    *,
    tables: Annotated[list[str], Positional("of params.yaml; without one, they are listed")] = [],  # noqa: B006
    folder: Annotated[Path, Option("where dvc.yaml of the experiments lies")] = Path("experiments"),
    overrides: Annotated[
        str | None, Option("of conf/, for all cells; kept in overrides.yaml", "'KEY=VALUE …'")
    ] = None,
    seeds: Annotated[int | None, Option("how many, in place of the tables' num_seeds")] = None,
    collect_only: Annotated[bool, Option("run nothing; take the cells that are finished")] = False,
) -> None:
    """Train, score and compare the systems of a table, each from several seeds."""
    path = folder / "params.yaml"
    plan = read_plan(path)
    for name in tables:
        if name not in plan.tables:
            expected = ", ".join(plan.tables)
            raise InputError(f"{name}: no such table; expected one of {expected}", path=path)
    if seeds is not None and not 1 <= seeds <= len(plan.seeds):
        raise InputError(f"--seeds: expected 1 to {len(plan.seeds)}, got {seeds}", path=path)
    if overrides is not None:
        keep_overrides(folder / "overrides.yaml", overrides)
    if not tables:
        for name, table in plan.tables.items():
            print(f"{name}: {table.title}")
        return
    rows = {name: plan.cells(name, seeds) for name in tables}
    stages = {
        name: {c: stages_of(c, plan.tables[name]) for row in rows[name].values() for c in row}
        for name in tables
    }
    asked = list(
        dict.fromkeys(
            name
            for cells in stages.values()
            for of in cells.values()
            for name in of
            if name.startswith(("evaluate@", "analyze@"))  # DVC knows what these need
        )
    )
    unfinished = unfinished_stages(folder, asked)
    if not collect_only:
        run_stages(folder, asked)
        unfinished = unfinished_stages(folder, asked)
    without: dict[str, None] = {}
    for name in tables:
        finished = {cell for cell, of in stages[name].items() if unfinished.isdisjoint(of)}
        if collect_only and not finished:
            raise FailedError(
                f"{name}: no cell is of the present dataset, parameters and code (`dvc status` in "
                f"{folder} says what has changed); its table is left as it is"
            )
        missing: Missing = "not run" if collect_only else "failed"
        content = collect(folder, plan.tables[name], rows[name], finished, missing)
        write_table(folder / "tables", name, content)
        print(f"\n## {name}\n\n{to_markdown(content)}")
        without |= dict.fromkeys(cell.name for cell in stages[name] if cell not in finished)
    if without:
        count = "1 cell has" if len(without) == 1 else f"{len(without)} cells have"
        raise FailedError(f"{count} no result: {', '.join(without)}")


def stages_of(cell: Cell, table: Table) -> list[str]:
    """The stages of `experiments/dvc.yaml` that make a cell."""
    steps = ("train", "translate", "evaluate", *(["analyze"] if table.analyze else []))
    return [f"compose@{cell.system}", *(f"{step}@{cell.name}" for step in steps)]


def collect(
    folder: Path,
    table: Table,
    rows: Mapping[str, Sequence[Cell]],
    finished: Collection[Cell],
    missing: Missing,
) -> dict[str, Any]:
    """What the finished cells of a table came to, by system."""
    found = read_table(folder / "runs", table, rows, finished, missing)
    title = f"compare with {table.baseline}"
    systems = dict(progress(found, title, total=len(rows), unit="systems", size=lambda _: 1))
    datasets = (cell["dataset"] for row in systems.values() for cell in row["cells"])
    return {
        "title": table.title,
        "baseline": table.baseline,
        "dataset": next(datasets, None),
        "systems": systems,
    }


def write_table(folder: Path, name: str, content: dict[str, Any]) -> None:
    """Write a table as JSON, Markdown and CSV."""
    write_json(folder / f"{name}.json", content)
    for suffix, text in (("md", to_markdown(content)), ("csv", to_csv(content))):
        with atomic_file(folder / f"{name}.{suffix}") as file:
            file.write(text)


def keep_overrides(path: Path, text: str) -> None:
    """Write the overrides of all cells, each quoted for the shell that DVC gives them to.

    Raises:
        InputError: a quote of theirs is not closed.
    """
    try:
        quoted = shlex.join(shlex.split(text))
    except ValueError as error:
        raise InputError(f"--overrides: {error}") from None
    with atomic_file(path) as file:
        file.write("# Options and keys of conf/ for all cells; `--overrides` writes this file.\n")
        yaml.safe_dump({"overrides": quoted}, file, allow_unicode=True)


def unfinished_stages(folder: Path, stages: Sequence[str]) -> frozenset[str]:
    """Which of some stages and of all that they depend on are out of date, failed or under way.

    Raises:
        FailedError: DVC can't say: it has no project there, its files are broken, or it is locked.
    """
    asked = [*DVC, "status", "--json", "--with-deps", *stages]
    done = subprocess.run(asked, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        raise FailedError(f"dvc status: {done.stderr.strip().removeprefix('ERROR: ')}")
    return frozenset(json.loads(done.stdout))


def run_stages(folder: Path, stages: Sequence[str]) -> None:
    """Let DVC run what is unfinished of some stages, whatever becomes of the others.

    Raises:
        FailedError: DVC was killed.
    """
    asked = [*DVC, "repro", "--keep-going", *stages]
    with subprocess.Popen(asked, cwd=folder, process_group=0) as dvc:
        try:
            status = dvc.wait()
        except BaseException:
            if dvc.poll() is None:
                os.killpg(dvc.pid, signal.SIGTERM)  # a training saves its state, and goes on later
                dvc.wait()
            raise
    if status < 0:
        raise FailedError(f"dvc repro: ended by signal {-status}")


main = command(experiment, "python -m pipeline.experiment")

if __name__ == "__main__":
    sys.exit(run(main))
