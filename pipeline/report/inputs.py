"""Inputs of a report: outputs of the stages, each of which may be missing.

A folder that is there must hold what a section needs. The sections that need a missing one are left
out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from mgsa.cli.errors import InputError
from mgsa.cli.outputs import check_file, digest, manifest_of, origin_of
from mgsa.cli.provenance import checked_digests
from mgsa.cli.settings import shown
from pipeline.formats.tables import Record
from pipeline.formats.text import SIDES, read_languages, read_sentences, unequal_lines
from pipeline.formats.text_settings import PREPROCESSING
from pipeline.formats.translations import Translations, find_references
from pipeline.report.settings import SPLIT, ReportSettings

OUTPUTS = ("translations", "curves", "attention", "model", "contrast")
"""Outputs of a system, in the folders of its own."""
OF_REPORTS = {
    **{"corpus": "corpus", "tokenize": "tokenized", "parser": "parser", "parse": "parsed"},
    **{"bpe": "bpe", "partition": "partitions", "align": "alignments", "train": "model"},
    **{"contrast": "contrast", "analyze": "attention", "phrasal_patterns": "patterns"},
    "probe_data": "probing",
}
"""The output of each stage beside its report."""
FOLDERS = {
    **{name: name for name in ("reports", "corpus", "tokenized", "parser", "parsed", "bpe")},
    **{name: name for name in ("partitions", "alignments", "dataset", "model", "translations")},
    "contrast": "contrast",
    "probing": "probing",
    "phrase-counts": "plots/partition",
    "curves": "plots/train",
    "attention": "plots/attention",
    "patterns": "plots/phrasal_patterns",
}
"""Outputs of the stages, and where they lie in a project's data."""


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
    """A trained model: the folder of its reports, and those of its `OUTPUTS` that are there."""

    name: str
    folder: Path | None
    outputs: Mapping[str, Path]

    @classmethod
    def in_folder(cls, name: str, folder: Path) -> System:
        """The system whose stages wrote below `folder`: `experiments/runs/SIZE/NAME`, or `data`."""
        if not folder.is_dir():
            raise InputError(f"--system {name}: no such folder", path=folder)
        is_run = (folder / "reports").is_dir()
        places = {output: folder / (FOLDERS[output] if is_run else output) for output in OUTPUTS}
        system = cls(name, folder / "reports" if is_run else folder, existing(places))
        if system.is_empty:
            expected = f"evaluate.json, {', '.join(OUTPUTS[:-1])} or {OUTPUTS[-1]}"
            raise InputError(f"--system {name}: expected {expected}", path=folder)
        return system

    @classmethod
    def of_run(cls, paths: Mapping[str, Path]) -> System:
        """The run's own system, named for its model."""
        outputs = {name: paths[name] for name in OUTPUTS if name in paths}
        params = report_in(paths.get("reports"), "params") or Record()
        return cls(params.get("model", "this run"), paths.get("reports"), outputs)

    @property
    def is_empty(self) -> bool:
        """Whether nothing of a model is there."""
        return not self.outputs and self.report("evaluate") is None

    def report(self, stage: str) -> Record | None:
        """A stage's report on this system, if any."""
        return report_in(self.folder, stage, self.outputs)


