"""Lines of phrases in words as columns of the dataset: lengths in subwords, and ids of tags.

As in `pipeline.artifact.columns`, Python looks at different phrases (`2:NP`) only.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np

from mgsa.data.schema import LONGEST
from pipeline.artifact.columns import Lines, Side
from pipeline.partition import LENGTH, LEVEL_SEPARATOR

SEPARATOR = LEVEL_SEPARATOR.strip()


def num_levels(line: str) -> int:
    """How many levels a line of phrases has."""
    return line.split(" ").count(SEPARATOR) + 1


def count_tags(portion: Lines) -> Counter[str]:
    """How often each tag occurs in lines of phrases."""
    tags: Counter[str] = Counter()
    for phrase, count in portion.counted().items():
        if phrase != SEPARATOR:
            tags[phrase.partition(":")[2]] += count
    return tags


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
    if phrase == SEPARATOR:
        return 0, ""
    length, _, tag = phrase.partition(":")
    if not (LENGTH.fullmatch(length) and int(length) <= LONGEST and tag):
        return None
    return int(length), tag
