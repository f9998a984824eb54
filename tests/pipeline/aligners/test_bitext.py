"""Words as numbers."""

from __future__ import annotations

from pipeline.aligners.bitext import WordIndex


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
