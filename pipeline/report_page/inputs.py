"""Inputs of a report: outputs of the stages, each of which may be missing.

A path that is given must hold what a section needs. What is not given is `None`, and the sections
that need it are left out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from mgsa.base.errors import InputError
from pipeline.base.stage import SIDES
from pipeline.base.tables import Record
from pipeline.base.text import read_languages, read_sentences, unequal_lines

if TYPE_CHECKING:
    from pipeline.report import ReportSettings


class Text(NamedTuple):
    """A text file with a line for each sentence."""

    path: Path
    lines: list[str]

    @classmethod
    def read(cls, path: Path) -> Text:
        """Read a file of sentences."""
        return cls(path, list(read_sentences(path)))


@dataclass(frozen=True)
class System:
    """A trained model and its outputs (`None` if missing); `folder` has its reports."""

    name: str
    folder: Path | None = None
    translations: Path | None = None
    curves: Path | None = None
    attention: Path | None = None
    model: Path | None = None
    contrast: Path | None = None

    @classmethod
    def in_folder(cls, name: str, folder: Path) -> System:
        """The system whose stages wrote below `folder`, laid out as `experiments/runs/NAME`."""
        if not folder.is_dir():
            raise InputError(f"--system {name}: no such folder", path=folder)
        names = ("translations", "curves", "attention", "model", "contrast")
        parts = [folder / part for part in names]
        system = cls(name, folder, *(part if part.is_dir() else None for part in parts))
        if system == cls(name, folder) and system.report("evaluate") is None:
            expected = f"evaluate.json, {', '.join(names[:-1])} or {names[-1]}"
            raise InputError(f"--system {name}: expected {expected}", path=folder)
        return system

    def report(self, stage: str) -> Record | None:
        """A stage's report on this system, if any."""
        path = None if self.folder is None else self.folder / f"{stage}.json"
        return Record.read(path) if path is not None and path.is_file() else None


@dataclass(frozen=True)
class Inputs:
    """What was given, and what several sections read of it.

    Attributes:
        parameters: all sections of the parameter file; `None` for a comparison of systems.
        paths: folders by option name.
        gold: gold links, in place of the corpus's.
        systems: the run itself (if it has model outputs), then the systems to compare.
        tables: JSON files of `pipeline.experiment`.
    """

    settings: ReportSettings
    parameters: Mapping[str, Any] | None
    paths: Mapping[str, Path]
    gold: Path | None
    systems: Sequence[System]
    tables: Sequence[Path]

    def report(self, stage: str) -> Record | None:
        """A stage's report in `--reports`, if any."""
        return System("", self.paths.get("reports")).report(stage)

    def system_reports(self, stage: str) -> dict[str, Record]:
        """A stage's reports by system."""
        return {s.name: report for s in self.systems if (report := s.report(stage)) is not None}

    def description(self, folder: str, file: str) -> Record | None:
        """A JSON file in a given folder."""
        return Record.read(self.paths[folder] / file) if folder in self.paths else None

    @cached_property
    def runs(self) -> list[Record]:
        """Records of `pipeline.base.stage` in order of time."""
        reports = self.paths.get("reports")
        notes = [] if reports is None else reports.with_name("runs").glob("*.json")
        return sorted(map(Record.read, sorted(notes)), key=lambda run: run["started"])

    @property
    def styles(self) -> dict[str, int]:
        """The number of each system's colour, dash and mark."""
        return {system.name: number for number, system in enumerate(self.systems)}

    @cached_property
    def flat_trees(self) -> bool:
        """Whether all trees are flat, for lack of a parser."""
        parser = self.description("parser", "parser.json")
        return parser is not None and parser["kind"] == "none"

    @cached_property
    def languages(self) -> dict[str, str]:
        """Language codes by side; empty without a corpus."""
        corpus = self.paths.get("corpus")
        return dict.fromkeys(SIDES, "") if corpus is None else read_languages(corpus)

    @cached_property
    def translations(self) -> tuple[Text | None, dict[str, list[str]]]:
        """References and translations by system.

        Raises:
            InputError: systems have different references or numbers of translations.
        """
        references: Text | None = None
        hypotheses: dict[str, list[str]] = {}
        for system in self.systems:
            if system.translations is not None:
                prefix = system.translations / self.settings.split
                own = Text.read(prefix.with_suffix(".references"))
                translated = Text.read(prefix.with_suffix(".hypotheses"))
                references = references or own
                if own.lines != references.lines:
                    message = f"expected the references of {references.path}"
                    raise InputError(message, path=own.path)
                check_same_number(own, translated)
                hypotheses[system.name] = translated.lines
        return references, hypotheses

    @cached_property
    def drawn(self) -> list[int]:
        """Indices of the drawn sentences, from short to long; none without tokenised text."""
        return drawn_sentences(
            [len(words) for words in self.tokens("source") or []],
            count=self.settings.sentences,
            longest=self.settings.max_words,
        )

    def text(self, folder: str, ending: str) -> Text | None:
        """A folder's file of the split, such as `test.source`, if the folder is given."""
        if folder not in self.paths:
            return None
        return Text.read(self.paths[folder] / f"{self.settings.split}.{ending}")

    def tokens(self, side: str) -> list[list[str]] | None:
        """The tokens of every sentence of the split, if given."""
        text = self.text("tokenized", side)
        return text and [line.split(" ") for line in text.lines]

    @cached_property
    def sources(self) -> Text | None:
        """The source sentences of the split: raw where the corpus is given, else tokenised."""
        raw, kept = self.text("corpus", "source"), self.text("tokenized", "lines")
        if raw is None or kept is None:
            return self.text("tokenized", "source")
        try:
            return Text(kept.path, [raw.lines[int(line) - 1] for line in kept.lines])
        except (ValueError, IndexError):
            raise InputError(f"expected numbers of lines of {raw.path}", path=kept.path) from None


def drawn_sentences(lengths: Sequence[int], *, count: int, longest: int) -> list[int]:
    """Indices of `count` sentences of at most `longest` words, evenly spaced by length."""
    fitting = [index for index, length in enumerate(lengths) if length <= longest]
    fitting.sort(key=lambda index: lengths[index])
    count = min(count, len(fitting))
    if count < 2:
        return fitting[len(fitting) // 2 :][:count]
    return [fitting[i * (len(fitting) - 1) // (count - 1)] for i in range(count)]


def check_same_number(*texts: Text | None) -> None:
    """Check that files have equal numbers of lines."""
    counts = {text.path: len(text.lines) for text in texts if text is not None}
    if len(set(counts.values())) > 1:
        raise unequal_lines(counts)
