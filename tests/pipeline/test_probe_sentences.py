"""Splits that share no text, whatever the order and the number of sentences."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mgsa.errors import InputError
from pipeline.probe_sentences import ProbeSentence, draw_splits, read_bank, read_corpus
from pipeline.trees import flat_tree

SHARES = (10, 1, 1)


def sentences(count: int) -> list[ProbeSentence]:
    return [ProbeSentence(i, f"word {i}", f"(ROOT (NP (A word) (B {i})))") for i in range(count)]


def sizes(count: int, most: int = 120_000) -> list[int]:
    drawn = draw_splits(sentences(count), most=most, shares=SHARES, seed=1)
    return [len(drawn.splits[split]) for split in ("train", "valid", "test")]


def test_sizes_are_shares_of_the_sentences_that_there_are() -> None:
    assert sizes(1200) == [1000, 100, 100]
    assert sizes(1211) == [1011, 100, 100]
    assert sizes(1200, most=120) == [100, 10, 10]
    assert sizes(11) == [11, 0, 0]
    assert sizes(0) == [0, 0, 0]


def test_splits_share_no_sentence_and_take_each_once() -> None:
    drawn = draw_splits(sentences(100) * 3, most=60, shares=(2, 1, 1), seed=1)
    assert (drawn.read, drawn.duplicates, drawn.flat) == (300, 200, 0)
    texts = [sentence.tokens for split in drawn.splits.values() for sentence in split]
    assert len(texts) == len(set(texts)) == 60
    for split in drawn.splits.values():
        assert split == sorted(split)


@given(st.randoms(use_true_random=False), st.integers(1, 40))
def test_neither_order_nor_repetition_matters(order: random.Random, most: int) -> None:
    expected = draw_splits(sentences(30), most=most, shares=SHARES, seed=1)
    shuffled = sentences(30) + sentences(10)
    order.shuffle(shuffled)
    found = draw_splits(shuffled, most=most, shares=SHARES, seed=1)
    assert found.splits == expected.splits


def test_another_seed_draws_others() -> None:
    one, two = (draw_splits(sentences(50), most=20, shares=SHARES, seed=seed) for seed in (1, 2))
    assert one.splits != two.splits


def test_of_equal_texts_the_first_counts() -> None:
    first, second = ProbeSentence(1, "a b", "(S (A a) (B b))"), ProbeSentence(2, "a b", "(S (X a))")
    drawn = draw_splits([first, second], most=2, shares=SHARES, seed=1)
    assert drawn.splits["train"] == [first]


@pytest.mark.parametrize("words", [["one"], ["two", "words"], ["(", "naïve", "1\u00a0000"]])
def test_flat_trees_are_left_out(words: list[str]) -> None:
    flat = ProbeSentence(1, " ".join(words), str(flat_tree(words)))
    drawn = draw_splits([flat, *sentences(2)], most=9, shares=SHARES, seed=1)
    assert (drawn.read, drawn.flat, len(drawn.splits["train"])) == (3, 1, 2)


def test_a_bank_gives_the_words_of_its_trees_as_text_has_them(tmp_path: Path) -> None:
    path = tmp_path / "bank.mrg"
    path.write_text(
        "( (S (NP-SBJ (-LRB- -LRB-) (NN x))\n   (VP (VBZ is) (NP (-NONE- *T*-1)))))\n"
        "( (NP (-NONE- *)))\n(ROOT (NP (NN y)))\n",
        encoding="utf-8",
    )
    assert list(read_bank(path)) == [
        ProbeSentence(1, "( x is", "( (S (NP-SBJ (-LRB- -LRB-) (NN x)) (VP (VBZ is))))"),
        ProbeSentence(3, "y", "(ROOT (NP (NN y)))"),
    ]


def test_a_corpus_and_its_trees_have_as_many_lines(tmp_path: Path) -> None:
    tokens, trees = tmp_path / "train.source", tmp_path / "train.trees"
    tokens.write_text("a\nb\n", encoding="utf-8")
    trees.write_text("(A a)\n(B b)\n", encoding="utf-8")
    assert list(read_corpus(tokens, trees)) == [(1, "a", "(A a)"), (2, "b", "(B b)")]
    trees.write_text("(A a)\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"train\.trees:1: ends after 1 lines; expected as many"):
        list(read_corpus(tokens, trees))
