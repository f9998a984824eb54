"""Check every row of a dataset artifact against what it is to be."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from mgsa.data.artifact import Dataset, open_dataset
from mgsa.data.ragged import Ragged
from mgsa.data.row_checks import Failure, first_wrong, wrong_counts
from mgsa.errors import InputError


def verify_dataset(folder: Path) -> Dataset:
    """Open a dataset and check its version, hashes, schema and every row.

    Raises:
        InputError: the first thing that is wrong, with its file and row.
    """
    dataset = open_dataset(folder, verify=True)
    for split, num_links in dataset.manifest.links.items():
        found = 0
        for first, table in dataset.tables(split):
            table = table.combine_chunks()
            wrong = (
                wrong_side(table, "source", "subwords_per_word")
                or wrong_side(table, "target", "target_subwords_per_word")
                or _wrong_order(table)
            )
            if wrong is not None:
                row, expectation = wrong
                raise dataset.error_in_row(split, first + row, expectation)
            found += len(table["links"].combine_chunks().flatten())
        if found != num_links:
            raise InputError(
                f"{split}: expected {num_links} links as in the manifest, found {found}",
                path=folder,
            )
    return dataset


def wrong_side(table: pa.Table, side: str, words: str) -> Failure | None:
    """Whether the length of a side, and its subwords per word, are those of its ids and tokens.

    Args:
        table: its columns in one piece each.
        words: the column of the side's subwords per word.
    """
    lengths, counts = table[f"{side}_length"].to_numpy(), _list(table, words)
    tokens = pc.list_value_length(pc.split_pattern(table[f"{side}_tokens"], " ")).to_numpy()
    expectation = f"{words} that give each of {side}_tokens a share of {side}_ids"
    return (
        first_wrong(_list(table, f"{side}_ids").lengths != lengths, f"{side}_length ids")
        or first_wrong(counts.lengths != tokens, expectation)
        or wrong_counts(counts, lengths, expectation)
    )


def _wrong_order(table: pa.Table) -> Failure | None:
    links = table["links"].combine_chunks()
    rows = pc.list_parent_indices(links).to_numpy()
    ends = links.flatten()
    source, target = (ends.field(side).to_numpy().astype(np.int64) for side in ("source", "target"))
    order = np.diff((rows.astype(np.int64) << 32) + (source << 16) + target)
    return first_wrong(np.append(False, order <= 0), "links in their order, each once", rows)


def _list(table: pa.Table, column: str) -> Ragged:
    return Ragged.of_arrow(table[column].combine_chunks())
