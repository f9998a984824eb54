"""A stage's command, its outputs, and a record of when and where it ran."""

import functools
import platform
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from typing import Any

from mgsa.cli.command import command
from mgsa.cli.files import atomic_file, atomic_folder, dump_json, write_json

LIBRARIES = (
    *("mgsa", "numpy", "pyarrow", "sacremoses", "stanza", "subword-nmt"),
    *("nltk", "spacy", "jieba", "SudachiPy", "SudachiDict-core", "pythainlp"),
)
"""Libraries whose version can show in a dataset."""


def stage(function: Callable[..., None]) -> Callable[[Sequence[str] | None], None]:
    """The `main(argv)` of a stage, which is run as `python -m` and its module's name."""
    module = sys.modules[function.__module__]
    name = module.__spec__.name if module.__spec__ else function.__module__
    prog = f"python -m {name.removesuffix('.__main__')}"
    return command(_noting_runs(function), prog)


def _noting_runs(function: Callable[..., None]) -> Callable[..., None]:
    """Record time and host in `runs/NAME.json` for a stage that reports to `reports/NAME.json`.

    The record differs in every run, so it is no output of DVC.
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
    """The Git commit, with `-dirty` if the working tree differs."""
    git = ["git", "describe", "--always", "--dirty", "--exclude=*"]
    with suppress(OSError):
        described = subprocess.run(git, capture_output=True, text=True, check=False)
        return described.stdout.strip() or None
    return None


@contextmanager
def stage_outputs(out: Path, report: Path | None) -> Iterator[tuple[Path, dict[str, Any]]]:
    """Yield a temporary folder and metrics that atomically replace `out` and the file `report`.

    On an error neither is replaced. The folder goes first: a process killed between the two leaves
    the report of the run before.
    """
    metrics: dict[str, Any] = {}
    with ExitStack() as files:
        file = None if report is None else files.enter_context(atomic_file(report))
        yield files.enter_context(atomic_folder(out)), metrics
        if file is not None:
            dump_json(metrics, file)


def library_versions(*more: str) -> dict[str, str]:
    """Versions of the installed ones among `LIBRARIES` and `more`."""
    versions = {}
    for name in (*LIBRARIES, *more):
        with suppress(metadata.PackageNotFoundError):
            versions[name] = metadata.version(name)
    return versions
