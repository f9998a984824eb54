"""The Parquet files of a split, read as one: their row groups are numbered through."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from mgsa.base.errors import InputError

MAX_OPEN_FILES = 32
"""Of a split: systems let a process have some hundreds, and a split may have thousands."""


class Shards:
    """The files of a split in their order; the last few that were read stay open.

    Attributes:
        shard_rows: the rows of each file.
        row_group_rows: (row groups,) the rows of each row group.
        starts: (row groups,) the first row of each.
    """

    def __init__(self, paths: Sequence[Path], columns: pa.Schema, num_rows: int) -> None:
        """
        Args:
            columns: what every file has to have; it may have others besides.
            num_rows: of all files.

        Raises:
            InputError: a file is no readable Parquet file, lacks a column, or there are other rows.
        """
        self._open = lru_cache(maxsize=MAX_OPEN_FILES)(_open)
        self._paths = tuple(paths)
        self._groups: list[tuple[int, int]] = []  # which file, and which row group of it
        self.shard_rows: list[int] = []
        rows: list[int] = []
        for shard, path in enumerate(paths):
            metadata = self._open(path).metadata
            found = metadata.schema.to_arrow_schema()
            for column in columns:
                place = found.get_field_index(column.name)
                if place < 0 or not found.field(place).equals(column):
                    raise InputError(f"expected a column {column.name}: {column.type}", path=path)
            groups = range(metadata.num_row_groups)
            self._groups += [(shard, group) for group in groups]
            rows += [metadata.row_group(group).num_rows for group in groups]
            self.shard_rows.append(metadata.num_rows)
        self.row_group_rows = np.array(rows, dtype=np.int64)
        self.starts = np.cumsum(self.row_group_rows) - self.row_group_rows
        if sum(rows) != num_rows:
            message = f"expected {num_rows} rows as in the manifest, found {sum(rows)}"
            raise InputError(message, path=paths[-1])

    def read(self, group: int, columns: Sequence[str]) -> pa.Table:
        """Columns of a row group."""
        shard, number = self._groups[group]
        with _naming(path := self._paths[shard]):
            # Without Arrow's threads: who waits for its pool may wait forever, as glibc before 2.41
            # loses a wake-up now and then (its bug 25847).
            return self._open(path).read_row_group(number, list(columns), use_threads=False)

    def rows(self, group: int) -> np.ndarray:
        """(rows,) which rows of the split a row group has."""
        return np.arange(self.starts[group], self.starts[group] + self.row_group_rows[group])

    def wrong_row(self, group: int, row: int, expectation: str) -> InputError:
        """What to raise for a row of a row group: it names the file, and the row's index there."""
        shard, _ = self._groups[group]
        index = self.starts[group] + row - sum(self.shard_rows[:shard])
        return InputError(f"row {index}: expected {expectation}", path=self._paths[shard])


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
