"""The outputs of the text stages, read side by side: what the rows of a dataset are made of."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from mgsa.base.errors import InputError
from mgsa.data.schema import BPE_FILES
from pipeline.base.stage import SIDES
from pipeline.base.text import read_parallel
from pipeline.dataset.manifest import Aligner, read_object

_NUMBER = re.compile("[0-9]{1,18}")


@dataclass(frozen=True)
class StageOutputs:
    """The folders of the text stages; `alignments` is `None` where there are no word links."""

    corpus: Path
    tokenized: Path
    bpe: Path
    partitions: Path
    parser: Path
    alignments: Path | None

    def check(self, splits: Sequence[str]) -> None:
        """Check that every file of these splits is there.

        Raises:
            InputError: one is missing.
        """
        files = [self.bpe / name for name in BPE_FILES]
        for split in splits:
            files += [self.corpus / f"{split}.{side}" for side in SIDES]
            files += [self.tokenized / f"{split}.lines", *self.row_files(split).values()]
        for file in files:
            if not file.is_file():
                raise InputError("no such file", path=file)

    def row_files(self, split: str) -> dict[str, Path]:
        """The files of a split with a line for every row, by what they hold.

        These are `SIDE` (tokens) and `SIDE_subwords` of each side, `phrases`, and `links` if the
        aligner has any.
        """
        files = {side: self.tokenized / f"{split}.{side}" for side in SIDES}
        files |= {f"{side}_subwords": self.bpe / f"{split}.{side}" for side in SIDES}
        files["phrases"] = self.partitions / f"{split}.phrases"
        aligner = self.aligner()
        if self.alignments and aligner and split in aligner["splits"]:
            files["links"] = self.alignments / f"{split}.links"
        return files

    def aligner(self) -> dict[str, Any] | None:
        """What the word links say of the aligner that they come from."""
        return read_object(self.alignments / "aligner.json", Aligner) if self.alignments else None

    def rows(self, split: str) -> Iterator[tuple[str, ...]]:
        """For each row of a split, its pair in the corpus, then its line of every `row_files`.

        Raises:
            InputError: a file is not UTF-8, empty, or has fewer lines than another, or a line
                number doesn't lead on to a line of the corpus.
        """
        numbers = self.tokenized / f"{split}.lines"
        corpus = read_parallel([self.corpus / f"{split}.{side}" for side in SIDES])
        read = 0
        rows = read_parallel([numbers, *self.row_files(split).values()])
        for line, (number, *fields) in enumerate(rows, start=1):
            pair = None
            if _NUMBER.fullmatch(number) and int(number) > read:
                pair = next(islice(corpus, int(number) - read - 1, None), None)
            if pair is None:
                message = f"expected the number of a line after line {read} of the corpus"
                raise InputError(f"{message}, got {number!r}", path=numbers, line=line)
            read = int(number)
            yield *pair, *fields
