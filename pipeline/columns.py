"""Lines of the text stages as columns of the dataset: ids, subwords per word, phrases, links.

Everything here works on a portion of lines at once, with array operations: a corpus has far fewer
different words, phrases and links than it has lines, so Python only ever looks at the different
ones.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from mgsa.data.schema import LONGEST, SCHEMA
from mgsa.data.vocabulary import SPECIAL_SYMBOLS, UNK, Vocabulary
from mgsa.errors import InputError

CONTINUES = "@@"
"""What subword-nmt appends to every subword of a word but the last."""
LEVEL_SEPARATOR = "|||"
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


def count_subwords(portion: Lines) -> Counter[str]:
    """How often each subword occurs in segmented lines."""
    return _counted(portion.split()[0])


def count_tags(portion: Lines) -> Counter[str]:
    """How often each tag occurs in lines of phrases."""
    tags: Counter[str] = Counter()
    for phrase, count in _counted(portion.split()[0]).items():
        if phrase != LEVEL_SEPARATOR:
            tags[phrase.partition(":")[2]] += count
    return tags


def encode_side(tokenized: Lines, segmented: Lines, vocabulary: Vocabulary) -> Side:
    """Ids of segmented lines, and how many of them make each word of the tokenised lines.

    Raises:
        InputError: the subwords of a line don't make its words, or are more than fit a row.
    """
    subwords, offsets = segmented.split()
    num_words = np.diff(tokenized.split()[1])
    continues = pc.ends_with(subwords, CONTINUES).to_numpy(zero_copy_only=False).copy()
    joined = pc.replace_substring(pa.array(segmented.lines, pa.string()), f"{CONTINUES} ", "")
    same = pc.equal(joined, pa.array(tokenized.lines, pa.string()))
    for row in (~same.to_numpy(zero_copy_only=False)).nonzero()[0].tolist():
        # Either the lines don't belong together, or a word of the text itself ends in @@.
        counts = _subwords_per_word(segmented.lines[row].split(" "), tokenized.lines[row].split())
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
    """How many subwords make each word, or `None` if they don't make these words."""
    counts = []
    waiting = iter(subwords)
    for word in words:
        made, count = "", 0
        for subword in waiting:
            count += 1
            if made + subword == word:
                break
            made += subword.removesuffix(CONTINUES)
        else:
            return None
        counts.append(count)
    return counts if next(waiting, None) is None else None


@dataclass(frozen=True)
class Phrases:
    """The phrases of all levels of a portion, end to end: row by row, level by level.

    Attributes:
        levels: of every row.
        offsets: (rows * levels + 1,) of the levels in `lengths` and `tags`.
        lengths: (phrases,) in subwords.
        tags: (phrases,) ids.
    """

    levels: int
    offsets: np.ndarray
    lengths: np.ndarray
    tags: np.ndarray


