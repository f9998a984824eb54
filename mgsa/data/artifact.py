"""Open a dataset artifact: version and hashes checked, rows streamed from Parquet and checked too.

Rows are decoded a row group at a time and dropped after use, so memory follows the rows in use and
not the size of the corpus. The files are read, not mapped: what Parquet holds is compressed, so
mapped pages would be one more copy.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Literal

import numpy as np
import pyarrow as pa

from mgsa.base.errors import InputError
from mgsa.base.io import MANIFEST, check_files
from mgsa.data.batch import Row, RowColumns
from mgsa.data.manifest import Manifest
from mgsa.data.ragged import Ragged, level_lists
from mgsa.data.row_checks import (
    Failure,
    first_wrong,
    wrong_counts,
    wrong_length,
    wrong_levels,
    wrong_row,
)
from mgsa.data.schema import SCHEMA, TAGS, VOCABULARY
from mgsa.data.shards import Shards
from mgsa.data.vocabulary import Vocabulary, read_tags, read_vocabularies

TextColumn = Literal["source_text", "target_text", "source_tokens", "target_tokens"]

_ROW_COLUMNS = [
    "source_ids",
    "target_ids",
    "source_length",
    "target_length",
    "subwords_per_word",
    "target_subwords_per_word",
    "phrase_lengths",
    "phrase_tags",
    "links",
]


def open_dataset(folder: str | Path, *, verify: bool = True) -> Dataset:
    """Open the dataset artifact in `folder`.

    Args:
        verify: whether to read every file once and compare its SHA-256; sizes and schemas are
            compared in any case.

    Raises:
        InputError: the folder is not a dataset of this version, or a file of it is missing,
            truncated or altered; the message names the file.
    """
    folder = Path(folder)
    manifest = Manifest.read(folder / MANIFEST)
    shards = [name for names in manifest.shards.values() for name in names]
    for name in [*shards, VOCABULARY, TAGS]:
        if name not in manifest.files:
            raise InputError(f"expected {name} among the files", path=folder / MANIFEST)
    check_files(folder, manifest.files, verify=verify)
    dataset = Dataset(folder, manifest)
    for split in manifest.rows:
        dataset.check_schema(split)
    return dataset


class Dataset:
    """An open artifact: its vocabularies and tags, and its rows in whatever portion is asked for.

    Attributes:
        manifest: languages, counts, hashes.
        vocabularies: of the source and of the target; one object twice when they share one.
        tags: names of the phrases' tags, by id.
    """

    def __init__(self, folder: Path, manifest: Manifest) -> None:
        self.folder = folder
        self.manifest = manifest
        self.vocabularies: tuple[Vocabulary, Vocabulary] = read_vocabularies(folder / VOCABULARY)
        self.tags: tuple[str, ...] = read_tags(folder / TAGS)
        self._opened: dict[str, Shards] = {}

    def num_rows(self, split: str) -> int:
        """Sentence pairs of a split."""
        self._expect(split)
        return self.manifest.rows[split]

    def row_group_rows(self, split: str) -> np.ndarray:
        """(row groups,) how many rows each row group of a split has."""
        return self._shards(split).row_group_rows

    def row_group_values(self, split: str) -> np.ndarray:
        """(row groups,) how many numbers each has in that column of lists that has most."""
        return self._shards(split).row_group_values

    def shard_rows(self, split: str) -> list[int]:
        """How many rows each file of a split has."""
        return self._shards(split).rows

    def error_in_row(self, split: str, row: int, expectation: str) -> InputError:
        """What to raise for a row of a split that is not as expected: it names file and row."""
        path, place = self._shards(split).place(row)
        return InputError(f"row {place}: expected {expectation}", path=path)

    def lengths(self, split: str, row_groups: Sequence[int] | None = None) -> np.ndarray:
        """(rows, 2) int32: subwords of source and target, of some row groups or of all.

        They are what the file says; whether there are as many ids is checked when those are read.
        """
        groups = range(len(self.row_group_rows(split))) if row_groups is None else row_groups
        table = self._read(split, groups, ["source_length", "target_length"])
        columns = [table["source_length"], table["target_length"]]
        lengths = np.stack([column.to_numpy().astype(np.int32) for column in columns], axis=1)
        failure = first_wrong(lengths.min(axis=1) < 1, "lengths of at least 1")
        if failure is not None:
            self._check(split, self._index(split, groups), failure)
        return lengths

    def columns(
        self, split: str, row_groups: Sequence[int], *, words: bool, phrases: bool, links: bool
    ) -> RowColumns:
        """All rows of some row groups, in their order, as columns.

        Args:
            words: whether subwords per word are wanted.
            phrases: whether the syntactic phrases are wanted.
            links: whether word alignments are wanted.
        """

        def column(name: str) -> pa.Array:
            # One column at a time: joining the row groups of a column needs it twice for a moment.
            return self._read(split, row_groups, [name])[name].combine_chunks()

        index = self._index(split, row_groups)
        return self._columns(split, index, column, words=words, phrases=phrases, links=links)

    def read(self, split: str, start: int = 0, stop: int | None = None) -> Iterator[Row]:
        """The rows `start` to `stop` (end exclusive) of a split, a row group in memory at once."""
        for first, table in self._portions(split, start, stop, _ROW_COLUMNS):
            yield from _rows_of(self._checked(split, table, first), first)

    def rows(self, split: str, indices: Sequence[int]) -> Iterator[Row]:
        """The rows at `indices`, in that order; a row group is decoded anew when they leave it."""
        counts = self.row_group_rows(split)
        ends = np.cumsum(counts)
        current, table, first = -1, None, 0
        for index in indices:
            if not 0 <= index < self.num_rows(split):
                raise IndexError(f"{split}: no row {index} among {self.num_rows(split)}")
            group = int(np.searchsorted(ends, index, side="right"))
            if group != current:
                first = int(ends[group] - counts[group])
                table = self._checked(split, self._read(split, [group], _ROW_COLUMNS), first)
                current = group
            assert table is not None
            yield from _rows_of(table.slice(index - first, 1), index)

    def texts(
        self, split: str, column: TextColumn, start: int = 0, stop: int | None = None
    ) -> Iterator[str]:
        """The sentences of a text column, from row `start` to `stop` (end exclusive)."""
        for _, table in self._portions(split, start, stop, [column]):
            yield from table[column].to_pylist()

    def tables(self, split: str) -> Iterator[tuple[int, pa.Table]]:
        """Every row group of a split in turn: the index of its first row, and all its columns."""
        for first, table in self._portions(split, 0, None, SCHEMA.names):
            yield first, self._checked(split, table, first)

    def check_schema(self, split: str) -> None:
        """Check that a split's Parquet files have the columns and rows that the manifest promises.

        Raises:
            InputError: they have not, or one is no Parquet file.
        """
        shards = self._shards(split)
        shards.check_columns(SCHEMA)
        found, expected_rows = sum(shards.rows), self.manifest.rows[split]
        if found != expected_rows:
            raise InputError(
                f"expected {expected_rows} rows as in the manifest, found {found}",
                path=shards.paths[-1],
            )

    def _expect(self, split: str) -> None:
        if split not in self.manifest.rows:
            splits = ", ".join(self.manifest.rows)
            raise InputError(f"no split {split!r}; it has {splits}", path=self.folder)

    def _shards(self, split: str) -> Shards:
        self._expect(split)
        if split not in self._opened:
            names = self.manifest.shards[split]
            self._opened[split] = Shards([self.folder / name for name in names])
        return self._opened[split]

    def _index(self, split: str, row_groups: Sequence[int]) -> np.ndarray:
        """(rows,) which rows of a split its row groups have, in their order."""
        counts = self.row_group_rows(split)
        starts = np.cumsum(counts) - counts
        return np.concatenate(
            [np.arange(starts[group], starts[group] + counts[group]) for group in row_groups]
        )

    def _read(self, split: str, row_groups: Sequence[int], columns: list[str]) -> pa.Table:
        return self._shards(split).read(row_groups, columns)

    def _portions(
        self, split: str, start: int, stop: int | None, columns: list[str]
    ) -> Iterator[tuple[int, pa.Table]]:
        """The rows `start` to `stop` in tables of at most a row group, with their first index."""
        stop = self.num_rows(split) if stop is None else min(stop, self.num_rows(split))
        first = 0
        for group, rows in enumerate(self.row_group_rows(split).tolist()):
            begin, end = max(start, first), min(stop, first + rows)
            if begin < end:
                table = self._read(split, [group], columns)
                yield begin, table.slice(begin - first, end - begin)
            first += rows

    def _columns(
        self,
        split: str,
        index: np.ndarray,
        column: Callable[[str], pa.Array],
        *,
        words: bool,
        phrases: bool,
        links: bool,
    ) -> RowColumns:
        """The rows at `index`, whose columns are those that `column` gives, checked."""

        def levels(name: str) -> tuple[Ragged, ...]:
            if not phrases or not self.manifest.levels:
                return ()
            array = column(name)
            self._check(split, index, wrong_levels(array, self.manifest.levels, name))
            return level_lists(array, self.manifest.levels)

        columns = RowColumns(
            index=index,
            source=Ragged.of_arrow(column("source_ids")),
            target=Ragged.of_arrow(column("target_ids")),
            subwords_per_word=Ragged.of_arrow(column("subwords_per_word")) if words else None,
            phrase_lengths=levels("phrase_lengths"),
            phrase_tags=levels("phrase_tags"),
            links=_links(column("links")) if links else None,
        )
        self._check(split, index, wrong_row(columns, self.vocabularies, len(self.tags)))
        for side, ids in (("source", columns.source), ("target", columns.target)):
            said = column(f"{side}_length").to_numpy()
            self._check(split, index, wrong_length(ids, said, side))
        return columns

    def _check(self, split: str, index: np.ndarray, failure: Failure | None) -> None:
        if failure is not None:
            row, expectation = failure
            raise self.error_in_row(split, int(index[row]), expectation)

    def _checked(self, split: str, table: pa.Table, first: int) -> pa.Table:
        """A table of `_ROW_COLUMNS` and perhaps others, from the row `first` on, once checked."""
        index = np.arange(first, first + table.num_rows)

        def column(name: str) -> pa.Array:
            return table[name].combine_chunks()

        columns = self._columns(split, index, column, words=True, phrases=True, links=True)
        counts = Ragged.of_arrow(column("target_subwords_per_word"))
        expectation = "target_subwords_per_word that give each word a share of target_ids"
        self._check(split, index, wrong_counts(counts, columns.target.lengths, expectation))
        return table


def _links(array: pa.ListArray) -> tuple[Ragged, Ragged]:
    """The source and the target positions of each row's links; a row without any has none."""
    starts, lengths = array.offsets.to_numpy()[:-1], np.diff(array.offsets.to_numpy())
    source, target = (
        Ragged(array.values.field(side).to_numpy(), starts, lengths)
        for side in ("source", "target")
    )
    return source, target


def _rows_of(table: pa.Table, first: int) -> Iterator[Row]:
    # Numbers of Python take ten times as much: a few rows at once.
    batches = table.to_batches(max_chunksize=100)
    rows = (row for batch in batches for row in batch.to_pylist())
    for index, row in enumerate(rows, start=first):
        links = row["links"]
        yield Row(
            index=index,
            source=row["source_ids"],
            target=row["target_ids"],
            subwords_per_word=row["subwords_per_word"],
            phrase_lengths=row["phrase_lengths"],
            phrase_tags=row["phrase_tags"],
            target_subwords_per_word=row["target_subwords_per_word"],
            links=links and [(link["source"], link["target"]) for link in links],
        )
