"""Labels of batches: subwords have the class of their word, and nothing else has one."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from mgsa.data.batch import RowColumns, make_batch
from mgsa.data.ragged import Ragged
from mgsa.data.vocabulary import EOS, PAD
from mgsa.probing.rows import NO_LABEL, ProbingRows
from tests.random_rows import batches_of_rows
from tests.strategies import partition_lengths


def rows_of(words: list[list[int]], classes: list[list[int]], voice: list[int]) -> ProbingRows:
    """Rows with these subwords per word, a class for each word and one for each sentence."""
    lengths = [sum(counts) for counts in words]
    columns = RowColumns(
        index=np.arange(len(words)),
        source=Ragged.of([list(range(4, 4 + length)) for length in lengths]),
        target=Ragged.of([[] for _ in words]),
        subwords_per_word=Ragged.of(words),
        phrase_lengths=(),
        phrase_tags=(),
    )
    return ProbingRows(columns, {"voice": np.array(voice)}, {"pos": Ragged.of(classes)})


def test_labels_by_hand() -> None:
    rows = rows_of([[1, 2], [3]], [[7, 8], [9]], [1, NO_LABEL])
    assert rows.labels("voice").tolist() == [1, NO_LABEL]
    assert rows.labels("pos").tolist() == [[7, 8, 8, -1], [9, 9, 9, -1]]
    batch = rows.batch((), ngram_unit="word")
    assert batch.source.tolist() == [[4, 5, 6, EOS], [4, 5, 6, EOS]]
    longer = rows_of([[1], [1, 1]], [[7], [8, 9]], [0, 1])
    assert longer.labels("pos").tolist() == [[7, -1, -1], [8, 9, -1]]
    assert longer.batch((), ngram_unit="word").source.tolist() == [[4, EOS, PAD], [4, 5, EOS]]


def test_taking_rows_takes_their_labels() -> None:
    rows = rows_of([[1, 2], [3], [1]], [[7, 8], [9], [6]], [1, 0, 2]).take(np.array([2, 0]))
    assert len(rows) == 2
    assert rows.lengths.tolist() == [[1, 0], [3, 0]]
    assert rows.labels("voice").tolist() == [2, 1]
    assert rows.labels("pos").tolist() == [[6, -1, -1, -1], [7, 8, 8, -1]]


@given(st.data())
def test_every_subword_has_its_words_class(data: st.DataObject) -> None:
    lengths = data.draw(st.lists(st.integers(1, 6), min_size=1, max_size=4))
    words = [data.draw(partition_lengths(length)) for length in lengths]
    classes = [[data.draw(st.integers(0, 9)) for _ in counts] for counts in words]
    found = rows_of(words, classes, [0] * len(words)).labels("pos")
    assert found.shape == (len(lengths), max(lengths) + 1)
    for row, counts, labels in zip(found.tolist(), words, classes, strict=True):
        expected = [label for label, n in zip(labels, counts, strict=True) for _ in range(n)]
        assert row == expected + [NO_LABEL] * (len(row) - len(expected))


@given(batches_of_rows())
def test_batches_are_those_of_a_dataset_without_its_target(pairs: list) -> None:
    columns = RowColumns.of(pairs)
    empty = Ragged.of([[] for _ in pairs])
    rows = ProbingRows(
        RowColumns(
            columns.index,
            columns.source,
            empty,
            columns.subwords_per_word,
            columns.phrase_lengths,
            columns.phrase_tags,
        ),
        {},
        {},
    )
    names = ("syntactic_1", "syntactic_3", "ngram_2")
    mine = rows.batch(names, ngram_unit="word")
    its = make_batch(pairs, names, ngram_unit="word")
    assert torch.equal(mine.source, its.source)
    assert torch.equal(mine.source_lengths, its.source_lengths)
    for name in names:
        assert torch.equal(mine.segments[name], its.segments[name])
    assert mine.target_output.tolist() == [[EOS]] * len(pairs)


def test_a_level_that_the_rows_lack_is_named() -> None:
    rows = rows_of([[1]], [[0]], [0])
    with pytest.raises(ValueError, match="syntactic_1: the rows have 0 levels"):
        rows.batch(("syntactic_1",), ngram_unit="word")
