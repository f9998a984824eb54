"""Blocks hold every word pair of every sentence pair once, where they say."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import pipeline.aligners.bitext
from pipeline.aligners.bitext import blocks

BASE = 10
sentences = st.lists(st.integers(1, 4), min_size=1, max_size=5)
sentence_pairs = st.lists(st.tuples(sentences, sentences), max_size=8)


@pytest.mark.parametrize("size", [1, 7, 1000])
@given(pairs=sentence_pairs)
def test_every_word_pair_is_there_once(size: int, pairs: list[tuple[list[int], list[int]]]) -> None:
    sides = [[pair[side] for pair in pairs] for side in (0, 1)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pipeline.aligners.bitext, "BLOCK_CELLS", size)
        made = list(blocks(*sides, BASE))
    found = {}
    for block in made:
        assert (np.diff(block.exists.sum(axis=0)) <= 0).all()
        assert (np.diff(block.entries) > 0).all()
        for place, row in zip(*np.nonzero(block.exists), strict=True):
            found[int(block.pairs[row]), int(place)] = block.entries[block.cells[place, row]]
    assert {place: entries.tolist() for place, entries in found.items()} == {
        (number, place): [w * BASE + word for w in (0, *source)]
        for number, (source, target) in enumerate(pairs)
        for place, word in enumerate(target)
    }
    assert sum(block.exists.sum() for block in made) == len(found)


def test_what_a_table_lacks_is_after_its_end() -> None:
    (block,) = blocks([[1, 2]], [[3]], BASE)
    assert block.entries.tolist() == [3, 13, 23]
    assert block.found_in(np.array([3, 5, 23])).entries.tolist() == [0, 3, 2]
