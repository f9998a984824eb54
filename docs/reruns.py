"""What runs again: the tables of `docs/howto/sharing.md`, made from `dvc.yaml`.

python docs/reruns.py writes them anew.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs/howto/sharing.md"
FIRST, LAST = "<!-- Made from dvc.yaml by docs/reruns.py. -->\n", "<!-- End of what is made. -->\n"
ALWAYS = {"params", "report"}
"""Stages that a change of any parameter runs again."""

STAGES: dict[str, dict[str, Any]] = yaml.safe_load((ROOT / "dvc.yaml").read_text("utf-8"))["stages"]


def outputs(stage: str) -> list[str]:
    """The paths that a stage writes."""
    declared = [out for kind in ("outs", "metrics") for out in STAGES[stage].get(kind, [])]
    return [out if isinstance(out, str) else next(iter(out)) for out in declared]


def stages_of(section: str) -> set[str]:
    """The stages that a change of a section of the parameters runs again."""
    return {name for name, stage in STAGES.items() if section in stage.get("params", [])} - ALWAYS


def stages_after(stages: set[str]) -> set[str]:
    """The stages that read what these write, directly or not."""
    after: set[str] = set()
    waiting = [path for stage in stages for path in outputs(stage)]
    while waiting:
        path = waiting.pop()
        readers = {
            name
            for name, stage in STAGES.items()
            if any(is_in(path, dep) or is_in(dep, path) for dep in stage["deps"])
        }
        waiting += [path for stage in readers - after for path in outputs(stage)]
        after |= readers
    return after


def stages_on(code: str) -> set[str]:
    """The stages that an edit of a folder or file of code runs again."""
    return {name for name, stage in STAGES.items() if any(is_in(code, d) for d in stage["deps"])}


def is_in(path: str, folder: str) -> bool:
    """Whether a path is a folder or lies in it."""
    return path == folder or path.startswith(f"{folder}/")


def rooms() -> list[str]:
    """The entries of both packages, and files in them on which stages depend by themselves."""
    entries = [
        path.relative_to(ROOT).as_posix()
        for package in ("mgsa", "pipeline")
        for path in sorted((ROOT / package).iterdir())
        if not path.name.startswith("__") and (path.is_dir() or path.suffix == ".py")
    ]
    finer = {dep for stage in STAGES.values() for dep in stage["deps"] if dep.count("/") > 1}
    return entries + sorted(dep for dep in finer if dep.startswith(("mgsa", "pipeline")))


def tables() -> str:
    """By section of the parameters, and by folder of code, the stages that run again."""
    by_section: dict[tuple[str, str], list[str]] = {}
    sections = yaml.safe_load((ROOT / "params.yaml").read_text("utf-8"))
    for section in sections:
        certain = stages_of(section)
        after = stages_after(certain) - certain - ALWAYS
        by_section.setdefault((_listed(certain) or "nothing", _listed(after)), []).append(section)
    by_code: dict[str, list[str]] = {}
    for room in rooms():
        by_code.setdefault(_listed(stages_on(room)) or "nothing", []).append(room)
    lines = ["| section | runs again | and, if these wrote something else |", "| --- | --- | --- |"]
    lines += [f"| {_named(names)} | {' | '.join(row)} |" for row, names in by_section.items()]
    lines += ["", "| an edit of | runs again |", "| --- | --- |"]
    lines += [f"| {_named(names)} | {row} |" for row, names in by_code.items()]
    return "\n".join(lines) + "\n"


def _listed(stages: set[str]) -> str:
    """Stages in the order of `dvc.yaml`; all of them in a word."""
    return "all" if stages == set(STAGES) else _named(s for s in STAGES if s in stages)


def _named(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def page() -> str:
    """The page with its tables made anew."""
    before, _, rest = PAGE.read_text("utf-8").partition(FIRST)
    return before + FIRST + "\n" + tables() + "\n" + LAST + rest.partition(LAST)[2]


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
