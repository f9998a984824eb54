"""Check every row of a dataset artifact against what models rely on."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from mgsa.data.artifact import Dataset, open_dataset
from mgsa.data.vocabulary import UNK, Vocabulary
from mgsa.errors import InputError

SIDES = ("source", "target")


def verify_dataset(folder: Path) -> Dataset:
    """Open a dataset and check its version, hashes, schema and every row.

    Raises:
        InputError: the first thing that is wrong, with its file and row.
    """
    dataset = open_dataset(folder, verify=True)
    for split, num_links in dataset.manifest.links.items():
        found = 0
        for first, table in dataset.tables(split):
            wrong = _wrong_row(table.combine_chunks(), dataset)
            if wrong is not None:
                row, expectation = wrong
                path, place = dataset.place(split, first + row)
                raise InputError(f"row {place}: expected {expectation}", path=path)
            found += len(table["links"].combine_chunks().flatten())
        if found != num_links:
            raise InputError(
                f"{split}: expected {num_links} links as in the manifest, found {found}",
                path=folder,
            )
    return dataset


def _wrong_row(table: pa.Table, dataset: Dataset) -> tuple[int, str] | None:
    """The first wrong row of a table, of the first expectation that fails, and what it is."""
    words = ("subwords_per_word", "target_subwords_per_word")
    for side, vocabulary, column in zip(SIDES, dataset.vocabularies, words, strict=True):
        failure = wrong_side(table, side, vocabulary, column)
        if failure:
            return failure
    source, target = (table[f"{side}_length"].to_numpy() for side in SIDES)
    return wrong_phrases(table, source, dataset.manifest.levels, len(dataset.tags)) or _wrong_links(
        table, source, target
    )


def wrong_side(
    table: pa.Table, side: str, vocabulary: Vocabulary, words: str
) -> tuple[int, str] | None:
    """The first row whose subwords of a side are wrong, and what was expected.

    Args:
        table: its columns in one piece each.
        words: the column of the side's subwords per word.
    """
    ids, offsets = _list(table[f"{side}_ids"])
    rows = np.repeat(np.arange(table.num_rows), np.diff(offsets))
    lengths = np.diff(offsets)
    counts, word_offsets = _list(table[words])
    tokens = pc.split_pattern(table[f"{side}_tokens"], " ")
    return (
        first_wrong((ids < UNK) | (ids >= len(vocabulary)), f"{side}_ids of the vocabulary", rows)
        or first_wrong(lengths != table[f"{side}_length"].to_numpy(), f"{side}_length ids")
        or first_wrong(lengths == 0, f"at least one of {side}_ids")
        or first_wrong(
            (_sums(counts, word_offsets) != lengths)
            | (np.diff(word_offsets) != pc.list_value_length(tokens).to_numpy())
            | (_minima(counts, word_offsets) < 1),
            f"{words} that give each of {side}_tokens a share of {side}_ids",
        )
    )


def wrong_phrases(
    table: pa.Table, source_lengths: np.ndarray, levels: int, num_tags: int
) -> tuple[int, str] | None:
    """The first row whose phrases don't cover its source or lack a tag, and what was expected."""
    phrases, tags = table["phrase_lengths"].combine_chunks(), table["phrase_tags"].combine_chunks()
    for name, column in (("phrase_lengths", phrases), ("phrase_tags", tags)):
        failure = first_wrong(
            np.diff(column.offsets.to_numpy()) != levels, f"{levels} levels of {name}"
        )
        if failure:
            return failure
    if not levels:
        return None
    lengths, offsets = _list(phrases.values)
    ids, tag_offsets = _list(tags.values)
    rows = np.arange(len(offsets) - 1) // levels
    covered = (_sums(lengths, offsets) == source_lengths[rows]) & (_minima(lengths, offsets) > 0)
    failure = first_wrong(
        ~covered, "phrase_lengths of every level that add up to source_length", rows
    ) or first_wrong(np.diff(offsets) != np.diff(tag_offsets), "a tag for every phrase", rows)
    if failure:
        return failure
    rows = np.repeat(rows, np.diff(tag_offsets))
    return first_wrong((ids < 0) | (ids >= num_tags), "phrase_tags of tags.json", rows)


def _wrong_links(
    table: pa.Table, source_lengths: np.ndarray, target_lengths: np.ndarray
) -> tuple[int, str] | None:
    links = table["links"].combine_chunks()
    rows = pc.list_parent_indices(links).to_numpy()
    ends = links.flatten()
    for side, lengths in zip(SIDES, (source_lengths, target_lengths), strict=True):
        positions = ends.field(side).to_numpy()
        outside = (positions < 0) | (positions >= lengths[rows])
        failure = first_wrong(outside, f"links between positions of the {side}", rows)
        if failure:
            return failure
    source, target = (ends.field(side).to_numpy().astype(np.int64) for side in SIDES)
    order = np.diff((rows.astype(np.int64) << 32) + (source << 16) + target)
    return first_wrong(np.append(False, order <= 0), "links in their order, each once", rows)


def first_wrong(
    wrong: np.ndarray, expectation: str, rows: np.ndarray | None = None
) -> tuple[int, str] | None:
    """The row of the first wrong item; `rows` says which row an item is of, if it isn't one."""
    if not wrong.any():
        return None
    item = int(wrong.argmax())
    return (item if rows is None else int(rows[item])), expectation


def _list(column: pa.ChunkedArray | pa.Array) -> tuple[np.ndarray, np.ndarray]:
    """The values of a list column, and (rows + 1,) offsets."""
    array = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    return array.values.to_numpy(), array.offsets.to_numpy()


def _sums(values: np.ndarray, offsets: np.ndarray) -> np.ndarray:
    """(rows,) the sum of each row's values."""
    return np.diff(np.concatenate([[0], np.cumsum(values)])[offsets])


def _minima(values: np.ndarray, offsets: np.ndarray) -> np.ndarray:
    """(rows,) the least of each row's values; rows without any count as 1."""
    least = np.ones(len(offsets) - 1, dtype=np.int64)
    filled = np.diff(offsets) > 0
    if filled.any():
        least[filled] = np.minimum.reduceat(values, offsets[:-1][filled])
    return least
