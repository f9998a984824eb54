"""Lines of text and of subwords as columns of the dataset: ids and subwords per word; the table.

Everything works on a portion of lines at once, with array operations: Python looks at different
subwords only, of which a corpus has far fewer than it has lines.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from mgsa.base.errors import InputError
from mgsa.data.schema import LONGEST, SCHEMA
from mgsa.data.vocabulary import SPECIAL_SYMBOLS, UNK, Vocabulary
from pipeline.subwords import MARK

if TYPE_CHECKING:
    from pipeline.artifact.link_columns import Links
    from pipeline.artifact.phrase_columns import Phrases

TEXTS = ("source_text", "target_text", "source_tokens", "target_tokens")


@dataclass(frozen=True)
class Lines:
    """A portion of a file: its lines, and where they stand, for errors."""

    path: Path
    first: int
    lines: list[str]

    def wrong(self, row: int, message: str) -> InputError:
        """The error that names this file and the line of `row`."""
        return InputError(message, path=self.path, line=self.first + int(row))

    def split(self) -> tuple[pa.Array, np.ndarray]:
        """All tokens end to end, and (rows + 1,) the offsets of the lines.

        Raises:
            InputError: a line is empty, or has tokens that are not separated by one space.
        """
        array = pc.split_pattern(pa.array(self.lines, pa.string()), " ")
        offsets, tokens = array.offsets.to_numpy(), array.values
        empty = pc.equal(tokens, "").to_numpy(zero_copy_only=False).nonzero()[0]
        if len(empty):
            row = np.searchsorted(offsets, empty[0], side="right") - 1
            raise self.wrong(row, "expected tokens separated by one space")
        return tokens, offsets

    def counted(self) -> Counter[str]:
        """How often each token occurs; errors are those of `split`."""
        counts = pc.value_counts(self.split()[0])
        tokens, numbers = counts.field("values").to_pylist(), counts.field("counts").to_pylist()
        return Counter(dict(zip(tokens, numbers, strict=True)))


@dataclass(frozen=True)
class Side:
    """One language of a portion, in words and subwords, end to end.

    Attributes:
        ids: (subwords,) int32.
        offsets: (rows + 1,) of the rows in `ids`.
        subwords_per_word: (words,).
        word_offsets: (rows + 1,) of the rows in `subwords_per_word`.
    """

    ids: np.ndarray
    offsets: np.ndarray
    subwords_per_word: np.ndarray
    word_offsets: np.ndarray

    @property
    def lengths(self) -> np.ndarray:
        """(rows,) subwords."""
        return np.diff(self.offsets)

    @property
    def words(self) -> np.ndarray:
        """(rows,) words."""
        return np.diff(self.word_offsets)


def encode_side(tokenized: Lines, segmented: Lines, vocabulary: Vocabulary) -> Side:
    """Ids of segmented lines, and how many of them make each word of the tokenised lines.

    Raises:
        InputError: the subwords of a line don't make its words, or are more than fit a row.
    """
    num_words = np.diff(tokenized.split()[1])
    subwords, offsets = segmented.split()
    continues = pc.ends_with(subwords, MARK).to_numpy(zero_copy_only=False).copy()
    words_before = np.concatenate([[0], np.cumsum(~continues)])
    joined = pc.replace_substring(pa.array(segmented.lines, pa.string()), f"{MARK} ", "")
    same = pc.equal(joined, pa.array(tokenized.lines, pa.string())).to_numpy(zero_copy_only=False)
    same &= words_before[offsets[1:]] - words_before[offsets[:-1]] == num_words
    for row in (~same).nonzero()[0].tolist():
        # Either the lines don't belong together, or a word of the text itself ends in the mark.
        counts = _subwords_per_word(
            segmented.lines[row].split(" "), tokenized.lines[row].split(" ")
        )
        if counts is None:
            raise segmented.wrong(
                row, f"expected the subwords of line {segmented.first + row} of {tokenized.path}"
            )
        ends = offsets[row] + np.cumsum(counts) - 1
        continues[offsets[row] : offsets[row + 1]] = True
        continues[ends] = False
    word_ends = (~continues).nonzero()[0] + 1
    word_offsets = np.concatenate([[0], np.cumsum(num_words)])
    lengths = np.diff(offsets)
    if lengths.max() > LONGEST:
        row = int(lengths.argmax())
        raise segmented.wrong(row, f"expected at most {LONGEST} subwords, got {lengths[row]}")
    known = pa.array(vocabulary.symbols[len(SPECIAL_SYMBOLS) :], pa.string())
    found = pc.add(pc.index_in(subwords, value_set=known), len(SPECIAL_SYMBOLS))
    return Side(
        ids=pc.fill_null(found, UNK).to_numpy().astype(np.int32),
        offsets=offsets,
        subwords_per_word=np.diff(word_ends, prepend=0),
        word_offsets=word_offsets,
    )


def _subwords_per_word(subwords: Sequence[str], words: Sequence[str]) -> list[int] | None:
    """How many subwords make each word, or `None` if they don't make these words.

    A word may itself end in the mark, so where it ends is tried out.
    """
    reached: dict[int, list[int]] = {0: []}
    for word in words:
        further: dict[int, list[int]] = {}
        for start, counts in reached.items():
            made = ""
            for count, subword in enumerate(subwords[start:], start=1):
                if made + subword == word:
                    further.setdefault(start + count, [*counts, count])
                made += subword.removesuffix(MARK)
                if subword == MARK or not subword.endswith(MARK) or not word.startswith(made):
                    break
        reached = further
    return reached.get(len(subwords))


def make_table(
    *,
    texts: tuple[list[str], list[str], list[str], list[str]],
    source: Side,
    target: Side,
    phrases: Phrases,
    links: Links | None,
) -> pa.Table:
    """The rows of a portion as a table of the dataset's schema.

    Args:
        texts: the sentences of source and target, and their tokens, separated by spaces.
    """
    columns = {name: pa.array(lines, pa.string()) for name, lines in zip(TEXTS, texts, strict=True)}
    columns |= side_columns("source", source) | side_columns("target", target)
    columns |= phrase_columns(phrases, num_rows=len(texts[0]))
    links_type = SCHEMA.field("links").type
    if links is None:
        columns["links"] = pa.nulls(len(texts[0]), links_type)
    else:
        ends = pa.StructArray.from_arrays(
            [_counts(end) for end in links.ends.T], fields=list(links_type.value_type)
        )
        columns["links"] = _list("links", links.offsets, ends)
    return pa.table([columns[name] for name in SCHEMA.names], schema=SCHEMA)


def side_columns(name: str, side: Side) -> dict[str, pa.Array]:
    """The columns of `source` or `target`, by their names, texts left out."""
    words = "subwords_per_word" if name == "source" else "target_subwords_per_word"
    return {
        f"{name}_ids": _list(f"{name}_ids", side.offsets, pa.array(side.ids)),
        f"{name}_length": _counts(side.lengths),
        words: _list(words, side.word_offsets, _counts(side.subwords_per_word)),
    }


def phrase_columns(phrases: Phrases, *, num_rows: int) -> dict[str, pa.Array]:
    """The columns of phrases, by their names."""
    rows_of_levels = np.arange(num_rows + 1) * phrases.levels
    columns = {}
    for name, values in (("phrase_lengths", phrases.lengths), ("phrase_tags", phrases.tags)):
        levels = pa.ListArray.from_arrays(
            _offsets(phrases.offsets), _counts(values), type=SCHEMA.field(name).type.value_type
        )
        columns[name] = _list(name, rows_of_levels, levels)
    return columns


def _counts(numbers: np.ndarray) -> pa.Array:
    return pa.array(numbers.astype(np.int16))


def _offsets(numbers: np.ndarray) -> pa.Array:
    return pa.array(numbers.astype(np.int32))


def _list(column: str, offsets: np.ndarray, values: pa.Array) -> pa.Array:
    return pa.ListArray.from_arrays(_offsets(offsets), values, type=SCHEMA.field(column).type)
