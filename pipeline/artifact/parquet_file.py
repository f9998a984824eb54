"""Parquet files, written row group by row group: one, or as many as a split needs."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.parquet as pq


@contextmanager
def parquet_writer(path: Path, schema: pa.Schema, compression: str) -> Iterator[pq.ParquetWriter]:
    """A writer of tables of `schema`; an `OSError` names the file."""
    import pyarrow.parquet as pq

    try:
        with pq.ParquetWriter(path, schema, compression=compression, version="2.6") as writer:
            yield writer
    except OSError as error:
        # Arrow's says neither which file it was nor, by itself, what went wrong.
        reason = os.strerror(error.errno) if error.errno else str(error)
        raise OSError(error.errno, reason, error.filename or str(path)) from error


class ShardWriter:
    """Writes a split to files of about as many rows each, one after the other.

    A split that fits one file has `SPLIT.parquet`; the files of another are `SPLIT-00000.parquet`
    and so on. A table is a row group, and is in one file.

    Attributes:
        names: of the files; complete when the writer is closed.
    """

    def __init__(
        self, folder: Path, split: str, schema: pa.Schema, *, compression: str, shard_rows: int
    ) -> None:
        self.names: list[str] = []
        self._folder, self._split = folder, split
        self._schema, self._compression, self._shard_rows = schema, compression, shard_rows
        self._rows = 0
        self._file = ExitStack()
        self._writer: pq.ParquetWriter

    def __enter__(self) -> Self:
        self._start_file()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._file.__exit__(kind, error, traceback)

    def write(self, table: pa.Table) -> None:
        """Write a row group."""
        if self._rows and self._rows + table.num_rows > self._shard_rows:
            self._file.close()
            self._start_file()
        self._writer.write_table(table, row_group_size=table.num_rows)
        self._rows += table.num_rows

    def _start_file(self) -> None:
        if len(self.names) == 1:  # it is not alone any more
            numbered = self._name(0)
            (self._folder / self.names[0]).rename(self._folder / numbered)
            self.names = [numbered]
        self.names.append(self._name(len(self.names)) if self.names else f"{self._split}.parquet")
        path = self._folder / self.names[-1]
        self._writer = self._file.enter_context(
            parquet_writer(path, self._schema, self._compression)
        )
        self._rows = 0

    def _name(self, shard: int) -> str:
        return f"{self._split}-{shard:05}.parquet"
