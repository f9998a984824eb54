"""Settings of the stage `dataset`."""

from dataclasses import dataclass
from typing import Literal

from mgsa.cli.settings import InputPath, Positive


@dataclass(frozen=True)
class DatasetSettings:
    """Layout of the artifact.

    Readers decode a row group at once: larger ones compress better, smaller ones need less memory.
    Splits of more than `shard_rows` rows are sharded. Ids of subwords and tags begin with those of
    `vocabulary`, a model or dataset, if there is one.
    """

    vocabulary: InputPath | None
    joint_vocabulary: bool
    row_group_rows: Positive
    shard_rows: Positive
    compression: Literal["zstd", "snappy", "none"]
