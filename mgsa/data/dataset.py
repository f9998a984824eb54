"""Open a dataset artifact: version and hashes checked, rows streamed from Parquet and validated.

Memory grows with the row groups in use, not with the corpus. Files are read rather than mapped, as
they are compressed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from mgsa.cli.errors import InputError
from mgsa.cli.outputs import MANIFEST, check_files
from mgsa.data.batch import NO_LABEL, Row, RowColumns
from mgsa.data.checks import RowLimits, counts_of, first_invalid_row, one_array
from mgsa.data.ragged import Ragged
from mgsa.data.schema import LABELS, PAIRS, SCHEMA, TAGS, TEXTS, VOCABULARY, Kind, Manifest
from mgsa.data.vocabulary import Vocabulary, read_classes, read_tags, read_vocabularies

MAX_OPEN_FILES = 32
"""Limit for a split of thousands of files; systems allow a process some hundreds."""

_ID_COLUMNS = ("source_ids", "source_length", "target_ids", "target_length")
_ROW_COLUMNS = [name for name in SCHEMA.names if name not in TEXTS]


def open_dataset(folder: str | Path, *, kind: Kind = PAIRS, verify: bool = True) -> Dataset:
    """Open the dataset artifact in `folder`; `verify` compares the SHA-256 of every file.

    Raises:
        InputError: it is no dataset of this kind and version, or a file of it is missing,
            truncated, altered or of another schema.
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
    """Open a dataset, check every row and the counts; an `InputError` names the first error."""
    dataset = open_dataset(folder)
    for split, described in dataset.manifest.content["splits"].items():
        counts = Counter(counts_of(SCHEMA.empty_table()))  # zeros
        for table in dataset.tables(split):
            counts.update(counts_of(table))
        for name, count in counts.items():
            if (claimed := described.get(name, count)) != count:
                message = f"manifest.splits.{split}.{name}: expected {count}, as is found, got"
                raise InputError(f"{message} {claimed!r}", path=dataset.folder / MANIFEST)
    return dataset


