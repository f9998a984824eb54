"""Padded batches: positions, end of sentence, and segments that are the partitions' phrases."""

from __future__ import annotations

from dataclasses import replace
from itertools import accumulate, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mgsa.data.batch import NO_PHRASE, Batch, Row, make_batch
from mgsa.data.vocabulary import BOS, EOS, PAD
from pipeline.partition import Phrase, ngram_partition, to_subwords

# "Bu@@ sh held a talk with Shar@@ on" and "Yes .": the paper's figure 1, and a shorter sentence.
BUSH = Row(
    index=7,
    source=[10, 11, 12, 13, 14, 15, 16, 17],
    target=[20, 21, 22],
    subwords_per_word=[2, 1, 1, 1, 1, 2],
    phrase_lengths=[[2, 6], [2, 1, 2, 3]],
    phrase_tags=[[5, 6], [7, 8, 5, 9]],
)
YES = Row(
    index=3,
    source=[30, 31],
    target=[40, 41, 42, 43],
    subwords_per_word=[1, 1],
    phrase_lengths=[[1, 1], [1, 1]],
    phrase_tags=[[4, 3], [2, 3]],
)


def test_padding_and_end_of_sentence() -> None:
    batch = make_batch([BUSH, YES], [], ngram_unit="subword")
    assert batch.index.tolist() == [7, 3]
    assert batch.source.tolist() == [
        [10, 11, 12, 13, 14, 15, 16, 17, EOS],
        [30, 31, EOS, PAD, PAD, PAD, PAD, PAD, PAD],
    ]
    assert batch.source_lengths.tolist() == [9, 3]
    assert batch.target_input.tolist() == [[BOS, 20, 21, 22, PAD], [BOS, 40, 41, 42, 43]]
    assert batch.target_output.tolist() == [[20, 21, 22, EOS, PAD], [40, 41, 42, 43, EOS]]
    assert batch.num_target_tokens == 4 + 5
    assert batch.segments == {}
    assert batch.tags == {}


P = NO_PHRASE


@pytest.mark.parametrize(
    ("granularity", "unit", "bush", "yes", "lengths"),
    [
        (
            "syntactic_1",
            "subword",
            [0, 0, 1, 1, 1, 1, 1, 1, 2],
            [0, 1, 2, P, P, P, P, P, P],
            [[2, 6, 1], [1, 1, 1]],
        ),
        (
            "syntactic_2",
            "subword",
            [0, 0, 1, 2, 2, 3, 3, 3, 4],
            [0, 1, 2, P, P, P, P, P, P],
            [[2, 1, 2, 3, 1], [1, 1, 1, 0, 0]],
        ),
        (
            "ngram_3",
            "subword",
            [0, 0, 0, 1, 1, 1, 2, 2, 3],
            [0, 0, 1, P, P, P, P, P, P],
            [[3, 3, 2, 1], [2, 1, 0, 0]],
        ),
        (
            "ngram_2",
            "word",
            [0, 0, 0, 1, 1, 2, 2, 2, 3],
            [0, 0, 1, P, P, P, P, P, P],
            [[3, 2, 3, 1], [2, 1, 0, 0]],
        ),
    ],
)
def test_segments(
    granularity: str, unit: str, bush: list[int], yes: list[int], lengths: list[list[int]]
) -> None:
    batch = make_batch([BUSH, YES], [granularity], ngram_unit=unit)
    assert batch.segments[granularity].tolist() == [bush, yes]
    assert batch.phrase_lengths[granularity].tolist() == lengths


def test_tags_stand_beside_their_phrases() -> None:
    batch = make_batch([BUSH, YES], ["syntactic_1", "syntactic_2"], ngram_unit="word")
    assert batch.tags["syntactic_1"].tolist() == [[5, 6, P], [4, 3, P]]
    assert batch.tags["syntactic_2"].tolist() == [[7, 8, 5, 9, P], [2, 3, P, P, P]]


def test_a_level_that_the_rows_lack_is_refused() -> None:
    with pytest.raises(ValueError, match="syntactic_3: the rows have 2 levels"):
        make_batch([BUSH], ["syntactic_3"], ngram_unit="subword")


def test_an_empty_target_is_end_of_sentence_alone() -> None:
    batch = make_batch([replace(BUSH, target=())], [], ngram_unit="subword")
    assert batch.target_output.tolist() == [[EOS]]
    assert batch.target_input.tolist() == [[BOS]]


counts = st.lists(st.integers(1, 3), min_size=1, max_size=9)


def _row(subwords_per_word: list[int], phrases: list[Phrase]) -> Row:
    length = sum(subwords_per_word)
    lengths = [phrase.end - phrase.start for phrase in to_subwords(phrases, subwords_per_word)]
    ids = list(range(4, 4 + length))
    return Row(0, ids, ids, subwords_per_word, [lengths], [[1] * len(lengths)])


def _phrases(batch: Batch, granularity: str, row: int, length: int) -> list[tuple[int, int]]:
    """Start and end of each segment of a row, end of sentence left out."""
    segments = batch.segments[granularity][row, :length].tolist()
    return [
        (segments.index(segment), length - segments[::-1].index(segment))
        for segment in sorted(set(segments))
    ]


def _bounds(phrases: list[Phrase]) -> list[tuple[int, int]]:
    return [(phrase.start, phrase.end) for phrase in phrases]


@given(st.lists(counts, min_size=1, max_size=4), st.integers(1, 5), st.data())
def test_segments_are_the_phrases_of_the_partition(
    sentences: list[list[int]], n: int, data: st.DataObject
) -> None:
    partitions = [
        data.draw(st.lists(st.integers(1, 3), min_size=len(words), max_size=len(words)))
        for words in sentences
    ]
    syntactic = []
    for words, lengths in zip(sentences, partitions, strict=True):
        ends = [min(end, len(words)) for end in accumulate(lengths)]
        bounds = [0, *dict.fromkeys(ends)]
        syntactic.append([Phrase(a, b, "NP") for a, b in pairwise(bounds)])
    rows = [_row(words, phrases) for words, phrases in zip(sentences, syntactic, strict=True)]
    by_subword = make_batch(rows, [f"ngram_{n}", "syntactic_1"], ngram_unit="subword")
    by_word = make_batch(rows, [f"ngram_{n}"], ngram_unit="word")
    for row, words in enumerate(sentences):
        length = sum(words)
        assert _phrases(by_subword, f"ngram_{n}", row, length) == _bounds(
            ngram_partition(length, n)
        )
        assert _phrases(by_word, f"ngram_{n}", row, length) == _bounds(
            to_subwords(ngram_partition(len(words), n), words)
        )
        assert _phrases(by_subword, "syntactic_1", row, length) == _bounds(
            to_subwords(syntactic[row], words)
        )
