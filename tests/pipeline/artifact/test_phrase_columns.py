"""Phrases in words become phrases in subwords, the same as the partition's own conversion."""

from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mgsa.base.errors import InputError
from pipeline.artifact.columns import Lines, Side
from pipeline.artifact.phrase_columns import count_tags, encode_phrases, num_levels
from pipeline.partition import Phrase, to_subwords, write_phrases_line

TAGS = {"<unk>": 0, "NP": 1, "VP": 2, ":": 3}
LEVELS = 2


def phrases(*lines: str) -> Lines:
    return Lines(Path("train.phrases"), 21, list(lines))


def side(*subwords_per_word: list[int]) -> Side:
    """A side of which only the numbers of subwords matter."""
    flat = np.array([count for row in subwords_per_word for count in row])
    words = np.cumsum([0, *map(len, subwords_per_word)])
    subwords = np.cumsum([0, *map(sum, subwords_per_word)])
    return Side(np.zeros(flat.sum(), dtype=np.int32), subwords, flat, words)


def test_by_hand() -> None:
    found = encode_phrases(
        phrases("1:NP 5:VP ||| 1:NP 1:X 2:NP 2::", "1:: ||| 1:NP"),
        side([2, 1, 1, 1, 1, 2], [3]),
        TAGS,
        LEVELS,
    )
    assert found.offsets.tolist() == [0, 2, 6, 7, 8]
    assert found.lengths.tolist() == [2, 6, 2, 1, 2, 3, 3, 3]
    assert found.tags.tolist() == [1, 2, 1, 0, 1, 3, 3, 1]


def _partition(draw: st.DrawFn, words: int) -> list[Phrase]:
    cuts = sorted(draw(st.sets(st.integers(1, words - 1)))) if words > 1 else []
    bounds = [0, *cuts, words]
    tags = st.sampled_from(["NP", "VP", ":", "ODD"])
    return [Phrase(a, b, draw(tags)) for a, b in itertools.pairwise(bounds)]


@st.composite
def rows(draw: st.DrawFn) -> tuple[list[int], list[list[Phrase]]]:
    """Subwords per word of a sentence, and two partitions of its words."""
    counts = draw(st.lists(st.integers(1, 4), min_size=1, max_size=8))
    return counts, [_partition(draw, len(counts)) for _ in range(LEVELS)]


@given(st.lists(rows(), min_size=1, max_size=5))
def test_the_same_as_the_partition_gives(
    sentences: list[tuple[list[int], list[list[Phrase]]]],
) -> None:
    lines = [write_phrases_line(partitions) for _, partitions in sentences]
    found = encode_phrases(
        phrases(*lines), side(*(counts for counts, _ in sentences)), TAGS, LEVELS
    )
    expected = [
        to_subwords(level, counts) for counts, partitions in sentences for level in partitions
    ]
    assert np.diff(found.offsets).tolist() == [len(level) for level in expected]
    flat = [phrase for level in expected for phrase in level]
    assert found.lengths.tolist() == [phrase.end - phrase.start for phrase in flat]
    assert found.tags.tolist() == [TAGS.get(str(phrase.tag), 0) for phrase in flat]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("2:NP", "expected 2 levels, got 1"),
        ("2:NP ||| 2:NP ||| 2:NP", "expected 2 levels, got 3"),
        ("2:NP ||| 1:NP", "expected phrases of level 2 that cover 2 words, got 1"),
        ("3:NP ||| 2:NP", "expected phrases of level 1 that cover 2 words, got 3"),
        ("2:NP ||| |||", "expected 2 levels, got 3"),
        ("||| 2:NP", "expected phrases of level 1 that cover 2 words, got 0"),
        ("2:NP ||| 2", "expected phrases as LENGTH:TAG, got '2'"),
        ("2:NP ||| 2:", "expected phrases as LENGTH:TAG, got '2:'"),
        ("2:NP ||| 0:NP 2:NP", "expected phrases as LENGTH:TAG, got '0:NP'"),
        ("2:NP ||| -1:NP 3:NP", "expected phrases as LENGTH:TAG, got '-1:NP'"),
        ("2:NP ||| NP:2", "expected phrases as LENGTH:TAG, got 'NP:2'"),
        ("2:NP ||| 99999999999999999999:NP", "expected phrases as LENGTH:TAG, got '9999"),
        ("2:NP  ||| 2:NP", "expected tokens separated by one space"),
        ("", "expected tokens separated by one space"),
    ],
)
def test_a_wrong_line_is_named(line: str, message: str) -> None:
    with pytest.raises(InputError, match=rf"train\.phrases:22: {message.replace('|', '[|]')}"):
        encode_phrases(phrases("1:NP ||| 1:NP", line), side([1], [1, 2]), TAGS, LEVELS)


def test_how_often_tags_occur() -> None:
    assert count_tags(phrases("1:NP 5:VP ||| 1:NP 5::", "1:NP ||| 1:NP")) == {
        "NP": 4,
        "VP": 1,
        ":": 1,
    }


@pytest.mark.parametrize(("line", "levels"), [("1:NP", 1), ("1:NP ||| 1:: ||| 1:NP", 3)])
def test_levels_of_a_line(line: str, levels: int) -> None:
    assert num_levels(line) == levels
