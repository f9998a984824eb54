from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from pipeline.artifact.parquet_file import parquet_writer
from tests.full_disk import room_for

TABLE = pa.table({"number": list(range(10_000))})


def test_each_table_is_a_row_group(tmp_path: Path) -> None:
    path = tmp_path / "train.parquet"
    with parquet_writer(path, TABLE.schema, "zstd") as writer:
        writer.write_table(TABLE)
        writer.write_table(TABLE)
    assert pq.ParquetFile(path).metadata.num_row_groups == 2


def test_what_there_was_no_room_for_is_named(tmp_path: Path) -> None:
    path = tmp_path / "train.parquet"
    with (
        room_for(10),
        pytest.raises(OSError, match=r"File too large: '.*train\.parquet'"),
        parquet_writer(path, TABLE.schema, "none") as writer,
    ):
        writer.write_table(TABLE)
