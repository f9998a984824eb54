"""A stage's command, its outputs, and a record of when and where it ran."""

import errno
import os
import platform
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from datetime import UTC, datetime
from functools import partial, wraps
from importlib import metadata
from pathlib import Path
from typing import Any

from mgsa.cli.command import command
from mgsa.cli.errors import InputError
from mgsa.cli.files import atomic_file, dump_json, make_folder, read_json, real_path, write_json
from mgsa.cli.guard import check_outside_outputs
from mgsa.cli.outputs import atomic_folder, report_content

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
    return command(_noting_runs(function), prog, explain=described_keys)


def described_keys(section: str) -> str:
    """The keys of a section with meaning and default, as the presets of `conf/` have them."""
    defaults, found = Path("conf/config.yaml"), ""
    if not defaults.is_file():
        return found
    texts = [defaults.read_text(encoding="utf-8")]
    if option := re.search(rf"^  - {section}: (\w+)$", texts[0], re.MULTILINE):
        text = (defaults.parent / section / f"{option[1]}.yaml").read_text(encoding="utf-8")
        inner = "".join(f"  {line}\n" for line in text.splitlines() if not line.startswith("#"))
        texts.append(text if "@package _global_" in text else f"{section}:\n{inner}")
    for text in texts:
        if block := re.search(rf"^{section}:.*\n((?:  .*\n?)+)", text, re.MULTILINE):
            found += block[1]
    return f"{section}:\n{found}"


def _noting_runs(function: Callable[..., None]) -> Callable[..., None]:
    """Record time and host in `runs/NAME.json` for a stage that reports to `reports/NAME.json`.

    The record differs in every run, so it is no output of DVC.
    """

    @wraps(function)
    def run_stage(*settings: Any, **options: Any) -> None:
        started, clock = datetime.now(UTC), time.perf_counter()
        report: Path | None = options.get("report")
        path = None
        if report is not None and report.parent.name == "reports":
            path = report.parent.with_name("runs") / report.name
        if path:
            _check_note(path, [value for value in options.values() if isinstance(value, Path)])
        function(*settings, **options)
        if path:
            note = {**run_note(started), "seconds": round(time.perf_counter() - clock, 3)}
            write_json(path, note)

    return run_stage


def _check_note(path: Path, others: Sequence[Path]) -> None:
    """Raise an error if the note of a run can't be written, lies in another path or is no note."""
    check_outside_outputs(path)
    make_folder(path.parent)
    if any(real_path(path).is_relative_to(real_path(other)) for other in others):
        raise InputError("expected a folder apart from inputs and outputs", path=path)
    if not os.access(path.parent, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path.parent))
    if path.exists() and not _is_note(read_json(path)):
        raise InputError("expected no file, or the note of a run to replace", path=path)


def _is_note(content: Any) -> bool:
    return isinstance(content, dict) and [*content] == ["started", "host", "commit", "seconds"]


def run_note(started: datetime) -> dict[str, Any]:
    """When, where and of which commit something runs."""
    return {
        "started": started.isoformat(timespec="seconds"),
        "host": platform.node(),
        "commit": _commit(),
    }


def _commit() -> str | None:
    """The Git commit, with `-dirty` if more differs than what a run itself writes."""
    git = partial(subprocess.run, capture_output=True, text=True, check=False)
    with suppress(OSError):
        commit = git(["git", "describe", "--always", "--exclude=*"]).stdout.strip()
        ours = [f":(top,exclude){path}" for path in ("data", "*dvc.lock")]
        changed = git(["git", "diff", "--quiet", "HEAD", "--", ":/", *ours]).returncode
        return f"{commit}-dirty" if commit and changed else commit or None
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
        if report is not None and file is not None:
            dump_json(report_content(metrics), file)


def library_versions(*more: str) -> dict[str, str]:
    """Versions of the installed ones among `LIBRARIES` and `more`."""
    versions = {}
    for name in (*LIBRARIES, *more):
        with suppress(metadata.PackageNotFoundError):
            versions[name] = metadata.version(name)
    return versions
