"""Controls of syntactic phrases, which ask whether a model reads those that it is given.

shuffled  the phrases of each level in random order: right lengths, wrong boundaries. Their lengths
          still tell how many phrases a sentence has.
random    boundaries drawn anew: a place between two words is one of level k with probability p_k,
          the share of such places over a whole split. One number a place serves all levels, so
          levels stay nested. A phrase has the tag of the phrase which held its first word.
flat      every word is a phrase of each level, as without a parser.

What is drawn depends on seed, split and line of a sentence.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from mgsa.data.batch import Row
    from mgsa.data.dataset import Dataset

Control = Literal["shuffled", "random", "flat"]
Boundaries = Literal["parsed", Control]
"""Phrases that need no other trees; `parsed` are those of the data, whatever they are."""
PhraseSource = Literal["parsed", "gold", Control]
PHRASE_SOURCES: dict[PhraseSource, str] = {
    "parsed": "phrases of the parse",
    "gold": "phrases of gold trees",
    "shuffled": "shuffled phrases",
    "random": "random phrases",
    "flat": "words as phrases",
}
"""Where a model's phrases may come from: `gold` from trees that the corpus brings."""

Level = tuple[Sequence[int], Sequence[Any]]
"""Lengths in words and tags of the phrases of a level."""

SEED = 1
"""`partition.seed` of the pipeline's presets."""


def apply_control(
    levels: Sequence[Level],
    control: Control,
    *,
    rates: Sequence[float],
    seed: int,
    split: str,
    line: int,
) -> list[Level]:
    """The control of the phrases of a sentence, which is not empty.

    Args:
        rates: p_k of each level (`random`), which ascend.
        line: of the sentence in its split, from 1.
    """
    # Python promises the sequence of `random()` across versions, that of `shuffle` not.
    draw = random.Random(f"{seed} {split} {line}").random
    match control:
        case "shuffled":
            return [_shuffled(*level, [draw() for _ in level[0]]) for level in levels]
        case "random":
            draws = [draw() for _ in range(sum(levels[0][0]) - 1)] if levels else []
            return [
                _cut(*level, [place for place, u in enumerate(draws, start=1) if u < rate])
                for level, rate in zip(levels, rates, strict=True)
            ]
        case "flat":
            return [_cut(*level, range(1, sum(level[0]))) for level in levels]


def _shuffled(lengths: Sequence[int], tags: Sequence[Any], draws: Sequence[float]) -> Level:
    order = sorted(range(len(draws)), key=draws.__getitem__)
    return [lengths[i] for i in order], [tags[i] for i in order]


def _cut(lengths: Sequence[int], tags: Sequence[Any], places: Sequence[int]) -> Level:
    of_words = [tag for length, tag in zip(lengths, tags, strict=True) for _ in range(length)]
    bounds = [0, *places, len(of_words)]
    return [end - start for start, end in pairwise(bounds)], [of_words[i] for i in bounds[:-1]]


def split_rates(dataset: Dataset, split: str) -> tuple[float, ...]:
    """p_k of each level: the share of places between two words that are boundaries of phrases."""
    places, cuts = 0, [0] * dataset.manifest.levels
    names = ("subwords_per_word", "phrase_lengths", "phrase_tags")
    for group in range(len(dataset.row_group_rows(split))):
        columns = dataset.columns(split, [group], names)
        words = columns.subwords_per_word.lengths
        sentences = int((words > 0).sum())
        places += int(words.sum()) - sentences
        for level, phrases in enumerate(columns.phrase_lengths):
            cuts[level] += int(phrases.lengths.sum()) - sentences
    return tuple(count / max(places, 1) for count in cuts)


def read_rows(dataset: Dataset, split: str, phrases: Boundaries) -> Iterator[Row]:
    """The rows of a split with their phrases, or a control of them."""
    if phrases == "parsed":
        return dataset.read(split)
    rates = split_rates(dataset, split) if phrases == "random" else ()
    return (
        _row(row, phrases, rates=rates, split=split) if len(row.source) else row
        for row in dataset.read(split)
    )


def _row(row: Row, control: Control, *, rates: Sequence[float], split: str) -> Row:
    """A row with another draw of its phrases, which consist of whole words."""
    bounds = [0, *accumulate(row.subwords_per_word)]
    words = {bound: word for word, bound in enumerate(bounds)}
    in_words = [_mapped(lengths, words) for lengths in row.phrase_lengths]
    levels = apply_control(
        list(zip(in_words, row.phrase_tags, strict=True)),
        control,
        rates=rates,
        seed=SEED,
        split=split,
        line=row.index + 1,
    )
    return replace(
        row,
        phrase_lengths=[_mapped(lengths, bounds) for lengths, _ in levels],
        phrase_tags=[tags for _, tags in levels],
    )


def _mapped(lengths: Sequence[int], places: Mapping[int, int] | Sequence[int]) -> list[int]:
    """The lengths of phrases whose bounds move to `places`."""
    ends = [places[end] for end in accumulate(lengths)]
    return [end - start for start, end in pairwise([0, *ends])]
