"""What every stage shares: its arguments, and its own section of the parameter file."""

from __future__ import annotations

import argparse
import functools
import platform
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeVar

from mgsa.base.command import command
from mgsa.base.errors import InputError
from mgsa.base.io import atomic_file, atomic_folder, dump_json, write_json
from mgsa.base.settings import apply_overrides, from_mapping, from_tagged, read_yaml

T = TypeVar("T")

SECTIONS = (
    "corpus",
    "tokenize",
    "parser",
    "parse",
    "bpe",
    "partition",
    "align",
    "dataset",
    "probe_data",
    "model",
    "train",
    "translate",
    "evaluate",
    "phrasal_patterns",
    "analyze",
    "probe",
    "report",
    "run",
)
"""The sections of `params.yaml`, in the order of the stages that read them."""

SPLITS = ("train", "valid", "test")
SIDES = ("source", "target")
TREEBANK_PARTS = ("train", "dev")
ANNOTATIONS = ("trees", "links", "voice", "tense")
"""What a corpus may bring with its pairs, one line each: trees and labels of the source side."""


def stage(function: Callable[..., None]) -> Callable[[Sequence[str] | None], None]:
    """The `main(argv)` of a stage, which is run as `python -m` and its module's name."""
    module = sys.modules[function.__module__]
    name = module.__spec__.name if module.__spec__ else function.__module__
    prog = f"python -m {name.removesuffix('.__main__')}"
    return command(_noting_runs(function), prog, sections=SECTIONS)


def _noting_runs(function: Callable[..., None]) -> Callable[..., None]:
    """Let a stage whose report is `reports/NAME.json` note when and where it ran in `runs/`.

    The note differs in every run, so it is no output that DVC knows.
    """

    @functools.wraps(function)
    def run_stage(*settings: Any, **options: Any) -> None:
        started, clock = datetime.now(UTC), time.perf_counter()
        function(*settings, **options)
        report = options.get("report")
        if report is not None and report.parent.name == "reports":
            note = {
                "started": started.isoformat(timespec="seconds"),
                "seconds": round(time.perf_counter() - clock, 3),
                "host": platform.node(),
                "commit": _commit(),
            }
            write_json(report.parent.with_name("runs") / report.name, note)

    return run_stage


def _commit() -> str | None:
    """The commit that is checked out, with `-dirty` where files differ from it."""
    git = ["git", "describe", "--always", "--dirty", "--exclude=*"]
    with suppress(OSError):
        described = subprocess.run(git, capture_output=True, text=True, check=False)
        return described.stdout.strip() or None
    return None


@contextmanager
def stage_outputs(out: Path, report: Path | None) -> Iterator[tuple[Path, dict[str, Any]]]:
    """Give a folder and metrics to fill, which replace `out` and the file `report`, or neither.

    Both are whole, beside where they are to be, before the folder takes its place, and then the
    report does: a process that is killed between the two leaves a report of the run before.
    """
    metrics: dict[str, Any] = {}
    with ExitStack() as files:
        file = None if report is None else files.enter_context(atomic_file(report))
        yield files.enter_context(atomic_folder(out)), metrics
        if file is not None:
            dump_json(metrics, file)


@contextmanager
def atomic_outputs(
    out: Path, report: Path, *marks: str, inputs: Iterable[Path] = ()
) -> Iterator[tuple[Path, dict[str, Any]]]:
    """Give a folder and a report to fill, which replace `out` and the file `report`, or neither.

    Both are whole, beside where they are to be, before the folder takes its place, and then the
    report does: a process that is killed between the two leaves a report of the run before.

    Args:
        marks: files that the stage always writes, by which its folder is known.
        inputs: what the stage reads.

    Raises:
        InputError: `out` holds something else; or `report` or an input lies in it, which is
            replaced as a whole; or `report` is an input, or lies in one.
    """
    inputs = list(inputs)
    check_no_input(report, inputs)
    check_replaceable(out, *marks, inputs=inputs)
    if report.resolve().is_relative_to(out.resolve()):
        raise InputError(f"expected a report outside of {out}", path=report)
    numbers: dict[str, Any] = {}
    with atomic_file(report) as file, atomic_folder(out) as folder:
        yield folder, numbers
        dump_json(numbers, file)