class Dataset:
    """An open artifact: vocabularies, tags, and rows as a stream, by index, or as columns.

    Every row that is read is checked (`mgsa.data.checks`); an `InputError` names file and row.
    Phrase `tags` are by id, `classes` by label column and id.
    """

    def __init__(self, folder: Path, manifest: Manifest, kind: Kind = PAIRS) -> None:
        self.folder = folder
        self.manifest = manifest
        self.vocabularies: tuple[Vocabulary, Vocabulary] = read_vocabularies(folder / VOCABULARY)
        self.tags: tuple[str, ...] = read_tags(folder / TAGS)
        self.classes = read_classes(folder / LABELS, kind.labels) if kind.labels else {}
        source, target = map(len, self.vocabularies)
        classes = {name: len(names) for name, names in self.classes.items()}
        self._limits = RowLimits((source, target), manifest.levels, len(self.tags), classes)
        self._kind = kind
        self._shards = {
            name: Shards([folder / file for file in split.files], kind.columns, split.rows)
            for name, split in manifest.splits.items()
        }

    def num_rows(self, split: str) -> int:
        """Rows of a split."""
        return sum(self.shard_rows(split))

    def row_group_rows(self, split: str) -> np.ndarray:
        """(row groups,) rows of each row group of a split."""
        return np.array([len(rows) for rows in self._split(split).row_groups], dtype=np.int64)

    def shard_rows(self, split: str) -> list[int]:
        """Rows of each file of a split."""
        return self._split(split).shard_rows

    def lengths(self, split: str, row_groups: Sequence[int] | None = None) -> np.ndarray:
        """(rows, 2) int32: subwords of source and target, in the row groups given or in all."""
        groups = range(len(self.row_group_rows(split))) if row_groups is None else row_groups
        table = self._read(split, groups, ["source_length", "target_length"])
        return np.stack([column.to_numpy().astype(np.int32) for column in table.columns], axis=1)

    def columns(
        self, split: str, row_groups: Sequence[int], extra: Collection[str] = ()
    ) -> RowColumns:
        """All rows of some row groups as columns.

        `extra` are columns besides the ids: `subwords_per_word`, `phrase_lengths` with
        `phrase_tags`, `links`, label columns.
        """
        ids = [name for name in _ID_COLUMNS if name in self._kind.columns.names]
        table = self._read(split, row_groups, [*ids, *extra])
        array = {name: one_array(table[name]) for name in table.column_names}

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
        """Rows `start` to `stop` (exclusive) of a split, one row group in memory at a time."""
        for first, table in self._portions(split, _ROW_COLUMNS, start, stop):
            # Python's numbers take ten times the memory: convert few rows at a time.
            batches = table.to_batches(max_chunksize=100)
            rows = (row for batch in batches for row in batch.to_pylist())
            for index, row in enumerate(rows, start=first):
                links = row["links"] and [(link["source"], link["target"]) for link in row["links"]]
                yield Row.of_columns(index, row | {"links": links})

    def rows(self, split: str, indices: Sequence[int]) -> Iterator[Row]:
        """The rows at `indices`, in that order; each decodes its row group."""
        for index in indices:
            if not 0 <= index < self.num_rows(split):
                raise IndexError(f"{split}: no row {index} among {self.num_rows(split)}")
            yield from self.read(split, index, index + 1)

    def texts(
        self, split: str, column: str, start: int = 0, stop: int | None = None
    ) -> Iterator[Any]:
        """A column of `TEXTS` from row `start` to `stop` (exclusive)."""
        for _, table in self._portions(split, [column], start, stop):
            yield from table[column].to_pylist()

    def tables(self, split: str) -> Iterator[pa.Table]:
        """The row groups of a split, with all columns."""
        return (table for _, table in self._portions(split, self._kind.columns.names))

    def check_granularities(self, granularities: Sequence[str]) -> None:
        """Raise an `InputError` if the dataset lacks a syntactic level among `granularities`."""
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
        """Raise an `InputError` if a split has no word alignments."""
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
        """Checked columns of some row groups, in the order given."""
        shards = self._split(split)
        tables = [] if groups else [self._kind.columns.empty_table().select(columns)]
        for group in groups:
            tables.append(shards.read(group, columns))
            if wrong := first_invalid_row(tables[-1], self._limits):
                raise shards.invalid_row_error(group, *wrong)
        return pa.concat_tables(tables)

    def _portions(
        self, split: str, columns: Sequence[str], start: int = 0, stop: int | None = None
    ) -> Iterator[tuple[int, pa.Table]]:
        """Rows `start` to `stop` as tables of at most a row group, each with its first index."""
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
    """The Parquet files of a split as one sequence of row groups, ranges of row indices."""

    def __init__(self, paths: Sequence[Path], columns: pa.Schema, num_rows: int) -> None:
        self._open = lru_cache(maxsize=MAX_OPEN_FILES)(_open)
        self._groups: list[tuple[Path, int, int]] = []  # file, row group and first row within it
        self.shard_rows: list[int] = []
        self.row_groups: list[range] = []
        end = 0
        for path in paths:
            metadata = self._open(path).metadata
            schema = metadata.schema.to_arrow_schema()
            for column in columns:
                index = schema.get_field_index(column.name)
                if index < 0 or not schema.field(index).equals(column):
                    raise InputError(f"expected a column {column.name}: {column.type}", path=path)
            self.shard_rows.append(metadata.num_rows)
            first = end
            for group in range(metadata.num_row_groups):
                start, end = end, end + metadata.row_group(group).num_rows
                self._groups.append((path, group, first))
                self.row_groups.append(range(start, end))
        if end != num_rows:
            message = f"expected {num_rows} rows as in the manifest, found {end}"
            raise InputError(message, path=paths[-1])

    def read(self, group: int, columns: Sequence[str]) -> pa.Table:
        """The given columns of a row group."""
        path, number, _ = self._groups[group]
        with _naming(path):
            # Arrow's threads can deadlock: glibc before 2.41 may lose a wake-up (its bug 25847).
            return self._open(path).read_row_group(number, list(columns), use_threads=False)

    def invalid_row_error(self, group: int, row: int, expectation: str) -> InputError:
        """The error for row `row` of a row group, with the file and the row's index in it."""
        path, _, first = self._groups[group]
        index = self.row_groups[group][row] - first
        return InputError(f"row {index}: expected {expectation}", path=path)


def _open(path: Path) -> pq.ParquetFile:
    with _naming(path):
        return pq.ParquetFile(path, pre_buffer=False)


@contextmanager
def _naming(path: Path) -> Iterator[None]:
    """Raise pyarrow's errors as `InputError`s that name the file."""
    try:
        yield
    except MemoryError:  # also one of pyarrow's
        raise
    except (pa.ArrowException, OSError) as error:
        if getattr(error, "errno", None):  # the system's, such as too many open files
            raise
        reason = str(error).splitlines()[0]
        raise InputError(f"expected a readable Parquet file: {reason}", path=path) from None
