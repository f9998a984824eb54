"""Tables of systems, each trained from several seeds: run what is missing, then collect.

DVC runs the cells of the matrix in `experiments/dvc.yaml`; a failed cell stops no other.
"""

import json
import os
import shlex
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

from mgsa.cli.command import Option, Positional, command
from mgsa.cli.errors import FailedError, InputError
from mgsa.cli.files import atomic_file
from mgsa.cli.provenance import all_settings
from mgsa.cli.run import one_line, run
from mgsa.cli.settings import from_mapping, read_yaml, shown, to_mapping, write_yaml
from pipeline.experiment.parameters import CHOICE, Choice
from pipeline.experiment.plan import Plan
from pipeline.experiment.results import Missing, collect, to_markdown, write_table
from pipeline.params.presets import compose
from pipeline.params.sections import check_parameters

DVC = (sys.executable, "-m", "dvc")
LAST = ("contrast@", "evaluate@", "analyze@", "align@")
"""The stages that DVC is asked for: it knows what they need."""


def experiment(
    *,
    tables: Annotated[list[str], Positional("of params.yaml; without one, they are listed")] = [],  # noqa: B006
    folder: Annotated[Path, Option("where dvc.yaml of the experiments lies")] = Path("experiments"),
    size: Annotated[str, Option("of all systems: tiny, base or big (default: tiny)")] = "tiny",
    overrides: Annotated[
        str | None, Option("of conf/, for all cells; kept in overrides.yaml", "'KEY=VALUE …'")
    ] = None,
    seeds: Annotated[int | None, Option("how many, in place of the tables' num_seeds")] = None,
    collect_only: Annotated[bool, Option("run nothing; take the cells that are finished")] = False,
) -> None:
    """Train, score and compare the systems of a table, each from several seeds."""
    path = folder / "params.yaml"
    plan = Plan.read(folder)
    if not tables:
        for name, table in plan.tables.items():
            print(f"{name}: {table.title}")
        return
    for name in tables:
        if name not in plan.tables:
            expected = ", ".join(plan.tables)
            raise InputError(f"{name}: no such table; expected one of {expected}", path=path)
    if size not in plan.sizes:
        expected = ", ".join(plan.sizes)
        raise InputError(f"--size {size}: expected one of {expected}", path=path)
    if seeds is not None and not 1 <= seeds <= len(plan.seeds):
        raise InputError(f"--seeds: expected 1 to {len(plan.seeds)}, got {seeds}", path=path)
    dataset = folder.parent / "data/dataset"
    if not collect_only and not dataset.is_dir():
        raise InputError("no such folder, which `dvc repro dataset` makes", path=dataset)
    systems = {cell for name in tables for cell in plan.cells(plan.tables[name])}
    of_systems = [plan.overrides(name, size) for name in sorted(systems)]
    made_by = all_settings([dataset], {})
    keep_choice(folder, of_systems, size, overrides, made_by)
    missing: Missing = "not_run" if collect_only else "failed"
    without: dict[str, None] = {}
    for name in tables:
        table = plan.tables[name]
        cells = plan.cells(table, seeds)
        stages = {cell: table.stages(cell) for row in cells.values() for cell in row}
        lasts = [stage for of in stages.values() for stage in of if stage.startswith(LAST)]
        if not collect_only:
            run_stages(folder, lasts)
        unfinished = unfinished_stages(folder, lasts)
        finished = {cell for cell, of in stages.items() if unfinished.isdisjoint(of)}
        if collect_only and not finished:
            raise FailedError(
                f"{name}: no cell is of the present dataset, parameters and code (`dvc status` in "
                f"{folder} says what has changed); its table is left as it is"
            )
        content = collect(folder / "runs" / size, name, table, cells, finished, missing)
        write_table(folder / "tables" / size, name, content)
        print(f"\n## {name}\n\n{to_markdown(content)}")
        without |= dict.fromkeys(cell.name for cell in stages if cell not in finished)
    if without:
        count = "1 cell has" if len(without) == 1 else f"{len(without)} cells have"
        raise FailedError(f"{count} no result: {', '.join(without)}")


def keep_choice(
    folder: Path,
    systems: Sequence[Sequence[str]],
    size: str,
    overrides: str | None,
    made_by: Mapping[str, Any],
) -> None:
    """Write size and overrides of all cells for DVC, if these systems take them.

    Args:
        systems: the overrides of each.
        overrides: those of all, as a shell's words; `None`: as they are.
        made_by: settings of the dataset, which no cell makes anew.
    """
    path = folder / CHOICE
    choice = from_mapping(Choice, read_yaml(path), str(path))
    try:
        words = choice.overrides if overrides is None else tuple(shlex.split(overrides))
    except ValueError as error:
        raise InputError(f"--overrides: {error}") from None
    if overrides is None and words:
        print(one_line(f"{path}: with {shlex.join(words)}, as last time"), file=sys.stderr)
    if own := [word for word in words if word.startswith(("model=", "train.seed="))]:
        expected = "expected options of all cells: models and seeds are what tells them apart"
        raise InputError(f"--overrides: {expected}, got {' '.join(own)}")
    for system in systems:
        parameters = compose(folder.parent / "conf", [*system, *words])
        sections = check_parameters(parameters, Path("--overrides"))
        for word in words:
            section, *keys = word.partition("=")[0].split(".")
            known = made_by.get(section, {})
            values = to_mapping(sections[section]) if known else {}
            for key in keys[:1] or known:
                if key in known and values.get(key) != known[key]:
                    expected = f"expected {section}.{key}={shown(known[key])}"
                    message = f"--overrides: {word}: {expected}, of which data/dataset was made"
                    raise InputError(message)
    if (chosen := Choice(size, words)) != choice:
        with atomic_file(path) as file:
            file.write(
                "# What the last `python -m pipeline.experiment` was given, for all cells.\n"
            )
            write_yaml(to_mapping(chosen), file)


def run_stages(folder: Path, stages: Sequence[str]) -> None:
    """Run the unfinished stages by DVC, going on after failures."""
    asked = [*DVC, "repro", "--keep-going", *stages]
    with subprocess.Popen(asked, cwd=folder, process_group=0) as dvc:
        try:
            dvc.wait()
        except BaseException:
            os.killpg(dvc.pid, signal.SIGTERM)  # a training saves its state, and goes on later
            dvc.wait()
            raise


def unfinished_stages(folder: Path, stages: Sequence[str]) -> frozenset[str]:
    """The stages, dependencies included, that are out of date, failed or running.

    Raises:
        FailedError: `dvc status` fails: no project, broken files, or a lock.
    """
    asked = [*DVC, "status", "--json", "--with-deps", *stages]
    done = subprocess.run(asked, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        message = done.stderr.strip().removeprefix("ERROR: ").partition("\n")[0]
        raise FailedError(f"dvc status: {message}")
    return frozenset(json.loads(done.stdout))


main = command(experiment, "python -m pipeline.experiment")

if __name__ == "__main__":
    sys.exit(run(main))
