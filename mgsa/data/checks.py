"""Validation of rows: the columns that were read, against each other and the artifact."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from mgsa.data.ragged import Ragged
from mgsa.data.schema import LABELS, SUBWORDS_PER_WORD, TAGS, TEXTS
from mgsa.data.vocabulary import UNK


@dataclass(frozen=True)
class RowLimits:
    """Sizes of an artifact within which its rows lie."""

    symbols: tuple[int, int]  #: of the vocabularies of source and target.
    levels: int  #: of phrases.
    tags: int  #: of phrases.
    classes: Mapping[str, int]  #: by label column.


def first_invalid_row(table: pa.Table, limits: RowLimits) -> tuple[int, str] | None:
    """The first row that fails the first failing check, and what was expected of it."""
    columns = {name: one_array(table[name]) for name in table.column_names}
    for expectation, rows in _checks(columns, limits):
        if len(rows):
            return int(rows[0]), expectation
    return None


def one_array(column: pa.ChunkedArray) -> pa.Array:
    """A column as one array, copied only if it has several chunks."""
    return column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()


Checks = Iterator[tuple[str, np.ndarray]]
"""An expectation and the rows that fail it; a check relies on those before it."""


def _checks(columns: Mapping[str, pa.Array], limits: RowLimits) -> Checks:
    for side, symbols in zip(SUBWORDS_PER_WORD, limits.symbols, strict=True):
        name, length, words = f"{side}_ids", f"{side}_length", SUBWORDS_PER_WORD[side]
        if length in columns:
            lengths = columns[length].to_numpy()
            yield "lengths of at least 1", np.flatnonzero(lengths < 1)
        if name in columns:
            ids = Ragged.of_arrow(columns[name])
            yield f"{length} ids", np.flatnonzero(ids.lengths != lengths)
            yield f"{name} of the vocabulary", _rows_outside(ids, UNK, symbols)
        if words in columns:
            wrong = _not_adding_up(Ragged.of_arrow(columns[words]), lengths)
            yield f"{words} that give each word a share of {name}", wrong
    for name in TEXTS:
        if name in columns:  # a line feed would add a line to translations
            yield f"{name} without line feeds", _rows_with_line_feeds(columns[name])
    if limits.levels and "phrase_lengths" in columns:
        yield from _phrase_checks(columns, limits.levels, limits.tags)
    if "links" in columns:
        for side in SUBWORDS_PER_WORD:
            positions = Ragged.of_arrow(columns["links"], side)
            rows, indices = positions.rows(), positions.flat()
            wrong = rows[(indices < 0) | (indices >= columns[f"{side}_length"].to_numpy()[rows])]
            yield f"links between positions of the {side}", wrong
    for name, classes in limits.classes.items():
        if name in columns:
            yield from _label_checks(columns, name, classes)


def _phrase_checks(columns: Mapping[str, pa.Array], levels: int, num_tags: int) -> Checks:
    names = ("phrase_lengths", "phrase_tags")
    for name in names:
        wrong = np.flatnonzero(np.diff(columns[name].offsets) != levels)
        yield f"{levels} levels of {name}", wrong
    lengths = columns["source_length"].to_numpy()
    by_level = (Ragged.levels_of_arrow(columns[name], levels) for name in names)
    for phrases, tags in zip(*by_level, strict=True):
        wrong = _not_adding_up(phrases, lengths)
        yield "phrase_lengths of every level that add up to source_length", wrong
        yield "a tag for every phrase", np.flatnonzero(phrases.lengths != tags.lengths)
        yield f"phrase_tags of {TAGS}", _rows_outside(tags, 0, num_tags)


def _label_checks(columns: Mapping[str, pa.Array], name: str, num_classes: int) -> Checks:
    labels, expectation = columns[name], f"classes of {name} of {LABELS}"
    if pa.types.is_list(labels.type):
        classes = Ragged.of_arrow(labels)
        if "subwords_per_word" in columns:
            words = np.diff(columns["subwords_per_word"].offsets)
            yield f"a class of {name} for every word", np.flatnonzero(classes.lengths != words)
        yield expectation, _rows_outside(classes, 0, num_classes)
    else:
        ids = pc.fill_null(labels, 0).to_numpy()
        yield expectation, np.flatnonzero((ids < 0) | (ids >= num_classes))


def _rows_with_line_feeds(texts: pa.Array) -> np.ndarray:
    if pa.types.is_list(texts.type):
        parents = pc.list_parent_indices(texts).to_numpy()
        return np.asarray(parents[_rows_with_line_feeds(texts.flatten())])
    fed = pc.match_substring(texts, "\n").to_numpy(zero_copy_only=False)
    return np.flatnonzero(fed)  # null is none


def _rows_outside(lists: Ragged, start: int, stop: int) -> np.ndarray:
    values = lists.flat()
    outside = (values < start) | (values >= stop)
    return lists.rows()[outside] if outside.any() else outside[:0]


def _not_adding_up(counts: Ragged, sums: np.ndarray) -> np.ndarray:
    """The rows that have a count below 1, or whose counts don't add up to (rows,) `sums`."""
    values = counts.flat()
    before = np.concatenate([[0], np.cumsum(values, dtype=np.int64)])
    ends = np.cumsum(counts.lengths)
    wrong = before[ends] - before[ends - counts.lengths] != sums
    if (too_low := values < 1).any():
        wrong[counts.rows()[too_low]] = True
    return np.flatnonzero(wrong)


def counts_of(table: pa.Table) -> dict[str, int]:
    """The counts of a table with all columns that a manifest may hold besides its rows."""
    tags = one_array(table["phrase_tags"]).flatten().flatten().to_numpy()
    ids = {s: one_array(table[f"{s}_ids"]).flatten().to_numpy() for s in SUBWORDS_PER_WORD}
    return {
        **{f"{s}_words": len(one_array(table[w]).flatten()) for s, w in SUBWORDS_PER_WORD.items()},
        **{f"{side}_subwords": len(of_side) for side, of_side in ids.items()},
        **{f"{side}_unknown": int((of_side == UNK).sum()) for side, of_side in ids.items()},
        "phrases": len(tags),
        "phrases_unknown": int((tags == 0).sum()),
        "links": len(one_array(table["links"]).flatten()),
    }