@dataclass(frozen=True)
class Inputs:
    """The inputs of a page, and what several sections read of them."""

    settings: ReportSettings
    #: all sections of the parameter file; `None` for a comparison of systems.
    parameters: Mapping[str, Any] | None
    paths: Mapping[str, Path]  #: the folders of `FOLDERS` that are there.
    #: the run itself (if it has model outputs), then the systems to compare.
    systems: Sequence[System]
    tables: Sequence[Path]  #: JSON files of `pipeline.experiment`.

    def report(self, stage: str) -> Record | None:
        """A stage's report on the run, if any."""
        return report_in(self.paths.get("reports"), stage, self.paths)

    def system_reports(self, stage: str) -> dict[str, Record]:
        """A stage's reports by system."""
        return {s.name: report for s in self.systems if (report := s.report(stage)) is not None}

    def system_outputs(self, name: str) -> dict[str, Path]:
        """The folders of an output by system."""
        return {s.name: s.outputs[name] for s in self.systems if name in s.outputs}

    def description(self, folder: str, file: str) -> Record | None:
        """A JSON file in a given folder."""
        return Record.read(self.paths[folder] / file) if folder in self.paths else None

    @cached_property
    def runs(self) -> list[Record]:
        """Records of `pipeline.stage.command` in order of time."""
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
        """Language tags by side, of the corpus or of a model; empty without both."""
        if corpus := self.paths.get("corpus"):
            return _tags(read_languages(corpus))
        models = self.system_outputs("model").values()
        folder = next((model for model in models if (model / PREPROCESSING).is_file()), None)
        return _tags(read_languages(folder, PREPROCESSING)) if folder else dict.fromkeys(SIDES, "")

    @cached_property
    def translations(self) -> tuple[Text | None, dict[str, list[str]]]:
        """References and translations by system.

        Raises:
            InputError: systems have different references or numbers of translations.
        """
        references: Text | None = None
        hypotheses: dict[str, list[str]] = {}
        for system, folder in self.system_outputs("translations").items():
            own = Text.read(folder / f"{SPLIT}.references")
            translated = Text.read(folder / f"{SPLIT}.hypotheses")
            references = references or own
            if self._references[system] != self.references:
                message = f"expected the references of {references.path}"
                raise InputError(message, path=own.path)
            check_same_number(own, translated)
            scores = self.system_reports("evaluate").get(system) or Record()
            for of, texts in (("hypotheses", translated.lines), ("references", self.references)):
                if scores.get(of, found := [digest(texts)]) != found:
                    raise InputError(f"expected scores of {folder}/{SPLIT}.{of}", path=scores.path)
            hypotheses[system] = translated.lines
        return references, hypotheses

    @cached_property
    def _references(self) -> dict[str, list[list[str]]]:
        return {
            system: Translations.read({}, find_references(folder, SPLIT), None).references
            for system, folder in self.system_outputs("translations").items()
        }

    @property
    def references(self) -> list[list[str]]:
        """The references of each translation, of which `translations` has the first."""
        return next(iter(self._references.values()))

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
        return Text.read(self.paths[folder] / f"{SPLIT}.{ending}")

    def tokens(self, side: str) -> list[list[str]] | None:
        """The tokens of every sentence of the split, if given."""
        text = self.text("tokenized", side)
        return text and [line.split(" ") for line in text.lines]

    @cached_property
    def sources(self) -> Text | None:
        """The source sentences of the translations, if they came with them."""
        folders = self.system_outputs("translations").values()
        files = [folder / f"{SPLIT}.sources" for folder in folders]
        texts = [Text.read(file) for file in files if file.is_file()]
        for text in texts:
            if text.lines != texts[0].lines:
                raise InputError(f"expected the sources of {texts[0].path}", path=text.path)
        return texts[0] if texts else None


def report_in(
    folder: Path | None, stage: str, outputs: Mapping[str, Path] = MappingProxyType({})
) -> Record | None:
    """The report of a stage in a folder, if it is there, by the run that wrote its output."""
    path = (folder or Path()) / f"{stage}.json"
    is_there = folder is not None and (path.exists() or path.is_symlink())
    command = "align.error_rate" if stage == "alignment" else stage
    if not is_there:
        return None
    report = Record.read(path, f"pipeline.{command}")
    for metric in {one["metric"] for one in report.get("signatures", ())}:  # may be written by hand
        for key, value in report.items():
            is_score = f"{key}_".startswith(f"{metric}_")
            if is_score and not isinstance(value, int | float | None):
                raise InputError(f"{key}: expected a number, found {shown(value)}", path=path)
    _check_same_run(path, report.origin, outputs.get(OF_REPORTS.get(stage, "")))
    return report


def _check_same_run(path: Path, origin: str | None, beside: Path | None) -> None:
    """Raise an `InputError` for what says that it is of another run than a folder beside it."""
    other = beside and origin_of(beside)
    if origin and other and origin != other:
        raise InputError(f"expected an output of the run that wrote {beside}", path=path)


def existing(folders: Mapping[str, Path]) -> dict[str, Path]:
    """The folders that are there.

    An `InputError` is raised if a table in one was edited, or if one was made of another than is
    there. Models may be.
    """
    there = {name: folder for name, folder in folders.items() if folder.is_dir()}
    checked_digests(there.values(), apart=("mgsa model",))
    if curves := there.get("curves"):
        _check_same_run(curves, origin_of(curves), there.get("model"))
    for folder in there.values():
        files = (manifest_of(folder) or {"files": {}})["files"]
        for inner, file in files.items():
            path = folder / inner
            if path.suffix in (".csv", ".tsv") and path.exists():
                check_file(path, file.get("bytes"), file.get("sha256", ""))
    return there


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


def _tags(languages: Mapping[str, str]) -> dict[str, str]:
    """Language tags of HTML: `pt-BR`."""
    return {side: code.replace("_", "-") for side, code in languages.items()}