def encode_phrases(portion: Lines, source: Side, tag_ids: dict[str, int], levels: int) -> Phrases:
    """Lines of phrases in words (`1:NP 5:VP ||| …`) as phrases in subwords.

    A tag that `tag_ids` lacks is tag 0.

    Raises:
        InputError: a phrase is malformed, a row has not `levels` levels, or a level doesn't cover
            the sentence.
    """
    tokens, offsets = portion.split()
    encoded = tokens.dictionary_encode()
    codes = encoded.indices.to_numpy()
    different = encoded.dictionary.to_pylist()
    parsed = [_parse_phrase(phrase) for phrase in different]
    if None in parsed:
        bad = parsed.index(None)
        row = np.searchsorted(offsets, (codes == bad).argmax(), side="right") - 1
        raise portion.wrong(row, f"expected phrases as LENGTH:TAG, got {different[bad]!r}")
    words_of = np.array([phrase[0] for phrase in parsed if phrase])[codes]
    tag_of = np.array([tag_ids.get(phrase[1], 0) for phrase in parsed if phrase])[codes]

    rows = np.repeat(np.arange(len(portion.lines)), np.diff(offsets))
    separates = words_of == 0
    levels_of_row = np.bincount(rows[separates], minlength=len(portion.lines)) + 1
    if (levels_of_row != levels).any():
        row = (levels_of_row != levels).argmax()
        raise portion.wrong(row, f"expected {levels} levels, got {levels_of_row[row]}")
    # Separators before a token, less those of earlier rows, are its level.
    level = np.cumsum(separates) - rows * (levels - 1)
    list_of, words = (rows * levels + level)[~separates], words_of[~separates]
    counts = np.bincount(list_of, minlength=len(portion.lines) * levels)
    covered = np.bincount(list_of, weights=words, minlength=len(counts)).astype(np.int64)
    wrong = (covered != np.repeat(source.words, levels)).nonzero()[0]
    if len(wrong):
        row, place = divmod(int(wrong[0]), levels)
        raise portion.wrong(
            row,
            f"expected phrases of level {place + 1} that cover {source.words[row]} words, "
            f"got {covered[wrong[0]]}",
        )
    # Every level covers its sentence, so a phrase starts where the one before it ended.
    ends_in_list = np.cumsum(words) - np.repeat(np.cumsum(covered) - covered, counts)
    ends = ends_in_list + source.word_offsets[list_of // levels]
    subwords_before = np.concatenate([[0], np.cumsum(source.subwords_per_word)])
    return Phrases(
        levels=levels,
        offsets=np.concatenate([[0], np.cumsum(counts)]),
        lengths=subwords_before[ends] - subwords_before[ends - words],
        tags=tag_of[~separates],
    )


def _parse_phrase(phrase: str) -> tuple[int, str] | None:
    """Length and tag of `LENGTH:TAG`; length 0 is the separator of levels; `None` is malformed."""
    if phrase == LEVEL_SEPARATOR:
        return 0, ""
    length, _, tag = phrase.partition(":")
    if not (length.isascii() and length.isdigit() and 0 < int(length) <= LONGEST and tag):
        return None
    return int(length), tag


@dataclass(frozen=True)
class Links:
    """The links of a portion, end to end: sorted, each once.

    Attributes:
        offsets: (rows + 1,) of the rows in `ends`.
        ends: (links, 2) subword positions in source and target.
    """

    offsets: np.ndarray
    ends: np.ndarray


def encode_links(portion: Lines, source: Side, target: Side) -> Links:
    """Lines of word links (`0-0 1-2`) as links between all subwords of the linked words.

    Raises:
        InputError: a link is malformed, or names a word that the sentence doesn't have.
    """
    links, row_of = [], []
    for row, line in enumerate(portion.lines):
        for link in line.split():
            i, _, j = link.partition("-")
            if not (i.isascii() and i.isdigit() and j.isascii() and j.isdigit()):
                raise portion.wrong(row, f"expected links as i-j, got {link!r}")
            if int(i) >= source.words[row] or int(j) >= target.words[row]:
                raise portion.wrong(
                    row,
                    f"expected links between {source.words[row]} and {target.words[row]} words, "
                    f"counted from 0, got {link}",
                )
            links.append((int(i), int(j)))
            row_of.append(row)
    rows = np.array(row_of, dtype=np.int64)
    words = np.array(links, dtype=np.int64).reshape(-1, 2)
    first, count = [], []
    for side, word in zip((source, target), words.T, strict=True):
        at = side.word_offsets[rows] + word
        before = np.concatenate([[0], np.cumsum(side.subwords_per_word)])
        first.append(before[at] - side.offsets[rows])
        count.append(side.subwords_per_word[at])
    # Each word link becomes a block of (source subwords) x (target subwords) links.
    size = count[0] * count[1]
    place = np.arange(size.sum()) - np.repeat(np.cumsum(size) - size, size)
    rows, across = np.repeat(rows, size), np.repeat(count[1], size)
    source_position = np.repeat(first[0], size) + place // np.maximum(across, 1)
    target_position = np.repeat(first[1], size) + place % np.maximum(across, 1)
    found = np.unique(np.stack([rows, source_position, target_position], axis=1), axis=0)
    counts = np.bincount(found[:, 0], minlength=len(portion.lines))
    return Links(np.concatenate([[0], np.cumsum(counts)]), found[:, 1:])


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
    num_rows = len(texts[0])
    rows_of_levels = np.arange(num_rows + 1) * phrases.levels
    columns = {name: pa.array(lines, pa.string()) for name, lines in zip(TEXTS, texts, strict=True)}
    for name, side, words in (
        ("source", source, "subwords_per_word"),
        ("target", target, "target_subwords_per_word"),
    ):
        columns[f"{name}_ids"] = _list(f"{name}_ids", side.offsets, pa.array(side.ids))
        columns[f"{name}_length"] = _counts(side.lengths)
        columns[words] = _list(words, side.word_offsets, _counts(side.subwords_per_word))
    for name, values in (("phrase_lengths", phrases.lengths), ("phrase_tags", phrases.tags)):
        levels = pa.ListArray.from_arrays(
            _offsets(phrases.offsets), _counts(values), type=SCHEMA.field(name).type.value_type
        )
        columns[name] = _list(name, rows_of_levels, levels)
    links_type = SCHEMA.field("links").type
    if links is None:
        columns["links"] = pa.nulls(num_rows, links_type)
    else:
        ends = pa.StructArray.from_arrays(
            [_counts(end) for end in links.ends.T], fields=list(links_type.value_type)
        )
        columns["links"] = _list("links", links.offsets, ends)
    return pa.table([columns[name] for name in SCHEMA.names], schema=SCHEMA)


def _counts(numbers: np.ndarray) -> pa.Array:
    return pa.array(numbers.astype(np.int16))


def _offsets(numbers: np.ndarray) -> pa.Array:
    return pa.array(numbers.astype(np.int32))


def _list(column: str, offsets: np.ndarray, values: pa.Array) -> pa.Array:
    return pa.ListArray.from_arrays(_offsets(offsets), values, type=SCHEMA.field(column).type)


def _counted(tokens: pa.Array) -> Counter[str]:
    counts: Any = pc.value_counts(tokens)
    return Counter(
        dict(
            zip(counts.field("values").to_pylist(), counts.field("counts").to_pylist(), strict=True)
        )
    )
