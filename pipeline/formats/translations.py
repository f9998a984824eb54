"""Translations beside their references, by named test set."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from mgsa.cli.errors import InputError
from pipeline.formats.text import read_parallel


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
        if sets and not all(map(str.strip, columns[-1])):
            line = [*map(str.strip, columns[-1])].index("") + 1
            raise InputError("expected the name of a test set", path=sets, line=line)
        return cls(
            dict(zip(texts, columns[count:], strict=False)),
            [[r, *filter(str.strip, others)] for r, *others in zip(*columns[:count], strict=True)],
            columns[-1] if sets else ["test"] * len(columns[0]),
        )

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
    further = folder.glob(f"{split}.references.*")
    return [folder / f"{split}.references", *sorted(further)]
