"""Rows of a dataset with their two sides swapped."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from mgsa.data.schema import SCHEMA

SWAPPED = (
    ("source_text", "target_text"),
    ("source_tokens", "target_tokens"),
    ("source_ids", "target_ids"),
    ("source_length", "target_length"),
    ("subwords_per_word", "target_subwords_per_word"),
)
"""Columns that take each other's place."""


def reversed_table(table: pa.Table) -> pa.Table:
    """The rows with their sides swapped, and without phrases, which are of one side alone."""
    columns: dict[str, Any] = {}
    for one, other in SWAPPED:
        columns[one], columns[other] = table[other], table[one]
    none: list[list[list[int]]] = [[]] * table.num_rows
    for name in ("phrase_lengths", "phrase_tags"):
        columns[name] = pa.array(none, SCHEMA.field(name).type)
    columns["links"] = reversed_links(table["links"].combine_chunks())
    return pa.table([columns[name] for name in SCHEMA.names], schema=SCHEMA)


def reversed_links(links: pa.ListArray) -> pa.ListArray:
    """Links with their ends swapped, in the order that links have; rows without any stay so."""
    lengths = links.value_lengths().fill_null(0).to_numpy()
    ends = links.flatten()
    source, target = ends.field("target").to_numpy(), ends.field("source").to_numpy()
    order = np.lexsort((target, source, np.repeat(np.arange(len(links)), lengths)))
    swapped = pa.StructArray.from_arrays(
        [pa.array(source[order]), pa.array(target[order])], fields=list(links.type.value_type)
    )
    offsets = pa.array(np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32))
    return pa.ListArray.from_arrays(offsets, swapped, type=links.type, mask=links.is_null())
