"""What the ids of a dataset stand for: subwords and tags, counted in the training split."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from mgsa.base.io import read_lines, write_json
from mgsa.data.schema import TAGS, UNKNOWN_TAG, VOCABULARY
from mgsa.data.vocabulary import Vocabulary
from pipeline.artifact.columns import Lines
from pipeline.artifact.phrase_columns import count_tags, num_levels
from pipeline.base.stage import SIDES
from pipeline.base.workers import chunks
from pipeline.subwords import check_subwords

CHUNK_LINES = 10_000
"""Lines that are counted together, and held in memory."""


@dataclass(frozen=True)
class Symbols:
    """What ids stand for.

    Attributes:
        vocabularies: of the source and of the target; one object twice when they share one.
        tags: of phrases, by id.
        levels: of syntactic partition that every sentence has.
    """

    vocabularies: tuple[Vocabulary, Vocabulary]
    tags: tuple[str, ...]
    levels: int


def collect_symbols(bpe: Path, partitions: Path, *, joint: bool) -> Symbols:
    """The subwords and tags of the training split, most frequent first.

    Args:
        joint: whether both languages share one vocabulary.

    Raises:
        InputError: a file is missing or malformed, or holds what its BPE codes don't give.
    """
    source, target = (_count(bpe / f"train.{side}", Lines.counted) for side in SIDES)
    for side, subwords in zip(SIDES, (source, target), strict=True):
        check_subwords(bpe, side, subwords)
    if joint:
        shared = Vocabulary.of(_by_frequency(source + target))
        vocabularies = (shared, shared)
    else:
        vocabularies = (
            Vocabulary.of(_by_frequency(source)),
            Vocabulary.of(_by_frequency(target)),
        )
    phrases = partitions / "train.phrases"
    tags = (UNKNOWN_TAG, *_by_frequency(_count(phrases, count_tags)))
    return Symbols(vocabularies, tags, num_levels(next(read_lines(phrases), "")))


def write_symbols(folder: Path, symbols: Symbols) -> None:
    """Write the vocabularies and the tags into a dataset's folder."""
    source, target = symbols.vocabularies
    write_json(
        folder / VOCABULARY,
        {"source": source.symbols, "target": None if source is target else target.symbols},
    )
    write_json(folder / TAGS, symbols.tags)


def _count(path: Path, count: Callable[[Lines], Counter[str]]) -> Counter[str]:
    total: Counter[str] = Counter()
    first = 1
    for lines in chunks(read_lines(path), CHUNK_LINES):
        total.update(count(Lines(path, first, lines)))
        first += len(lines)
    return total


def _by_frequency(counts: Counter[str]) -> list[str]:
    return sorted(counts, key=lambda symbol: (-counts[symbol], symbol))
