"""Stage `report`: one HTML file about a run, or about several systems side by side.

It needs no network and no server, and it shows the numbers of the files that the stages wrote, so
`dvc plots show` and `dvc metrics diff` tell the same.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from mgsa.base.cli import run
from mgsa.base.errors import InputError
from mgsa.base.io import atomic_folder, open_to_write
from mgsa.base.settings import read_yaml
from pipeline.base.stage import argument_parser, check_replaceable, named_paths, read_settings
from pipeline.report_page.inputs import ReportSettings

if TYPE_CHECKING:
    from pipeline.report_page.system import System

PAGE = "index.html"
RUN = "this run"
"""What the run's own system is called where nothing says which model it is."""


def main(argv: Sequence[str] | None = None) -> None:
    """Write the page."""
    arguments = _parser().parse_args(argv)
    settings = read_settings(arguments, "report", ReportSettings)

    from pipeline.report_page.inputs import PATHS, Inputs
    from pipeline.report_page.page import render

    given = {name: getattr(arguments, name.replace("-", "_")) for name in PATHS}
    paths = {name: path for name, path in given.items() if path is not None}
    for name, path in paths.items():
        if not path.is_dir():
            raise InputError(f"--{name}: no such folder", path=path)
    check_replaceable(arguments.out, PAGE, inputs=paths.values())
    _check_alone(arguments.out)
    systems = list(_systems(arguments, paths))
    only_compares = len(systems) == len(arguments.system) and bool(systems or arguments.table)
    inputs = Inputs(
        settings=settings,
        parameters=None if only_compares else read_yaml(arguments.params),
        parameter_file=arguments.params,
        paths=paths,
        gold=arguments.gold,
        systems=systems,
        tables=arguments.table,
    )
    page = render(inputs)
    with atomic_folder(arguments.out) as folder, open_to_write(folder / PAGE) as file:
        file.write(page)


def _check_alone(folder: Path) -> None:
    """Check that a folder holds nothing but a page: `index.html` is what every web site has.

    Raises:
        InputError: it does.
    """
    others = sorted(path for path in folder.glob("*") if path.name != PAGE)
    if others:
        raise InputError(
            f"expected a folder with nothing but {PAGE}, to replace as a whole", path=others[0]
        )


def _systems(arguments: argparse.Namespace, paths: dict[str, Path]) -> Iterator[System]:
    """The run's own system if there is anything of it, then those to compare.

    Raises:
        InputError: a folder is missing or no system's, or two have one name.
    """
    from pipeline.report_page.system import System

    compared = named_paths("--system", arguments.system, "DIR", nameless=True)
    own = {name: paths.get(name) for name in ("translations", "curves", "attention", "model")}
    reports = paths.get("reports")
    alone = not arguments.system and reports is not None
    if any(own.values()) or (alone and reports and (reports / "evaluate.json").is_file()):
        system = System(_name(reports), reports, **own)
        if system.name in compared:
            raise InputError(
                f"--system {system.name}: expected another name, the run's model has it"
            )
        yield system
    for name, folder in compared.items():
        yield System.in_folder(name, folder)


def _name(reports: Path | None) -> str:
    """The model's name in the config groups, as far as the stage `composition` said it."""
    if reports is None or not (reports / "composition.json").is_file():
        return RUN
    from pipeline.report_page.numbers import Report

    composition = Report.read(reports / "composition.json")
    return composition.text("model") if "model" in composition else RUN


def _parser() -> argparse.ArgumentParser:
    from pipeline.report_page.inputs import PATHS

    parser = argument_parser(
        "report",
        "One HTML file about a run, or about systems side by side. Every folder is optional: a "
        "section whose inputs are not given is left out.",
    )
    for name, what in PATHS.items():
        parser.add_argument(f"--{name}", type=Path, metavar="DIR", help=what)
    parser.add_argument(
        "--gold",
        type=Path,
        metavar="FILE",
        help="gold links of the split, 3-4 for sure and 3p4 for possible ones (default: those "
        "that came with the corpus, if any)",
    )
    parser.add_argument(
        "--system",
        action="extend",
        nargs="+",
        default=[],
        metavar="NAME=DIR",
        help="a system to compare, whose folder is laid out as experiments/runs/NAME; "
        "DIR alone is named for its last part; may be repeated",
    )
    parser.add_argument(
        "--table",
        action="extend",
        nargs="+",
        type=Path,
        default=[],
        metavar="FILE",
        help="a table that pipeline.experiment collected, experiments/tables/NAME.json; may be "
        "repeated",
    )
    parser.add_argument(
        "--out", type=Path, required=True, metavar="DIR", help=f"for {PAGE}, which is all of it"
    )
    return parser


if __name__ == "__main__":
    sys.exit(run(main))
