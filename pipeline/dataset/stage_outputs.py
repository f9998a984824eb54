"""The outputs of the text stages, read side by side: what the rows of a dataset are made of."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from mgsa.base.errors import InputError
from mgsa.data.schema import BPE_FILES
from pipeline.base.stage import SIDES, SPLITS
from pipeline.base.text import read_parallel
from pipeline.dataset.manifest import read_object


@dataclass(frozen=True)
class StageOutputs:
    """The folders of the text stages; `alignments` is `None` where there are no word links."""

    corpus: Path
    tokenized: Path
    bpe: Path
    partitions: Path
    parser: Path
    alignments: Path | None

    @cached_property
    def aligner(self) -> dict[str, Any] | None:
        """What the word links say of the aligner that they come from."""
        if self.alignments is None:
            return None
        return read_object(self.alignments / "aligner.json", "kind", "deterministic", "splits")

    def check(self) -> None:
        """Check that every file is there, before hours of work."""
        files = [self.bpe / name for name in BPE_FILES]
        for split in SPLITS:
            files += [self.corpus / f"{split}.{side}" for side in SIDES]
            files += [self.tokenized / f"{split}.lines", *self.row_files(split).values()]
        for file in files:
            if not file.is_file():
                raise InputError("no such file", path=file)

    def row_files(self, split: str) -> dict[str, Path]:
        """The files with a line for every row of a split.

        These are `SIDE` (tokens) and `SIDE_subwords` of each side, `phrases`, and `links` if the
        aligner has any.
        """
        files = {side: self.tokenized / f"{split}.{side}" for side in SIDES}
        files |= {f"{side}_subwords": self.bpe / f"{split}.{side}" for side in SIDES}
        files["phrases"] = self.partitions / f"{split}.phrases"
        if self.alignments and self.aligner and split in self.aligner["splits"]:
            files["links"] = self.alignments / f"{split}.links"
        return files

    def rows(self, split: str) -> Iterator[tuple[str, ...]]:
        """For each row of a split, its pair in the corpus, then its line of every `row_files`.

        Raises:
            InputError: a file is not UTF-8, empty, or has fewer lines than another, or the number
                of a line doesn't lead on to a line of the corpus.
        """
        numbers = self.tokenized / f"{split}.lines"
        corpus = enumerate(
            read_parallel([self.corpus / f"{split}.{side}" for side in SIDES]), start=1
        )
        rows = read_parallel([numbers, *self.row_files(split).values()])
        before = "0"
        for line, (number, *fields) in enumerate(rows, start=1):
            pair = next((pair for at, pair in corpus if str(at) == number), None)
            if pair is None:
                message = f"expected the number of a line after line {before} of the corpus"
                raise InputError(f"{message}, got {number!r}", path=numbers, line=line)
            before = number
            yield *pair, *fields
