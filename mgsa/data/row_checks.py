"""Whether rows are what models rely on; else which row is not, and what was expected.

Each check gives the first row that fails it, by its place among those that it was given, and what
was expected; `None` if none fails.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from mgsa.data.batch import RowColumns
from mgsa.data.ragged import Ragged
from mgsa.data.schema import LONGEST
from mgsa.data.vocabulary import UNK, Vocabulary

if TYPE_CHECKING:
    import pyarrow as pa

Failure = tuple[int, str]

_PORTION = 1 << 20
"""Ids and links of rows that are checked at once, which takes some memory for each."""


def wrong_row(
    columns: RowColumns, vocabularies: tuple[Vocabulary, Vocabulary], num_tags: int
) -> Failure | None:
    """The first check that fails of those of all columns that are there, a portion at a time."""
    values = columns.source.lengths.astype(np.int64) + columns.target.lengths
    if columns.links is not None:
        values += columns.links[0].lengths
    portions = np.cumsum(values) // _PORTION
    for rows in np.split(np.arange(len(columns)), np.flatnonzero(np.diff(portions)) + 1):
        failure = _wrong_in_portion(columns.take(rows), vocabularies, num_tags)
        if failure is not None:
            row, expectation = failure
            return int(rows[row]), expectation
    return None


def _wrong_in_portion(
    columns: RowColumns, vocabularies: tuple[Vocabulary, Vocabulary], num_tags: int
) -> Failure | None:
    source, target = vocabularies
    failure = wrong_ids(columns.source, source, "source_ids") or wrong_ids(
        columns.target, target, "target_ids"
    )
    if failure is None and columns.subwords_per_word is not None:
        failure = wrong_counts(
            columns.subwords_per_word,
            columns.source.lengths,
            "subwords_per_word that give each word a share of source_ids",
        )
    failure = failure or wrong_phrases(columns, num_tags)
    if failure is None and columns.links is not None:
        failure = _wrong_links(columns.links, (columns.source, columns.target))
    return failure


def wrong_ids(ids: Ragged, vocabulary: Vocabulary, name: str) -> Failure | None:
    """Whether there are any, not too many, and all are of subwords."""
    # How many there are comes first: what is looked at after that takes memory for each.
    return (
        first_wrong(ids.lengths > LONGEST, f"at most {LONGEST} {name}")
        or _outside(ids, UNK, len(vocabulary), f"{name} of the vocabulary")
        or first_wrong(ids.lengths == 0, f"at least one of {name}")
    )


def wrong_length(ids: Ragged, lengths: np.ndarray, side: str) -> Failure | None:
    """Whether a side has as many ids as its (rows,) `lengths` say, by which batches are planned."""
    return first_wrong(ids.lengths != lengths, f"{side}_length ids")


def wrong_counts(counts: Ragged, sums: np.ndarray, expectation: str) -> Failure | None:
    """Whether each is at least one, and they add up to (rows,) `sums`."""
    too_many = first_wrong(counts.lengths > sums, expectation)
    if too_many:  # of which each is to be at least one
        return too_many
    values = counts.flat()
    before = np.concatenate([[0], np.cumsum(values, dtype=np.int64)])
    ends = np.cumsum(counts.lengths)
    wrong = before[ends] - before[ends - counts.lengths] != sums
    none = values < 1
    if none.any():
        wrong[counts.rows()[none]] = True
    return first_wrong(wrong, expectation)


def wrong_levels(rows: pa.ListArray, levels: int, name: str) -> Failure | None:
    """Whether each has a list of so many levels."""
    return first_wrong(np.diff(rows.offsets.to_numpy()) != levels, f"{levels} levels of {name}")


def wrong_phrases(columns: RowColumns, num_tags: int) -> Failure | None:
    """Whether those of every level cover the source, and each has a tag."""
    for phrases, tags in zip(columns.phrase_lengths, columns.phrase_tags, strict=True):
        failure = (
            wrong_counts(
                phrases,
                columns.source.lengths,
                "phrase_lengths of every level that add up to source_length",
            )
            or first_wrong(phrases.lengths != tags.lengths, "a tag for every phrase")
            or _outside(tags, 0, num_tags, "phrase_tags of tags.json")
        )
        if failure:
            return failure
    return None


def _wrong_links(links: tuple[Ragged, Ragged], sides: tuple[Ragged, Ragged]) -> Failure | None:
    for name, positions, side in zip(("source", "target"), links, sides, strict=True):
        rows, values = positions.rows(), positions.flat()
        outside = (values < 0) | (values >= side.lengths[rows])
        failure = first_wrong(outside, f"links between positions of the {name}", rows)
        if failure:
            return failure
    return None


def _outside(ids: Ragged, start: int, stop: int, expectation: str) -> Failure | None:
    values = ids.flat()
    outside = (values < start) | (values >= stop)
    return first_wrong(outside, expectation, ids.rows()) if outside.any() else None


def first_wrong(
    wrong: np.ndarray, expectation: str, rows: np.ndarray | None = None
) -> Failure | None:
    """The row of the first wrong item; `rows` says which row an item is of, if it isn't one."""
    if not wrong.any():
        return None
    item = int(wrong.argmax())
    return (item if rows is None else int(rows[item])), expectation
