"""What a report is made of: the outputs of the stages, each of which may be missing.

A path that is given is a promise: what a section needs of it must be there. What is not given is
`None`, and the sections that need it are left out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

from mgsa.base.errors import InputError
from mgsa.base.settings import Count, Positive
from pipeline.base.stage import SIDES
from pipeline.base.text import read_languages, read_sentences, split_tokens, unequal_lines
from pipeline.report_page.drawn_sentences import drawn_sentences
from pipeline.report_page.numbers import Report
from pipeline.report_page.system import System, Translations, read_translations

PATHS = {
    "reports": "the stages' reports: STAGE.json",
    "corpus": "raw text",
    "tokenized": "tokenised text",
    "parser": "the parser",
    "parsed": "trees of the source side",
    "bpe": "segmented text",
    "partitions": "phrases of every level",
    "phrase-counts": "counts of phrases, from the --plots of the stage partition",
    "alignments": "word links",
    "dataset": "dataset artifact",
    "model": "model artifact",
    "translations": "translations of the model",
    "curves": "learning curves, from the --plots of the stage train",
    "attention": "shares of attention and heat maps, from the stage analyze",
    "patterns": "scores of n-grams, from the stage phrasal_patterns",
}
"""The folders that a report can be made of, and what they hold."""


@dataclass(frozen=True)
class ReportSettings:
    """What the page shows of its sentences.

    `sentences` of the split, spread over their lengths up to `max_words` source words, are drawn.
    Of the worst, of the best and of those that systems differ in most, `ranked` are listed, by the
    sentence score `metric`.
    """

    split: str
    sentences: Count
    max_words: Positive
    ranked: Count
    metric: Literal["chrf", "bleu"]


@dataclass
class Inputs:
    """What was given, and what several sections read of it.

    Attributes:
        parameters: every section of the parameter file; `None` on a page that only compares, whose
            systems were run with others.
        paths: a folder for each name of `PATHS` that was given.
        gold: a file of gold links, where those of the corpus are not meant.
        systems: the run itself first, if it has any output of a model, then those to compare.
        tables: what `pipeline.experiment` wrote of tables: their JSON files.
    """

    settings: ReportSettings
    parameters: Mapping[str, Any] | None
    parameter_file: Path
    paths: Mapping[str, Path]
    gold: Path | None
    systems: Sequence[System]
    tables: Sequence[Path] = ()

    def path(self, name: str) -> Path | None:
        """A folder by its name in `PATHS`, if it was given."""
        assert name in PATHS, name
        return self.paths.get(name)

    def report(self, stage: str) -> Report | None:
        """What a stage reported, if `--reports` has it.

        Raises:
            InputError: the report is malformed.
        """
        folder = self.path("reports")
        if folder is None or not (folder / f"{stage}.json").is_file():
            return None
        return Report.read(folder / f"{stage}.json")

    @cached_property
    def languages(self) -> dict[str, str]:
        """The language code of each side: `en` for `source`; empty where nothing tells it."""
        corpus = self.path("corpus")
        if corpus is not None:
            return read_languages(corpus)
        dataset = self.path("dataset")
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

    @property
    def opened(self) -> tuple[int, ...]:
        """The places in `drawn` of those that are unfolded at first: in the middle."""
        middle = len(self.drawn) // 2
        return tuple(place for place in (middle - 1, middle) if 0 <= place < len(self.drawn))

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
        return [_line(raw, number, path, line) for line, number in enumerate(kept, start=1)]


def _line(raw: Sequence[str], number: str, path: Path, line: int) -> str:
    if not (number.isascii() and number.isdecimal() and 1 <= int(number) <= len(raw)):
        raise InputError(
            f"expected the number of one of {len(raw)} lines of the corpus, got {number!r}",
            path=path,
            line=line,
        )
    return raw[int(number) - 1]


def check_same_number(columns: Mapping[Path, Sequence[object]]) -> None:
    """Check that files which are read side by side have as many lines as each other.

    Raises:
        InputError: they have not.
    """
    counts = {path: len(lines) for path, lines in columns.items()}
    if len(set(counts.values())) > 1:
        raise unequal_lines(counts)
