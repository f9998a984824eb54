"""The Parquet files of a split, read as one: their row groups are counted through.

What the footer of a file promises is bounded before any of it is read, for Arrow makes room for as
many rows as it is told of; what the pages hold is compared with it as they are read. A text that
many rows share is in a file once: rows stay numbers until it is known how long all of it is.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property, lru_cache
from itertools import groupby
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from mgsa.base.errors import InputError
from mgsa.data.limits import MAX_ROW_GROUP_BYTES, MAX_ROW_GROUP_ROWS
from mgsa.data.page_headers import DamagedPageError, check_pages
from mgsa.data.schema import LONGEST

MAX_OPEN_FILES = 32
"""Of a split: systems let a process have some hundreds, and a split may have thousands."""


class Shards:
    """The files of a split in their order; the last few that were read stay open.

    Raises:
        InputError: at any time: a file is no readable Parquet file, has a row group that is too
            large, or fewer rows than it promises.
    """

    def __init__(self, paths: Sequence[Path]) -> None:
        self.paths = tuple(paths)
        # One that is let go while another thread reads it stays open until that is done.
        self._opened = lru_cache(maxsize=MAX_OPEN_FILES)(_opened)

    @cached_property
    def row_group_rows(self) -> np.ndarray:
        """(row groups,) how many rows each has."""
        return np.array([rows for shard in self._row_groups for rows in shard], dtype=np.int64)

    @cached_property
    def row_group_values(self) -> np.ndarray:
        """(row groups,) how many numbers each has in that column of lists that has most."""
        files = map(self._open, range(len(self.paths)))
        values = [_list_values(file, group) for file in files for group in _row_groups(file)]
        return np.array(values, dtype=np.int64)

    @property
    def rows(self) -> list[int]:
        """How many rows each file has."""
        return [sum(shard) for shard in self._row_groups]

    def check_size(self, max_bytes: int) -> None:
        """Check that all of it may be read at once.

        Raises:
            InputError: what its row groups promise is more than `max_bytes` together.
        """
        size = 0
        for shard, path in enumerate(self.paths):
            size += sum(_size(path, group) for group in _row_groups(self._open(shard)))
            if size > max_bytes:
                raise InputError(f"expected at most {max_bytes:,} bytes, found {size}", path=path)

    def check_columns(self, expected: pa.Schema) -> None:
        """Check that every file has these columns; it may have others besides.

        Raises:
            InputError: one is missing, is there twice, is of another type, or is a list of more
                numbers than so many sentences have.
        """
        lists = {
            column.name
            for column in expected
            if pa.types.is_list(column.type) and pa.types.is_integer(column.type.value_type)
        }
        for shard, path in enumerate(self.paths):
            file = self._open(shard)
            schema = _schema(file.metadata)
            for column in expected:
                place = schema.get_field_index(column.name)
                if place < 0 or not schema.field(place).equals(column):
                    raise InputError(f"expected a column {column.name}: {column.type}", path=path)
            for group in _row_groups(file):
                _check_lists(path, group, lists)

    def place(self, row: int) -> tuple[Path, int]:
        """The file that has a row, and its place there."""
        ends = np.cumsum(self.rows)
        shard = int(np.searchsorted(ends, row, side="right"))
        return self.paths[shard], row - int(ends[shard] - self.rows[shard])

    def read(self, row_groups: Sequence[int], columns: Sequence[str]) -> pa.Table:
        """Columns of some row groups, in the order given."""
        if not row_groups:
            return self._open(0).read_row_groups([], columns=list(columns))
        starts = np.cumsum([0, *(len(shard) for shard in self._row_groups)])
        tables = []
        for shard, groups in groupby(
            row_groups, key=lambda group: int(np.searchsorted(starts, group, side="right")) - 1
        ):
            local = [group - int(starts[shard]) for group in groups]
            file = self._open(shard)
            self._check_pages(shard, local, columns)
            with _naming(self.paths[shard]):
                table = file.read_row_groups(local, columns=list(columns), use_threads=False)
            promised = sum(self._row_groups[shard][group] for group in local)
            if table.num_rows != promised:
                raise InputError(
                    f"expected {promised} rows as in its footer, found {table.num_rows}",
                    path=self.paths[shard],
                )
            with _naming(self.paths[shard]):
                tables.append(_written_out(table, self.paths[shard]))
        return tables[0] if len(tables) == 1 else pa.concat_tables(tables)

    def _check_pages(self, shard: int, groups: Sequence[int], columns: Sequence[str]) -> None:
        """Check that what is to be read of a file is no more than its footer says."""
        path, metadata, wanted = self.paths[shard], self._open(shard).metadata, set(columns)
        with _naming(path), path.open("rb", buffering=0) as file:
            for group in map(metadata.row_group, groups):
                for column in map(group.column, range(group.num_columns)):
                    if column.path_in_schema.partition(".")[0] in wanted:
                        check_pages(file, column)

    @cached_property
    def _row_groups(self) -> list[list[int]]:
        """For each file, the rows of its row groups."""
        return [
            [_bounded_rows(path, group) for group in _row_groups(self._open(shard))]
            for shard, path in enumerate(self.paths)
        ]

    def _open(self, shard: int) -> pq.ParquetFile:
        return self._opened(self.paths[shard])


def _opened(path: Path) -> pq.ParquetFile:
    """A file to be read; its texts will be dictionaries."""
    with _naming(path):
        # Arrow's threads are not asked to read ahead, nor to decode: `mgsa.data.prefetch` reads
        # ahead, and who waits for Arrow's pool may wait forever, as glibc before 2.41 loses a
        # wake-up now and then (its bug 25847).
        metadata = pq.read_metadata(path)
        texts = [field.name for field in _schema(metadata) if field.type == pa.string()]
        return pq.ParquetFile(path, metadata=metadata, read_dictionary=texts, pre_buffer=False)


def _schema(metadata: pq.FileMetaData) -> pa.Schema:
    """The columns of a file, with texts as such."""
    return metadata.schema.to_arrow_schema()


def _written_out(table: pa.Table, path: Path) -> pa.Table:
    """A table whose texts are dictionaries, with the text itself in each row.

    Raises:
        pa.ArrowInvalid: a text is no UTF-8, which Arrow does not look at as it reads.
        InputError: that takes more than a row group may.
    """
    texts = [field.name for field in table.schema if pa.types.is_dictionary(field.type)]
    for name in texts:
        table[name].validate(full=True)
    size = sum(_text_size(chunk) for name in texts for chunk in table[name].chunks)
    if size > MAX_ROW_GROUP_BYTES:
        raise InputError(
            f"expected row groups of at most {MAX_ROW_GROUP_BYTES:,} bytes, found {size} of text",
            path=path,
        )
    for name in texts:
        place = table.schema.get_field_index(name)
        field = table.schema.field(place).with_type(pa.string())
        table = table.set_column(place, field, table[name].cast(pa.string()))
    return table


def _text_size(texts: pa.DictionaryArray) -> int:
    """How many bytes texts take that are each written out."""
    lengths = pc.binary_length(texts.dictionary).cast(pa.int64())
    return pc.sum(lengths.take(texts.indices)).as_py() or 0


def _row_groups(file: pq.ParquetFile) -> Iterator[pq.RowGroupMetaData]:
    return map(file.metadata.row_group, range(file.metadata.num_row_groups))


def _bounded_rows(path: Path, group: pq.RowGroupMetaData) -> int:
    """How many rows a row group has.

    Raises:
        InputError: it is too large, or has less than no row.
    """
    if not 0 <= group.num_rows <= MAX_ROW_GROUP_ROWS:
        raise InputError(
            f"expected row groups of at most {MAX_ROW_GROUP_ROWS:,} rows, found {group.num_rows}",
            path=path,
        )
    size = _size(path, group)
    if size > MAX_ROW_GROUP_BYTES:
        raise InputError(
            f"expected row groups of at most {MAX_ROW_GROUP_BYTES:,} bytes, found {size}", path=path
        )
    return int(group.num_rows)


def _check_lists(path: Path, group: pq.RowGroupMetaData, lists: set[str]) -> None:
    """Check that what is a number a subword in these columns is of sentences that may be.

    Raises:
        InputError: there are more: a few bytes that repeat would become gigabytes.
    """
    for column in map(group.column, range(group.num_columns)):
        name = column.path_in_schema.partition(".")[0]
        if name in lists and column.num_values > group.num_rows * LONGEST:
            raise InputError(
                f"expected at most {LONGEST} {name} a row, "
                f"found {column.num_values} in {group.num_rows}",
                path=path,
            )


def _list_values(file: pq.ParquetFile, group: pq.RowGroupMetaData) -> int:
    """How many numbers a row group has in that column of lists that has most."""
    lists = (
        group.column(place).num_values
        for place in range(group.num_columns)
        if file.schema.column(place).max_repetition_level
    )
    return max(lists, default=0)


def _size(path: Path, group: pq.RowGroupMetaData) -> int:
    """How many bytes the columns of a row group promise to be, those that nobody reads too.

    Raises:
        InputError: one promises less than nothing, which would make room for the others.
    """
    size = 0
    for column in map(group.column, range(group.num_columns)):
        least = min(column.num_values, column.total_uncompressed_size, column.total_compressed_size)
        if least < 0:
            raise InputError(
                f"expected counts of at least 0 in its footer, found {least}", path=path
            )
        size += max(column.total_uncompressed_size, 4 * column.num_values)
    return size


@contextmanager
def _naming(path: Path) -> Iterator[None]:
    """What pyarrow says of a damaged file, as an `InputError` that names it."""
    try:
        yield
    except (pa.ArrowException, OSError, UnicodeDecodeError, DamagedPageError) as error:
        first_line = str(error).splitlines()[0]
        raise InputError(f"expected a readable Parquet file: {first_line}", path=path) from None