def check_replaceable(folder: Path, *marks: str, inputs: Iterable[Path] = ()) -> None:
    """Check that a stage may replace `folder`: it is none yet, empty, or holds files `marks`.

    Raises:
        InputError: it holds something else, or one of `inputs`, which replacing it would remove.
    """
    known = all(any(folder.glob(mark)) for mark in marks)
    if folder.is_dir() and any(folder.iterdir()) and not known:
        raise InputError(
            f"expected an empty folder, or one with {' and '.join(marks)}, to replace as a whole",
            path=folder,
        )
    for path in inputs:
        if path.resolve().is_relative_to(folder.resolve()):
            raise InputError(
                f"expected a folder without the input {path}, for it is replaced as a whole",
                path=folder,
            )


def check_no_input(report: Path | None, inputs: Iterable[Path]) -> None:
    """Check that a report is written to none of the files that it is about, nor between them.

    Raises:
        InputError: it would replace one, or lie in a folder of them.
    """
    if report is None:
        return
    for path in inputs:
        if report.resolve().is_relative_to(path.resolve()):
            raise InputError(
                f"expected a report beside the input {path}, not in its place", path=report
            )


def argument_parser(stage: str, description: str) -> argparse.ArgumentParser:
    """The parser of a stage's command: `--params` and `--set`, to which it adds its paths."""
    parser = argparse.ArgumentParser(prog=f"python -m pipeline.{stage}", description=description)
    parser.add_argument(
        "--params",
        type=Path,
        default=Path("params.yaml"),
        metavar="FILE",
        help=f"parameter file; this command reads its section `{stage}` (default: params.yaml)",
    )
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="put another value (YAML) for a key of the section; may be repeated",
    )
    return parser


def read_settings(
    arguments: argparse.Namespace, section: str, settings: type[T] | Mapping[str, type[T]]
) -> T:
    """The section `section` of the parameter file, overrides put in, as the dataclass `settings`.

    Given several dataclasses by name, it is the one that the section's key `kind` names.

    Raises:
        InputError: the file names a section that no stage reads, or lacks this one, or a key or
            value of this one is wrong.
    """
    path: Path = arguments.params
    values = section_of(read_yaml(path), section, path)
    if isinstance(values, dict):
        values = apply_overrides(values, arguments.set)
    where = f"{path}: {section}"
    if isinstance(settings, Mapping):
        return from_tagged(settings, values, where)
    return from_mapping(settings, values, where)


def named_paths(
    option: str, values: Sequence[str], kind: str, *, nameless: bool = False
) -> dict[str, Path]:
    """The paths of an option that is repeated as `NAME=PATH`, by their names.

    Args:
        kind: of the paths, as its help has it: `FILE` or `DIR`.
        nameless: whether a path alone will do, which is then called what its last part is called.

    Raises:
        InputError: a value is something else, or two have one name.
    """
    paths: dict[str, Path] = {}
    for value in values:
        name, separator, path = value.partition("=")
        if nameless and (not separator or Path(value).exists()):
            name, path = Path(value).name, value
        if not (name and path):
            raise InputError(f"{option} {value}: expected NAME={kind}")
        if name in paths:
            raise InputError(f"{option} {value}: expected another name, {name} is taken")
        paths[name] = Path(path)
    return paths


def section_of(content: Mapping[str, Any], section: str, path: Path) -> Any:
    """The section `section` of the parameter file `path`, which holds `content`, as it is.

    Raises:
        InputError: the file names a section that no stage reads, or lacks this one.
    """
    for name in content:
        if name not in SECTIONS:
            raise InputError(
                f"{name}: unknown section; expected one of {', '.join(SECTIONS)}", path=path
            )
    if section not in content:
        raise InputError(f"{section}: missing section", path=path)
    return content[section]
