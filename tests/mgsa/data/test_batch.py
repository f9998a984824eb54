"""Padded batches: positions, end of sentence, and segments that are the partitions' phrases."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mgsa.data.batch import NO_PHRASE, Row, make_batch
from mgsa.data.vocabulary import BOS, EOS, PAD
from pipeline.partition import ngram_partition, to_subwords
from tests.random_rows import rows

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
P = NO_PHRASE


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
    assert batch.segments == batch.tags == {}
    alone = make_batch([replace(BUSH, target=())], [], ngram_unit="subword")
    assert (alone.target_input.tolist(), alone.target_output.tolist()) == ([[BOS]], [[EOS]])


@pytest.mark.parametrize(
    ("name", "unit", "bush", "yes", "lengths"),
    [
        ("syntactic_1", "subword", "001111112", "012", [[2, 6, 1], [1, 1, 1]]),
        ("syntactic_2", "word", "001223334", "012", [[2, 1, 2, 3, 1], [1, 1, 1, 0, 0]]),
        ("ngram_3", "subword", "000111223", "001", [[3, 3, 2, 1], [2, 1, 0, 0]]),
        ("ngram_2", "word", "000112223", "001", [[3, 2, 3, 1], [2, 1, 0, 0]]),
    ],
)
def test_segments(name: str, unit: str, bush: str, yes: str, lengths: list[list[int]]) -> None:
    batch = make_batch([BUSH, YES], [name], ngram_unit=unit)
    assert batch.segments[name].tolist() == [[*map(int, bush)], [*map(int, yes), *[P] * 6]]
    assert batch.phrase_lengths[name].tolist() == lengths


def test_tags_stand_beside_their_phrases() -> None:
    batch = make_batch([BUSH, YES], ["syntactic_1", "syntactic_2"], ngram_unit="word")
    assert batch.tags["syntactic_1"].tolist() == [[5, 6, P], [4, 3, P]]
    assert batch.tags["syntactic_2"].tolist() == [[7, 8, 5, 9, P], [2, 3, P, P, P]]
    with pytest.raises(ValueError, match="syntactic_3: the rows have 2 levels"):
        make_batch([BUSH], ["syntactic_3"], ngram_unit="subword")


@given(st.lists(rows(), min_size=1, max_size=4), st.integers(1, 5))
def test_phrases_are_those_of_the_partition(sentences: list[Row], n: int) -> None:
    ngram = f"ngram_{n}"
    by_subword = make_batch(sentences, [ngram, "syntactic_1"], ngram_unit="subword")
    by_word = make_batch(sentences, [ngram], ngram_unit="word")
    for place, row in enumerate(sentences):
        words = row.subwords_per_word
        subword_ngrams = ngram_partition(len(row.source), n)
        word_ngrams = to_subwords(ngram_partition(len(words), n), words)
        for batch, name, lengths in (
            (by_subword, "syntactic_1", row.phrase_lengths[0]),
            (by_subword, ngram, [end - start for start, end, _ in subword_ngrams]),
            (by_word, ngram, [end - start for start, end, _ in word_ngrams]),
        ):
            expected = [i for i, length in enumerate([*lengths, 1]) for _ in range(length)]
            found = batch.segments[name][place].tolist()
            assert found == expected + [P] * (len(found) - len(expected))
