"""The check of rows: whichever columns were read, held against each other and the artifact."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from mgsa.data.ragged import Ragged
from mgsa.data.schema import LABELS, SUBWORDS_PER_WORD, TAGS
from mgsa.data.vocabulary import UNK, Vocabulary


@dataclass(frozen=True)
class Symbols:
    """What the numbers of an artifact's rows stand for.

    Attributes:
        vocabularies: of the source and the target; one object twice when they share one.
        levels: of syntactic phrases.
        tags: names of the phrases' tags, by id.
        classes: for each label column, the names of its classes, by id.
    """

    vocabularies: tuple[Vocabulary, Vocabulary]
    levels: int
    tags: tuple[str, ...]
    classes: Mapping[str, Sequence[str]]


def wrong_row(table: pa.Table, symbols: Symbols) -> tuple[int, str] | None:
    """The first row that fails the first check that any row fails, and what was expected of it."""
    columns = {name: one_piece(table[name]) for name in table.column_names}
    for expectation, rows in _checks(columns, symbols):
        if len(rows):
            return int(rows[0]), expectation
    return None


def one_piece(column: pa.ChunkedArray) -> pa.Array:
    """A column as one array, without a copy where it is one."""
    return column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()


Checks = Iterator[tuple[str, np.ndarray]]
"""What is expected, and the rows that fail it. A check relies on those before it."""


def _checks(columns: Mapping[str, pa.Array], symbols: Symbols) -> Checks:
    for name, column in columns.items():
        if column.type == pa.string():
            yield f"{name} in UTF-8", _not_utf_8(column)
            found = pc.match_substring(column, "\n").to_numpy(zero_copy_only=False)
            yield f"{name} without line feeds", np.flatnonzero(found)
    for side, vocabulary in zip(SUBWORDS_PER_WORD, symbols.vocabularies, strict=True):
        yield from _side_checks(columns, side, vocabulary)
    if symbols.levels and "phrase_lengths" in columns:
        yield from _phrase_checks(columns, symbols.levels, len(symbols.tags))
    if "links" in columns:
        yield from _link_checks(columns)
    for name, classes in symbols.classes.items():
        if name in columns:
            yield from _label_checks(columns, name, len(classes))


def _side_checks(columns: Mapping[str, pa.Array], side: str, vocabulary: Vocabulary) -> Checks:
    name, length, words = f"{side}_ids", f"{side}_length", SUBWORDS_PER_WORD[side]
    if length in columns:
        lengths = columns[length].to_numpy()
        yield "lengths of at least 1", np.flatnonzero(lengths < 1)
    if name not in columns:
        return
    ids = Ragged.of_arrow(columns[name])
    yield f"{length} ids", np.flatnonzero(ids.lengths != lengths)
    yield f"{name} of the vocabulary", _rows_outside(ids, UNK, len(vocabulary))
    if words in columns:
        counts = Ragged.of_arrow(columns[words])
        share = f"a share of {name}"
        yield f"{words} that give each word {share}", _not_adding_up(counts, lengths)
        if (tokens := columns.get(f"{side}_tokens")) is not None:
            found = pc.list_value_length(pc.split_pattern(tokens, " ")).to_numpy()
            wrong = np.flatnonzero(counts.lengths != found)
            yield f"{words} that give each of {side}_tokens {share}", wrong


def _phrase_checks(columns: Mapping[str, pa.Array], levels: int, num_tags: int) -> Checks:
    found = {}
    for name in ("phrase_lengths", "phrase_tags"):
        column = columns[name]
        yield f"{levels} levels of {name}", np.flatnonzero(np.diff(column.offsets) != levels)
        found[name] = Ragged.levels_of_arrow(column, levels)
    expectation = "phrase_lengths of every level that add up to source_length"
    for phrases, tags in zip(*found.values(), strict=True):
        yield expectation, _not_adding_up(phrases, columns["source_length"].to_numpy())
        yield "a tag for every phrase", np.flatnonzero(phrases.lengths != tags.lengths)
        yield f"phrase_tags of {TAGS}", _rows_outside(tags, 0, num_tags)


def _link_checks(columns: Mapping[str, pa.Array]) -> Checks:
    links = Ragged.links_of_arrow(columns["links"])
    rows = links[0].rows()
    source, target = (positions.flat() for positions in links)
    for side, positions in (("source", source), ("target", target)):
        lengths = columns[f"{side}_length"].to_numpy()
        wrong = rows[(positions < 0) | (positions >= lengths[rows])]
        yield f"links between positions of the {side}", wrong
    order = np.diff((source.astype(np.int32) << 16) + target)
    yield "links in their order, each once", rows[1:][(order <= 0) & (rows[1:] == rows[:-1])]


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


def _rows_outside(lists: Ragged, start: int, stop: int) -> np.ndarray:
    values = lists.flat()
    outside = (values < start) | (values >= stop)
    return lists.rows()[outside] if outside.any() else outside[:0]


def _not_adding_up(counts: Ragged, sums: np.ndarray) -> np.ndarray:
    """The rows whose counts are not all at least 1, or don't add up to (rows,) `sums`."""
    values = counts.flat()
    before = np.concatenate([[0], np.cumsum(values, dtype=np.int64)])
    ends = np.cumsum(counts.lengths)
    wrong = before[ends] - before[ends - counts.lengths] != sums
    if (none := values < 1).any():
        wrong[counts.rows()[none]] = True
    return np.flatnonzero(wrong)


def _not_utf_8(texts: pa.StringArray) -> np.ndarray:
    """The rows whose text is not UTF-8, which Arrow does not look at as it reads."""
    try:
        texts.validate(full=True)
    except pa.ArrowInvalid:
        raw = texts.cast(pa.binary()).to_pylist()
        return np.flatnonzero([text.decode("utf-8", "ignore").encode() != text for text in raw])
    return np.zeros(0, dtype=np.int64)


def counts_of(table: pa.Table) -> dict[str, int]:
    """What a manifest may count of a split besides its rows, of a table with all columns."""
    tags = one_piece(table["phrase_tags"]).flatten().flatten().to_numpy()
    ids = {s: one_piece(table[f"{s}_ids"]).flatten().to_numpy() for s in SUBWORDS_PER_WORD}
    return {
        **{f"{s}_words": len(one_piece(table[w]).flatten()) for s, w in SUBWORDS_PER_WORD.items()},
        **{f"{side}_subwords": len(of_side) for side, of_side in ids.items()},
        **{f"{side}_unknown": int((of_side == UNK).sum()) for side, of_side in ids.items()},
        "phrases": len(tags),
        "phrases_unknown": int((tags == 0).sum()),
        "links": len(one_piece(table["links"]).flatten()),
    }
