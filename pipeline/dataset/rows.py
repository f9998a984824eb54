"""Rows of a dataset: aligned outputs of the text stages, encoded."""

import gc
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import count, takewhile
from pathlib import Path
from typing import Any

import pyarrow as pa

from mgsa.cli.errors import InputError
from mgsa.data.schema import SCHEMA
from pipeline.encoder import Encoder, check_length
from pipeline.formats.links import read_links
from pipeline.formats.phrases import read_phrases_line
from pipeline.formats.tables import Record
from pipeline.formats.text import SIDES, read_parallel, split_tokens


@dataclass(frozen=True)
class StageOutputs:
    """Folders of the text stages; `alignments` is `None` without word links."""

    corpus: Path
    tokenized: Path
    bpe: Path
    partitions: Path
    parser: Path
    alignments: Path | None

    @cached_property
    def aligner(self) -> Record | None:
        """The aligner of the word links."""
        if self.alignments is None:
            return None
        record = Record.read(self.alignments / "aligner.json")
        for key in ("kind", "deterministic", "splits"):
            record[key]  # an error now, not when the rows are done
        return record

    def row_files(self, split: str) -> dict[str, Path]:
        """Files with a line for each row of a split: tokens, subwords, phrases, links."""
        files = {side: self.tokenized / f"{split}.{side}" for side in SIDES}
        files |= {f"{side}_subwords": self.bpe / f"{split}.{side}" for side in SIDES}
        files["phrases"] = self.partitions / f"{split}.phrases"
        if self.alignments and self.aligner and split in self.aligner["splits"]:
            files["links"] = self.alignments / f"{split}.links"
        return files

    def rows(self, split: str) -> Iterator[tuple[Any, ...]]:
        """Yield the line of each row in every `row_files`, after its pair of the corpus.

        The pair is source, target, test set (or `None`), and a list of further references.
        """
        numbers = self.tokenized / f"{split}.lines"
        sets = self.corpus / f"{split}.sets"
        further = (self.corpus / f"{split}.target.{number}" for number in count(2))
        files = [self.corpus / f"{split}.{side}" for side in SIDES]
        files += [*filter(Path.is_file, [sets]), *takewhile(Path.is_file, further)]
        corpus = enumerate(read_parallel(files), start=1)
        rows = read_parallel([numbers, *self.row_files(split).values()])
        before = "0"
        for line, (number, *fields) in enumerate(rows, start=1):
            pair = next((pair for at, pair in corpus if str(at) == number), None)
            if pair is None:
                message = f"expected the number of a line after line {before} of the corpus"
                raise InputError(f"{message}, got {number!r}", path=numbers, line=line)
            before = number
            source, target, *others = pair
            test_set = others.pop(0) if sets in files else None
            yield source, target, test_set, [text for text in others if text.strip()], *fields


_encoder = lru_cache(maxsize=1)(Encoder.load)
"""A worker's: read once."""


def encode_rows(
    rows: Sequence[tuple[int, Sequence[Any]]],
    *,
    folder: Path,
    files: Mapping[str, Path],
    levels: int,
) -> pa.Table:
    """Encode rows, each a line number and an item of `StageOutputs.rows`.

    Args:
        folder: the artifact with vocabularies, tags and BPE files.
        files: from `StageOutputs.row_files`.
    """
    encoder = _encoder(folder)
    gc.disable()  # rows hold many small lists and no cycle: to look for some takes a third more
    try:
        encoded = [_encode(encoder, line, fields, files, levels) for line, fields in rows]
        return pa.Table.from_pylist(encoded, SCHEMA)
    finally:
        gc.enable()


def _encode(
    encoder: Encoder, line: int, fields: Sequence[Any], files: Mapping[str, Path], levels: int
) -> dict[str, Any]:
    source_text, target_text, test_set, references, *lines = fields
    texts = dict(zip(files, lines, strict=True))
    tokens = []
    for side, of_side in zip(SIDES, (encoder.source, encoder.target), strict=True):
        words = split_tokens(texts[side], path=files[side], line=line)
        if of_side.segment(words) != texts[f"{side}_subwords"]:
            message = f"expected the subwords of line {line} of {files[side]}"
            raise InputError(message, path=files[f"{side}_subwords"], line=line)
        tokens.append(words)
    source, target = tokens
    path = files["phrases"]
    phrases = read_phrases_line(texts["phrases"], num_words=len(source), path=path, line=line)
    if len(phrases) != levels:
        raise InputError(f"expected {levels} levels, got {len(phrases)}", path=path, line=line)
    links = None
    if "links" in texts:
        lengths = len(source), len(target)
        links = read_links(texts["links"], lengths=lengths, path=files["links"], line=line)
    row = encoder.encode(source, target, phrases=phrases, links=links)
    for side in SIDES:
        check_length(row[f"{side}_length"], path=files[f"{side}_subwords"], line=line)
    return row | {
        "source_text": source_text,
        "target_text": target_text,
        "source_tokens": texts["source"],
        "target_tokens": texts["target"],
        "set": test_set,
        "references": references or None,
    }
