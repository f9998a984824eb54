"""What a report is made of: outputs of the stages, each of which may be missing.

A path that is given is a promise: what a section needs of it must be there. What is not given is
`None`, and the sections that need it are left out.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mgsa.base.errors import InputError
from mgsa.base.settings import read_yaml
from pipeline.base.stage import SIDES
from pipeline.base.text import (
    read_languages,
    read_parallel,
    read_sentences,
    split_tokens,
    unequal_lines,
)
from pipeline.report_page.files import Report

if TYPE_CHECKING:
    from pipeline.report import ReportSettings

REPORTS = {"analyze": ("analyze.json", "attention.json"), "align": ("alignment.json",)}
"""What a stage's report is called in a system's folder, where it is not `STAGE.json`."""
PARAMS = "params.yaml"
CELL_SECTIONS = ("model", "train", "translate", "evaluate", "analyze")
"""The sections that a cell of `experiments/runs` is run with; its dataset has the project's."""
_CELL = re.compile(r"(.+)-([1-9][0-9]*)")
"""The folder of a cell: its system, and its seed."""


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
        """The system whose stages wrote below `folder`, laid out as `experiments/runs/NAME`.

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
        for name in REPORTS.get(stage, (f"{stage}.json",)):
            if self.folder is not None and (self.folder / name).is_file():
                return Report.read(self.folder / name)
        return None

    def parameters(self) -> dict[str, Any] | None:
        """The parameters of this system's own file, if it has one.

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
        """The file of `parameters`."""
        if self.folder is None:
            return None
        folders = [self.folder]
        if (cell := _CELL.fullmatch(self.folder.name)) is not None:
            folders.append(self.folder.with_name(cell[1]))
        return next((path for folder in folders if (path := folder / PARAMS).is_file()), None)

    def links(self, split: str) -> Path | None:
        """The system's own word links of the split."""
        path = None if self.folder is None else self.folder / f"{split}.links"
        return path if path is not None and path.is_file() else None


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
        own = [reference for reference, _ in pairs]
        if first is None:
            references, first = own, path
        elif own != references:
            shared = min(len(own), len(references))
            same = next((i for i in range(shared) if own[i] != references[i]), shared)
            message = f"expected the same references as in {first}, for systems side by side"
            raise InputError(message, path=path, line=same + 1)
    return Translations(references, hypotheses) if hypotheses else None


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

    def path(self, name: str) -> Path | None:
        """A folder by its option, if it was given."""
        return self.paths.get(name)

    def report(self, stage: str) -> Report | None:
        """What a stage reported, if `--reports` has it.

        Raises:
            InputError: the report is malformed.
        """
        folder = self.path("reports")
        path = None if folder is None else folder / f"{stage}.json"
        return None if path is None or not path.is_file() else Report.read(path)

    @cached_property
    def runs(self) -> list[Report]:
        """When and where each stage ran, as `pipeline.base.stage` noted it, in order of time.

        Raises:
            InputError: a note is malformed.
        """
        reports = self.path("reports")
        notes = [] if reports is None else sorted(reports.with_name("runs").glob("*.json"))
        return sorted(map(Report.read, notes), key=lambda run: run.text("started"))

    @property
    def styles(self) -> dict[str, int]:
        """The number of each system's colour, dash and mark."""
        return {system.name: number for number, system in enumerate(self.systems)}

    @cached_property
    def parser_kind(self) -> str | None:
        """Where the trees come from; `none`: every tree is flat, and says nothing."""
        folder = self.path("parser")
        return None if folder is None else Report.read(folder / "parser.json").text("kind")

    @cached_property
    def languages(self) -> dict[str, str]:
        """The language code of each side: `en` for `source`; empty where nothing tells it."""
        corpus, dataset = self.path("corpus"), self.path("dataset")
        if corpus is not None:
            return read_languages(corpus)
        if dataset is None:
            return dict.fromkeys(SIDES, "")
        manifest = Report.read(dataset / "manifest.json")
        return {side: manifest.text(f"{side}_language") for side in SIDES}

    @cached_property
    def translations(self) -> Translations | None:
        """The translations of the split by every system.

        Raises:
            InputError: as `read_translations`.
        """
        return read_translations(self.systems, self.settings.split)

    @cached_property
    def drawn(self) -> list[int]:
        """The sentences that are drawn, from a short to a long one; none without tokenised text."""
        return drawn_sentences(
            [len(words) for words in self.tokens("source") or []],
            count=self.settings.sentences,
            longest=self.settings.max_words,
        )

    def is_opened(self, index: int) -> bool:
        """Whether a drawn sentence is unfolded at first: the two in the middle are."""
        return abs(self.drawn.index(index) - len(self.drawn) // 2 + 0.5) < 1

    def lines(self, name: str, ending: str) -> list[str] | None:
        """The lines of a folder's file of the split, such as `test.source`; `None` if not given.

        Raises:
            InputError: the folder lacks the file, or it is malformed.
        """
        folder = self.path(name)
        if folder is None:
            return None
        return list(read_sentences(folder / f"{self.settings.split}.{ending}"))

    def tokens(self, side: str) -> list[list[str]] | None:
        """The tokens of every sentence of the split; `None` if not given.

        Raises:
            InputError: a line is malformed.
        """
        lines = self.lines("tokenized", side)
        if lines is None:
            return None
        path = self.paths["tokenized"] / f"{self.settings.split}.{side}"
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
        path = self.paths["tokenized"] / f"{self.settings.split}.lines"
        sentences = []
        for line, number in enumerate(kept, start=1):
            if not (number.isascii() and number.isdecimal() and 1 <= int(number) <= len(raw)):
                expected = f"the number of one of {len(raw)} lines of the corpus"
                raise InputError(f"expected {expected}, got {number!r}", path=path, line=line)
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
    """Check that files which are read side by side have as many lines as each other.

    Raises:
        InputError: they have not.
    """
    counts = {path: len(lines) for path, lines in columns.items()}
    if len(set(counts.values())) > 1:
        raise unequal_lines(counts)
