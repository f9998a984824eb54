"""What a report is made of: outputs of the stages, each of which may be missing.

A path that is given is a promise: what a section needs of it must be there. What is not given is
`None`, and the sections that need it are left out.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mgsa.base.errors import InputError
from mgsa.base.io import read_json
from mgsa.base.settings import read_yaml
from pipeline.base.stage import SIDES
from pipeline.base.text import (
    read_languages,
    read_parallel,
    read_sentences,
    split_tokens,
    unequal_lines,
)

if TYPE_CHECKING:
    from pipeline.report import ReportSettings

REPORTS = {"analyze": ("analyze.json", "attention.json"), "align": ("alignment.json",)}
"""What a stage's report is called in a system's folder, where it is not `STAGE.json`."""
PARAMS = "params.yaml"
CELL_SECTIONS = ("model", "train", "translate", "evaluate", "analyze")
"""The sections that a cell of `experiments/runs` is run with; its dataset has the project's."""


class Report(dict[str, Any]):
    """An object of a JSON file that a stage wrote; a key that it lacks is an error naming both."""

    def __init__(self, content: Mapping[str, Any], path: Path) -> None:
        super().__init__(content)
        self.path = path

    @classmethod
    def read(cls, path: Path) -> Report:
        """Read a report; objects in it are reports too."""
        report = read_json(path, object_hook=lambda content: cls(content, path))
        if not isinstance(report, cls):
            raise InputError("expected an object", path=path)
        return report

    def __missing__(self, key: str) -> Any:
        raise InputError(f"{key}: expected a value, found none", path=self.path)

    def number(self, key: str) -> float:
        """The number of a key."""
        if not _is_number(self[key]):
            message = f"{key}: expected a number, found {self[key]!r:.200}"
            raise InputError(message, path=self.path)
        return self[key]

    def optional(self, key: str) -> float | None:
        """The number of a key that may be missing or `null`."""
        return None if self.get(key) is None else self.number(key)

    def numbers(self) -> dict[str, float]:
        """All keys with a number."""
        return {key: value for key, value in self.items() if _is_number(value)}


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < math.inf


@dataclass(frozen=True)
class System:
    """A trained model and its outputs; `None` is what is missing.

    Attributes:
        folder: of its reports: `STAGE.json`, or as `REPORTS` says.
    """

    name: str
    folder: Path | None
    translations: Path | None
    curves: Path | None
    attention: Path | None
    model: Path | None

    @classmethod
    def in_folder(cls, name: str, folder: Path) -> System:
        """The system whose stages wrote below `folder`, laid out as `experiments/runs/NAME`."""
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
        """What a stage reported of this system, if it did."""
        names = REPORTS.get(stage, (f"{stage}.json",))
        paths = [] if self.folder is None else [self.folder / name for name in names]
        return next((Report.read(path) for path in paths if path.is_file()), None)

    def parameters(self) -> tuple[Path, dict[str, Any]] | None:
        """The file of parameters that this system was run with, and its sections.

        Cells of `experiments/runs` share the file of their system: `SYSTEM-SEED` is run with that
        of `SYSTEM`, but for the seed.
        """
        if self.folder is None:
            return None
        if (own := self.folder / PARAMS).is_file():
            return own, read_yaml(own)
        system, _, seed = self.folder.name.rpartition("-")
        shared = self.folder.parent / system / PARAMS
        if not system or not seed.isdecimal() or not shared.is_file():
            return None
        content = read_yaml(shared)
        sections = {name: content[name] for name in CELL_SECTIONS if name in content}
        return shared, sections | {"train": sections.get("train", {}) | {"seed": int(seed)}}


