"""A Parquet file, written row group by row group."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

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
