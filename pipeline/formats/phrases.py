"""Phrases of a sentence, how they are cut, and the lines of `{split}.phrases`."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate
from os import PathLike
from typing import NamedTuple

from mgsa.cli.errors import InputError
from mgsa.cli.settings import Positive, Seed
from mgsa.data.controls import Boundaries

LEVEL_SEPARATOR = " ||| "
PHRASE = re.compile("([1-9][0-9]{0,8}):(.+)")


class Phrase(NamedTuple):
    """Positions `start` to `end` (exclusive); `tag` is `None` for an n-gram."""

    start: int
    end: int
    tag: str | None


@dataclass(frozen=True)
class PartitionSettings:
    """`levels` syntactic levels to write; `ngrams`: sizes to count in the report only.

    Boundaries that are not `parsed` are controls (`mgsa.data.controls`).
    """

    levels: Positive
    ngrams: tuple[Positive, ...]
    boundaries: Boundaries
    seed: Seed


def consecutive(lengths: Sequence[int], tags: Sequence[str | None]) -> list[Phrase]:
    """Consecutive phrases from position 0."""
    ends = list(accumulate(lengths))
    return list(map(Phrase, [0, *ends[:-1]], ends, tags))


def check_levels(levels: Sequence[Sequence[Phrase]], *, num_levels: int, num_words: int) -> None:
    """Raise an `InputError` unless there are `num_levels`, each a partition of the words."""
    if len(levels) != num_levels:
        raise InputError(f"expected {num_levels} levels of phrases, got {len(levels)}")
    for level, phrases in enumerate(levels, start=1):
        ends = [0, *(phrase.end for phrase in phrases)]
        covered = [phrase.start for phrase in phrases] == ends[:-1] and ends[-1] == num_words
        if not covered or sorted(set(ends)) != ends:
            message = f"expected phrases that cover {num_words} words in order"
            raise InputError(f"level {level}: {message}")


def write_phrases_line(partitions: Iterable[Iterable[Phrase]]) -> str:
    """The levels of one sentence as a line of a `.phrases` file, without a newline."""
    return LEVEL_SEPARATOR.join(
        " ".join([f"{end - start}:{tag}" for start, end, tag in phrases]) for phrases in partitions
    )


def read_phrases_line(
    text: str, *, num_words: int, path: str | PathLike[str] | None = None, line: int | None = None
) -> list[list[Phrase]]:
    """The levels of a line of a `.phrases` file.

    Raises:
        InputError: a phrase is not `LENGTH:TAG`, or a level's do not add up to `num_words`.
    """
    partitions = []
    for level, part in enumerate(text.split(LEVEL_SEPARATOR), start=1):
        try:
            pairs = list(map(_read_phrase, part.split(" ")))
        except ValueError as error:
            raise InputError(f"level {level}: {error}", path=path, line=line) from None
        phrases = consecutive([length for length, _ in pairs], [tag for _, tag in pairs])
        if phrases[-1].end != num_words:
            raise InputError(
                f"level {level}: lengths add up to {phrases[-1].end} words, expected {num_words}",
                path=path,
                line=line,
            )
        partitions.append(phrases)
    return partitions


@lru_cache(maxsize=1 << 14)
def _read_phrase(text: str) -> tuple[int, str]:
    if not (phrase := PHRASE.fullmatch(text)):
        raise ValueError(f"expected LENGTH:TAG, found {text!r}")
    return int(phrase[1]), phrase[2]
