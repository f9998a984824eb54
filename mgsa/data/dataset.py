"""Open a dataset artifact: version and hashes checked, rows streamed from Parquet and checked too.

Rows are decoded a row group at a time and dropped after use, so memory follows the rows in use and
not the size of the corpus. Files are read, not mapped: they are compressed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Literal

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from mgsa.base.errors import InputError
from mgsa.base.io import MANIFEST, check_files
from mgsa.data.batch import NO_LABEL, Row, RowColumns
from mgsa.data.checks import counts_of, one_piece, wrong_row
from mgsa.data.ragged import Ragged
from mgsa.data.schema import LABELS, PAIRS, SCHEMA, TAGS, TEXTS, VOCABULARY, Kind, Manifest
from mgsa.data.vocabulary import Vocabulary, read_classes, read_tags, read_vocabularies

TextColumn = Literal["source_text", "target_text", "source_tokens", "target_tokens"]

MAX_OPEN_FILES = 32
"""Of a split: systems let a process have some hundreds, and a split may have thousands."""

_ID_COLUMNS = ("source_ids", "source_length", "target_ids", "target_length")
_ROW_COLUMNS = [name for name in SCHEMA.names if name not in TEXTS]


def open_dataset(folder: str | Path, *, kind: Kind = PAIRS, verify: bool = True) -> Dataset:
    """Open the dataset artifact in `folder`.

    Args:
        kind: what artifact is expected.
        verify: whether to read every file once and compare its SHA-256; sizes and schemas are
            compared in any case.

    Raises:
        InputError: the folder is not a dataset of this kind and version, or a file of it is
            missing, truncated or altered; the message names the file.
    """
    folder = Path(folder)
    manifest = Manifest.read(folder / MANIFEST, kind)
    shards = [name for split in manifest.splits.values() for name in split.files]
    for name in [*shards, VOCABULARY, TAGS, *([LABELS] if kind.labels else [])]:
        if name not in manifest.files:
            raise InputError(f"expected {name} among the files", path=folder / MANIFEST)
    check_files(folder, manifest.files, verify=verify)
    return Dataset(folder, manifest, kind)


def verify_dataset(folder: str | Path) -> Dataset:
    """Open the dataset in `folder`, check every row of it, and count what its manifest counts.

    Raises:
        InputError: the first thing that is wrong, with its file and row.
    """
    dataset = open_dataset(folder)
    for split, described in dataset.manifest.content["splits"].items():
        counts = Counter(counts_of(SCHEMA.empty_table()))  # zeros
        for table in dataset.tables(split):
            counts.update(counts_of(table))
        for name, found in counts.items():
            if (said := described.get(name, found)) != found:
                message = f"manifest.splits.{split}.{name}: expected {found}, as is found, got"
                raise InputError(f"{message} {said!r}", path=dataset.folder / MANIFEST)
    return dataset


class Dataset:
    """An open artifact: vocabularies and tags, and rows as a stream, by index, or as columns.

    Every row that is read is checked (`mgsa.data.checks`); an `InputError` names its file and row.

    Attributes:
        vocabularies: of the source and of the target; one object twice when they share one.
        tags: names of the phrases' tags, by id.
        classes: by label column, the names of its classes, by id; none of sentence pairs.
    """

    def __init__(self, folder: Path, manifest: Manifest, kind: Kind = PAIRS) -> None:
        self.folder = folder
        self.manifest = manifest
        self.vocabularies: tuple[Vocabulary, Vocabulary] = read_vocabularies(folder / VOCABULARY)
        self.tags: tuple[str, ...] = read_tags(folder / TAGS)
        self.classes = read_classes(folder / LABELS, kind.labels) if kind.labels else {}
        self._kind = kind
        self._shards = {
            name: Shards([folder / file for file in split.files], kind.columns, split.rows)
            for name, split in manifest.splits.items()
        }

    def num_rows(self, split: str) -> int:
        """Rows of a split: sentence pairs, or sentences where there is a source alone."""
        return sum(self.shard_rows(split))

    def row_group_rows(self, split: str) -> np.ndarray:
        """(row groups,) how many rows each row group of a split has."""
        return np.array([len(rows) for rows in self._split(split).row_groups], dtype=np.int64)

    def shard_rows(self, split: str) -> list[int]:
        """How many rows each file of a split has."""
        return self._split(split).shard_rows

    def lengths(self, split: str, row_groups: Sequence[int] | None = None) -> np.ndarray:
        """(rows, 2) int32: subwords of source and target, of some row groups or of all."""
        groups = range(len(self.row_group_rows(split))) if row_groups is None else row_groups
        table = self._read(split, groups, ["source_length", "target_length"])
        return np.stack([column.to_numpy().astype(np.int32) for column in table.columns], axis=1)

    def columns(
        self, split: str, row_groups: Sequence[int], extra: Collection[str] = ()
    ) -> RowColumns:
        """All rows of some row groups, in their order, as columns.

        Args:
            extra: columns that are wanted besides the ids: `subwords_per_word`, `phrase_lengths`
                with `phrase_tags`, `links`, label columns.
        """
        ids = [name for name in _ID_COLUMNS if name in self._kind.columns.names]
        table = self._read(split, row_groups, [*ids, *extra])
        array = {name: one_piece(table[name]) for name in table.column_names}

        def lists(name: str, field: str | None = None) -> Ragged:
            if name in array:
                return Ragged.of_arrow(array[name], field)
            return Ragged.end_to_end(np.arange(0), np.zeros(len(table), dtype=np.int64))

        def levels_of(name: str) -> tuple[Ragged, ...]:
            levels = self.manifest.levels if name in array else 0
            return Ragged.levels_of_arrow(array[name], levels) if levels else ()

        ranges = [self._split(split).row_groups[group] for group in row_groups]
        return RowColumns(
            index=np.concatenate([np.arange(0), *(np.arange(r.start, r.stop) for r in ranges)]),
            source=lists("source_ids"),
            target=lists("target_ids"),
            subwords_per_word=lists("subwords_per_word"),
            phrase_lengths=levels_of("phrase_lengths"),
            phrase_tags=levels_of("phrase_tags"),
            links=(lists("links", "source"), lists("links", "target")),
            labels={name: _classes(array[name]) for name in extra if name in self.classes},
        )

    def read(self, split: str, start: int = 0, stop: int | None = None) -> Iterator[Row]:
        """The rows `start` to `stop` (end exclusive) of a split, a row group in memory at once."""
        for first, table in self._portions(split, _ROW_COLUMNS, start, stop):
            # Numbers of Python take ten times as much: a few rows at once.
            batches = table.to_batches(max_chunksize=100)
            rows = (row for batch in batches for row in batch.to_pylist())
            for index, row in enumerate(rows, start=first):
                links = row["links"] and [(link["source"], link["target"]) for link in row["links"]]
                yield Row.of_columns(index, row | {"links": links})

    def rows(self, split: str, indices: Sequence[int]) -> Iterator[Row]:
        """The rows at `indices`, in that order; for each its row group is decoded."""
        for index in indices:
            if not 0 <= index < self.num_rows(split):
                raise IndexError(f"{split}: no row {index} among {self.num_rows(split)}")
            yield from self.read(split, index, index + 1)

    def texts(
        self, split: str, column: TextColumn, start: int = 0, stop: int | None = None
    ) -> Iterator[str]:
        """The sentences of a text column, from row `start` to `stop` (end exclusive)."""
        for _, table in self._portions(split, [column], start, stop):
            yield from table[column].to_pylist()

    def tables(self, split: str) -> Iterator[pa.Table]:
        """Every row group of a split in turn, with all its columns."""
        return (table for _, table in self._portions(split, self._kind.columns.names))

    def check_granularities(self, granularities: Sequence[str]) -> None:
        """Check that there are the syntactic levels that a model attends to."""
        levels = self.manifest.levels
        for name in granularities:
            kind, _, size = name.partition("_")
            if kind == "syntactic" and int(size) > levels:
                raise InputError(
                    f"expected the level of {name}, but the dataset has {levels} levels "
                    "(partition.levels)",
                    path=self.folder,
                )

    def check_links(self, split: str) -> None:
        """Check that a split has the word alignments that a model learns from."""
        if not self.manifest.splits[split].links:
            raise InputError(
                f"expected word alignments of {split}, which model.alignment learns from, but the "
                "dataset has none (align.kind)",
                path=self.folder,
            )

    def _split(self, split: str) -> Shards:
        if split not in self._shards:
            splits = ", ".join(self._shards)
            raise InputError(f"no split {split!r}; it has {splits}", path=self.folder)
        return self._shards[split]

    def _read(self, split: str, groups: Sequence[int], columns: Sequence[str]) -> pa.Table:
        """Columns of some row groups, in the order given, once checked."""
        shards = self._split(split)
        tables = [] if groups else [self._kind.columns.empty_table().select(columns)]
        for group in groups:
            tables.append(shards.read(group, columns))
            if wrong := wrong_row(tables[-1], self):
                raise shards.wrong_row(group, *wrong)
        return pa.concat_tables(tables)

    def _portions(
        self, split: str, columns: Sequence[str], start: int = 0, stop: int | None = None
    ) -> Iterator[tuple[int, pa.Table]]:
        """The rows `start` to `stop` in tables of at most a row group, with their first index."""
        for group, rows in enumerate(self._split(split).row_groups):
            first = max(start, rows.start)
            count = (rows.stop if stop is None else min(stop, rows.stop)) - first
            if count > 0:
                yield first, self._read(split, [group], columns).slice(first - rows.start, count)


def _classes(labels: pa.Array) -> np.ndarray | Ragged:
    if pa.types.is_list(labels.type):
        return Ragged.of_arrow(labels)
    classes: np.ndarray = labels.fill_null(NO_LABEL).to_numpy()
    return classes


class Shards:
    """The Parquet files of a split, read as one: their row groups are numbered through.

    Attributes:
        shard_rows: the rows of each file.
        row_groups: which rows of the split each row group has.
    """

    def __init__(self, paths: Sequence[Path], columns: pa.Schema, num_rows: int) -> None:
        """`columns` are what every file has to have, `num_rows` the rows of all files."""
        self._open = lru_cache(maxsize=MAX_OPEN_FILES)(_open)
        self._places: list[tuple[Path, int, int]] = []  # file, row group of it, its first row
        self.shard_rows: list[int] = []
        self.row_groups: list[range] = []
        end = 0
        for path in paths:
            metadata = self._open(path).metadata
            found = metadata.schema.to_arrow_schema()
            for column in columns:
                place = found.get_field_index(column.name)
                if place < 0 or not found.field(place).equals(column):
                    raise InputError(f"expected a column {column.name}: {column.type}", path=path)
            self.shard_rows.append(metadata.num_rows)
            first = end
            for group in range(metadata.num_row_groups):
                start, end = end, end + metadata.row_group(group).num_rows
                self._places.append((path, group, first))
                self.row_groups.append(range(start, end))
        if end != num_rows:
            message = f"expected {num_rows} rows as in the manifest, found {end}"
            raise InputError(message, path=paths[-1])

    def read(self, group: int, columns: Sequence[str]) -> pa.Table:
        """Columns of a row group."""
        path, number, _ = self._places[group]
        with _naming(path):
            # Without Arrow's threads: who waits for its pool may wait forever, as glibc before 2.41
            # loses a wake-up now and then (its bug 25847).
            return self._open(path).read_row_group(number, list(columns), use_threads=False)

    def wrong_row(self, group: int, row: int, expectation: str) -> InputError:
        """What to raise for a row of a row group: it names the file, and the row's index there."""
        path, _, first = self._places[group]
        index = self.row_groups[group][row] - first
        return InputError(f"row {index}: expected {expectation}", path=path)


def _open(path: Path) -> pq.ParquetFile:
    with _naming(path):
        return pq.ParquetFile(path, pre_buffer=False)


@contextmanager
def _naming(path: Path) -> Iterator[None]:
    """What pyarrow says of a damaged file, as an `InputError` that names it."""
    try:
        yield
    except (pa.ArrowException, OSError) as error:
        reason = str(error).splitlines()[0]
        raise InputError(f"expected a readable Parquet file: {reason}", path=path) from None
