"""How much a dataset may hold of one kind: more is a mistake, or was put there to harm."""

from __future__ import annotations

from typing import Annotated

from annotated_types import Interval

MAX_LEVELS = 100
"""Of the syntactic partition: the trees of sentences end long before."""
Levels = Annotated[int, Interval(ge=0, le=MAX_LEVELS)]
Level = Annotated[int, Interval(ge=1, le=MAX_LEVELS)]

MAX_ROW_GROUP_ROWS = 100_000
"""A row group is decoded as a whole: ten times as many rows as are usual."""
MAX_ROW_GROUP_BYTES = 1 << 30
"""Of the columns of a row group, uncompressed; a compressed one may be a thousand times smaller."""
MAX_WINDOW_VALUES = 1 << 27
"""Of a column of lists, of rows that are in memory together: two million long sentences' ids."""
MAX_PROBING_BYTES = 1 << 30
"""Of the columns of a split of probing data, which is read as a whole: a million sentences."""
