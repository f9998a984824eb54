"""Translations beside their references, by named test set."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from mgsa.cli.errors import InputError
from mgsa.cli.outputs import manifest_of
from mgsa.cli.provenance import check_listed
from pipeline.formats.text import is_usual, read_parallel, visible_text

FORMS: dict[str, tuple[Callable[[str], object], Callable[[str], object]]] = {
    "detokenised text": (re.compile(r"\S\.$").search, re.compile(r" \.$").search),
    "Unicode's composed characters (NFC)": (
        lambda line: not unicodedata.is_normalized("NFD", line),
        lambda line: not unicodedata.is_normalized("NFC", line),
    ),
}
"""Forms in which texts compare: whether a line has one, and whether it has another instead."""
FEW = 10
"""Lines, and times as many, by which texts of different forms are told."""


@dataclass(frozen=True)
class Translations:
    """Columns of text, all of the same sentences."""

    texts: dict[str, list[str]]  #: such as `hypotheses` and `source`.
    references: list[list[str]]  #: of each sentence; further ones that are blank are left out.
    sets: list[str]  #: the test set of each sentence.

    @classmethod
    def read(
        cls, texts: Mapping[str, Path], references: Sequence[Path], sets: Path | None
    ) -> Translations:
        """Read files of as many lines; without `sets` there is one test set."""
        paths = [*references, *texts.values(), *([sets] if sets else [])]
        columns = [*map(list, zip(*read_parallel(paths), strict=True))]
        count = len(references)
        # A blank one has no length, by which BLEU would be cut, and looks as a mistake does.
        blanks = [visible_text(text) == "" for text in columns[0]]
        if any(blanks):
            raise InputError("expected text", path=paths[0], line=blanks.index(True) + 1)
        for path, column in zip(paths, columns, strict=True):
            for mark in ("@@ ", " ||| "):
                if is_usual(re.escape(mark), column):
                    raise InputError(
                        f"expected text, found {mark.strip()} between its parts", path=path
                    )
        unclear = [visible_text(name) != name or not name for name in columns[-1]] if sets else []
        if sets and any(unclear):
            message = "expected the name of a test set, without invisible characters"
            raise InputError(message, path=sets, line=unclear.index(True) + 1)
        return cls(
            dict(zip(texts, columns[count:], strict=False)),
            [
                [r, *filter(visible_text, others)]
                for r, *others in zip(*columns[:count], strict=True)
            ],
            columns[-1] if sets else ["test"] * len(columns[0]),
        )

    def check_systems(self, systems: Mapping[str, Path], references: Sequence[Path]) -> None:
        """Raise an `InputError` unless the texts of systems compare with the references.

        A reference is no other's file, and all are in the same one of `FORMS`.
        """
        apart = [*systems.values()]
        sides = dict.fromkeys(apart, ".references") | dict.fromkeys(references, ".hypotheses")
        for path, exchanged in sides.items():
            listed = (manifest_of(path.parent) or {"files": {}})["files"]
            if path.name in listed and exchanged in path.suffixes:
                raise InputError(f"expected other text than {exchanged[1:]}", path=path)
        for path in references:
            if any(map(path.samefile, apart)):
                expected = "expected references apart from translations, each once"
                raise InputError(expected, path=path)
            apart.append(path)
        first = [texts[0] for texts in self.references]
        for name, path in systems.items():
            ours = (manifest_of(path.parent) or {"files": {}})["files"]
            if path.parent == references[0].parent and path.name in ours:
                continue  # translations of a dataset, whose words are what they are
            files = {path: self.texts[name], references[0]: first}
            for form, tests in FORMS.items():
                counts = {
                    file: [sum(bool(test(line)) for line in lines) for test in tests]
                    for file, lines in files.items()
                }
                for file, other in (files, reversed(files)):
                    right, wrong = counts[other], counts[file][::-1]
                    if all(most >= max(FEW, FEW * few) for most, few in (right, wrong)):
                        raise InputError(f"expected {form}, as in {other}", path=file)

    def by_set(self) -> dict[str, Translations]:
        """Each test set alone."""
        rows: dict[str, list[int]] = {}
        for row, name in enumerate(self.sets):
            rows.setdefault(name, []).append(row)
        return {
            name: Translations(
                {column: [texts[row] for row in of_set] for column, texts in self.texts.items()},
                [self.references[row] for row in of_set],
                [name] * len(of_set),
            )
            for name, of_set in rows.items()
        }


def find_references(folder: Path, split: str) -> list[Path]:
    """The reference files of a split that was translated: `SPLIT.references`, `….references.2`."""
    further = [*folder.glob(f"{split}.references.[0-9]*")]
    check_listed(*further)
    return [folder / f"{split}.references", *sorted(further)]
