"""Words as ids; blocks hold every word pair of every sentence pair once, where they say."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import pipeline.aligners.bitext
from pipeline.aligners.bitext import IndexedText, WordIndex, blocks

BASE = 10
sentences = st.lists(st.integers(1, 4), min_size=1, max_size=5)
sentence_pairs = st.lists(st.tuples(sentences, sentences), max_size=8)
Sentences = list[tuple[list[int], list[int]]]


def texts(pairs: Sentences) -> tuple[IndexedText, IndexedText]:
    """Both sides as they are indexed."""
    made = []
    for side in (0, 1):
        rows = [pair[side] for pair in pairs]
        offsets = np.cumsum([0, *map(len, rows)])
        made.append(IndexedText(np.array([w for row in rows for w in row], np.int64), offsets))
    return made[0], made[1]


@pytest.mark.parametrize("size", [1, 7, 1000])
@given(pairs=sentence_pairs)
def test_every_word_pair_is_there_once(size: int, pairs: Sentences) -> None:
    whole = pipeline.aligners.bitext.BLOCK_CELLS
    pipeline.aligners.bitext.BLOCK_CELLS = size
    try:
        made = list(blocks(*texts(pairs), np.arange(len(pairs)), BASE))
    finally:
        pipeline.aligners.bitext.BLOCK_CELLS = whole
    found = {}
    for block in made:
        assert (np.diff(block.active) <= 0).all()
        assert (np.diff(block.entries) > 0).all()
        for pair, place, cells in zip(*block.positions(), block.cells, strict=True):
            assert len(pairs[pair][0]) == block.num_given
            found[int(pair), int(place)] = block.entries[cells].tolist()
    assert found == {
        (number, place): [w * BASE + word for w in (0, *given_words)]
        for number, (given_words, generated) in enumerate(pairs)
        for place, word in enumerate(generated)
    }
    assert sum(len(block.cells) for block in made) == len(found)


def test_by_hand() -> None:
    """Two pairs of two given words; the second pair has more generated words, so it is first."""
    (block,) = blocks(*texts([([1, 2], [3]), ([2, 2], [3, 4])]), np.arange(2), BASE)
    assert block.pairs.tolist() == [1, 0]
    assert block.active.tolist() == [2, 1]
    assert block.entries.tolist() == [3, 4, 13, 23, 24]
    # null, first and second given word; of the first words 3 and 3, then of the second one, 4
    assert block.cells.tolist() == [[0, 3, 3], [0, 2, 3], [1, 4, 4]]


def test_only_the_pairs_that_are_asked_for() -> None:
    pairs = [([1], [1]), ([2], [2]), ([3], [3])]
    (block,) = blocks(*texts(pairs), np.array([2, 0]), BASE)
    assert sorted(block.pairs.tolist()) == [0, 2]


def test_what_a_table_lacks_is_after_its_end() -> None:
    (block,) = blocks(*texts([([1, 2], [3])]), np.arange(1), BASE)
    assert block.entries.tolist() == [3, 13, 23]
    assert block.found_in(np.array([3, 5, 23])).entries.tolist() == [0, 3, 2]


def test_words_have_numbers_in_the_order_of_the_alphabet() -> None:
    index = WordIndex(["the cat", "a cat"], fold_case=False)
    assert index.size == 5  # null, a, cat, the, any other
    text = index.index(["the cat", "A dog", "a"])
    assert text.ids.tolist() == [3, 2, 4, 4, 1]
    assert text.offsets.tolist() == [0, 2, 4, 5]
    assert text.lengths.tolist() == [2, 2, 1]


def test_words_that_differ_in_case_are_one_if_so_told() -> None:
    index = WordIndex(["The cat", "the CAT"], fold_case=True)
    assert index.size == 4
    assert index.index(["THE Cat"]).ids.tolist() == [2, 1]


def test_no_sentences_are_no_words() -> None:
    text = WordIndex([], fold_case=True).index([])
    assert text.ids.tolist() == []
    assert text.offsets.tolist() == [0]
