"""A system: a trained model with its translations, scores, curves and attention, as far as given.

A comparison names its systems as `NAME=FOLDER`, each folder laid out as a cell of
`experiments/runs`; the run itself has the same things at paths of their own.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mgsa.base.errors import InputError
from mgsa.base.settings import read_yaml
from pipeline.base.text import read_parallel
from pipeline.report_page.numbers import Report

REPORTS = {"analyze": ("analyze.json", "attention.json"), "align": ("alignment.json",)}
"""What a stage's report is called in a system's folder, where it is not `STAGE.json`."""


PARAMS = "params.yaml"
CELL_SECTIONS = ("model", "train", "translate", "evaluate", "analyze")
"""The sections of a parameter file that a cell of `experiments/runs` is run with: its dataset was
made with those of the project."""

_CELL = re.compile(r"(.+)-([1-9][0-9]*)")
"""The folder of a cell: its system, and the seed that it was trained from."""


@dataclass(frozen=True)
class System:
    """What is there of a system; `None` is what is not.

    Attributes:
        folder: where its reports are: `STAGE.json`, or as `REPORTS` says.
    """

    name: str
    folder: Path | None
    translations: Path | None
    curves: Path | None
    attention: Path | None
    model: Path | None

    @classmethod
    def in_folder(cls, name: str, folder: Path) -> System:
        """The system whose stages wrote below `folder`.

        Raises:
            InputError: there is no such folder, or nothing of a system in it.
        """
        if not folder.is_dir():
            raise InputError(f"--system {name}: no such folder", path=folder)
        parts = {
            part: folder / part if (folder / part).is_dir() else None
            for part in ("translations", "curves", "attention", "model")
        }
        system = cls(name=name, folder=folder, **parts)
        if not any(parts.values()) and system.report("evaluate") is None:
            raise InputError(
                f"--system {name}: expected translations, evaluate.json, curves or attention",
                path=folder,
            )
        return system

    def report(self, stage: str) -> Report | None:
        """What a stage reported of this system, if it did.

        Raises:
            InputError: the report is malformed.
        """
        if self.folder is None:
            return None
        for name in REPORTS.get(stage, (f"{stage}.json",)):
            if (self.folder / name).is_file():
                return Report.read(self.folder / name)
        return None

    def parameters(self) -> dict[str, Any] | None:
        """The parameters that the system was run with, as far as a file of them is its own.

        Cells of `experiments/runs` share the file of their system: `SYSTEM-SEED` is run with that
        of `SYSTEM`, but for the seed.

        Raises:
            InputError: the file is malformed.
        """
        path = self.parameter_file
        if path is None or self.folder is None:
            return None
        content = read_yaml(path)
        if path.parent == self.folder:
            return content
        sections = {name: content[name] for name in CELL_SECTIONS if name in content}
        training = sections.get("train", {})
        if not isinstance(training, dict):
            raise InputError("train: expected keys with their values", path=path)
        return sections | {"train": training | {"seed": int(self.folder.name.rpartition("-")[2])}}

    @property
    def parameter_file(self) -> Path | None:
        """Where `parameters` are read from."""
        if self.folder is None:
            return None
        folders = [self.folder]
        if (cell := _CELL.fullmatch(self.folder.name)) is not None:
            folders.append(self.folder.with_name(cell[1]))
        return next((path for one in folders if (path := one / PARAMS).is_file()), None)

    def links(self, split: str) -> Path | None:
        """The word links that the system itself gave the split, in a folder of its own."""
        if self.folder is None or not (self.folder / f"{split}.links").is_file():
            return None
        return self.folder / f"{split}.links"


@dataclass(frozen=True)
class Translations:
    """The translations of a split by every system that has some; as many as references."""

    references: Sequence[str]
    hypotheses: Mapping[str, Sequence[str]]


def read_translations(systems: Sequence[System], split: str) -> Translations | None:
    """The translations of a split; `None` where no system has any.

    Raises:
        InputError: a file is missing or malformed, or systems have different references.
    """
    references: list[str] = []
    first: Path | None = None
    hypotheses: dict[str, Sequence[str]] = {}
    for system in systems:
        if system.translations is None:
            continue
        path = system.translations / f"{split}.references"
        pairs = list(read_parallel([path, system.translations / f"{split}.hypotheses"]))
        hypotheses[system.name] = [hypothesis for _, hypothesis in pairs]
        found = [reference for reference, _ in pairs]
        if first is None:
            references, first = found, path
        elif found != references:
            raise _other_references(references, found, first, path)
    return Translations(references, hypotheses) if hypotheses else None


def _other_references(
    expected: Sequence[str], found: Sequence[str], first: Path, path: Path
) -> InputError:
    """What to raise for systems that translated different text."""
    shared = zip(expected, found, strict=False)
    same = next((i for i, (a, b) in enumerate(shared) if a != b), min(len(expected), len(found)))
    return InputError(
        f"expected the same references as in {first}, for systems side by side",
        path=path,
        line=same + 1,
    )