@dataclass
class Inputs:
    """What was given, and what several sections read of it.

    Attributes:
        parameters: all sections of the parameter file; `None` on a page that only compares
            systems, which have parameters of their own.
        paths: folders by the option that names them.
        gold: gold links, in place of those of the corpus.
        systems: the run itself first, if it has any output of a model, then those to compare.
        tables: JSON files of `pipeline.experiment`.
    """

    settings: ReportSettings
    parameters: Mapping[str, Any] | None
    parameter_file: Path
    paths: Mapping[str, Path]
    gold: Path | None
    systems: Sequence[System]
    tables: Sequence[Path] = ()

    def report(self, stage: str) -> Report | None:
        """What a stage reported, if `--reports` has it."""
        folder = self.paths.get("reports")
        path = None if folder is None else folder / f"{stage}.json"
        return None if path is None or not path.is_file() else Report.read(path)

    def systems_reports(self, stage: str) -> dict[str, Report]:
        """What a stage reported of each system of which it did."""
        return {s.name: report for s in self.systems if (report := s.report(stage)) is not None}

    @cached_property
    def runs(self) -> list[Report]:
        """When and where each stage ran, as `pipeline.base.stage` noted it, in order of time."""
        reports = self.paths.get("reports")
        notes = [] if reports is None else sorted(reports.with_name("runs").glob("*.json"))
        return sorted(map(Report.read, notes), key=lambda run: str(run["started"]))

    @property
    def styles(self) -> dict[str, int]:
        """The number of each system's colour, dash and mark."""
        return {system.name: number for number, system in enumerate(self.systems)}

    @cached_property
    def parser_kind(self) -> str | None:
        """Where the trees come from; `none`: every tree is flat, and says nothing."""
        folder = self.paths.get("parser")
        return None if folder is None else Report.read(folder / "parser.json")["kind"]

    @cached_property
    def languages(self) -> dict[str, str]:
        """The language code of each side: `en` for `source`; empty where nothing tells it."""
        corpus, dataset = self.paths.get("corpus"), self.paths.get("dataset")
        if corpus is not None:
            return read_languages(corpus)
        if dataset is None:
            return dict.fromkeys(SIDES, "")
        manifest = Report.read(dataset / "manifest.json")
        return {side: manifest[f"{side}_language"] for side in SIDES}

    @cached_property
    def translations(self) -> tuple[list[str], dict[str, list[str]]]:
        """The references of the split, and the translations of every system that has some.

        Raises:
            InputError: systems have different references.
        """
        references: dict[Path, list[str]] = {}
        hypotheses: dict[str, list[str]] = {}
        for system in self.systems:
            if system.translations is not None:
                files = [self._file(system.translations, s) for s in ("references", "hypotheses")]
                lines = list(read_parallel(files))
                references[files[0]] = [reference for reference, _ in lines]
                hypotheses[system.name] = [hypothesis for _, hypothesis in lines]
        first, expected = next(iter(references.items()), (None, []))
        for path, found in references.items():
            if found != expected:
                message = f"expected the same references as in {first}, for systems side by side"
                pairs = enumerate(zip_longest(found, expected), start=1)
                line = next(number for number, (one, other) in pairs if one != other)
                raise InputError(message, path=path, line=line)
        return expected, hypotheses

    @cached_property
    def drawn(self) -> list[int]:
        """The sentences that are drawn, from a short to a long one; none without tokenised text."""
        return drawn_sentences(
            [len(words) for words in self.tokens("source") or []],
            count=self.settings.sentences,
            longest=self.settings.max_words,
        )

    def file(self, name: str, ending: str) -> Path:
        """A folder's file of the split, such as `test.source`."""
        return self._file(self.paths[name], ending)

    def _file(self, folder: Path, ending: str) -> Path:
        return folder / f"{self.settings.split}.{ending}"

    def lines(self, name: str, ending: str) -> list[str] | None:
        """The lines of a folder's file of the split; `None` if the folder is not given."""
        return list(read_sentences(self.file(name, ending))) if name in self.paths else None

    def tokens(self, side: str) -> list[list[str]] | None:
        """The tokens of every sentence of the split; `None` if not given."""
        lines = self.lines("tokenized", side)
        if lines is None:
            return None
        path = self.file("tokenized", side)
        return [split_tokens(text, path=path, line=i) for i, text in enumerate(lines, start=1)]

    @cached_property
    def sources(self) -> list[str] | None:
        """The source sentences of the split: raw where the corpus is given, else tokenised.

        Raises:
            InputError: the lines that were kept are not lines of the corpus.
        """
        raw, kept = self.lines("corpus", "source"), self.lines("tokenized", "lines")
        if raw is None or kept is None:
            return self.lines("tokenized", "source")
        sentences = []
        for line, number in enumerate(kept, start=1):
            if not (number.isdecimal() and 1 <= int(number) <= len(raw)):
                expected = f"the number of one of {len(raw)} lines of the corpus"
                message = f"expected {expected}, got {number!r}"
                raise InputError(message, path=self.file("tokenized", "lines"), line=line)
            sentences.append(raw[int(number) - 1])
        return sentences


def drawn_sentences(lengths: Sequence[int], *, count: int, longest: int) -> list[int]:
    """The indices of `count` sentences of at most `longest` words, spread evenly over the lengths.

    The shortest and the longest are among them; all come in the order of their lengths.
    """
    fitting = [index for index, length in enumerate(lengths) if length <= longest]
    fitting.sort(key=lambda index: (lengths[index], index))
    if count >= len(fitting):
        return fitting
    if count == 1:
        return [fitting[len(fitting) // 2]]
    return [fitting[i * (len(fitting) - 1) // (count - 1)] for i in range(count)]


def check_same_number(columns: Mapping[Path, Sequence[object]]) -> None:
    """Check that files which are read side by side have as many lines as each other."""
    counts = {path: len(lines) for path, lines in columns.items()}
    if len(set(counts.values())) > 1:
        raise unequal_lines(counts)
