"""The Parquet files of a split, read as one: their row groups are counted through."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from itertools import groupby
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from mgsa.errors import InputError


class Shards:
    """The files of a split in their order; one that is read stays open.

    Raises:
        InputError: at any time: a file is no readable Parquet file.
    """

    def __init__(self, paths: Sequence[Path]) -> None:
        self.paths = tuple(paths)
        self._opened: dict[int, pq.ParquetFile] = {}

    @cached_property
    def row_group_rows(self) -> np.ndarray:
        """(row groups,) how many rows each has."""
        return np.array([rows for shard in self._row_groups for rows in shard], dtype=np.int64)

    @property
    def rows(self) -> list[int]:
        """How many rows each file has."""
        return [sum(shard) for shard in self._row_groups]

    def schemas(self) -> Iterator[tuple[Path, pa.Schema]]:
        """Each file with its columns."""
        for shard, path in enumerate(self.paths):
            yield path, self._open(shard).schema_arrow

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
            with naming_parquet(self.paths[shard]):
                tables.append(file.read_row_groups(local, columns=list(columns)))
        return tables[0] if len(tables) == 1 else pa.concat_tables(tables)

    @cached_property
    def _row_groups(self) -> list[list[int]]:
        """For each file, the rows of its row groups."""
        found = []
        for shard in range(len(self.paths)):
            metadata = self._open(shard).metadata
            found.append(
                [metadata.row_group(group).num_rows for group in range(metadata.num_row_groups)]
            )
        return found

    def _open(self, shard: int) -> pq.ParquetFile:
        if shard not in self._opened:
            with naming_parquet(self.paths[shard]):
                self._opened[shard] = pq.ParquetFile(self.paths[shard])
        return self._opened[shard]


@contextmanager
def naming_parquet(path: Path) -> Iterator[None]:
    """What pyarrow says of a damaged file, as an `InputError` that names it."""
    try:
        yield
    except (pa.ArrowException, OSError) as error:
        first_line = str(error).splitlines()[0]
        raise InputError(f"expected a readable Parquet file: {first_line}", path=path) from None
