"""Splits that share no text, whatever the order and the number of sentences."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mgsa.base.errors import InputError
from pipeline.probing.sentences import ProbeSentence, SentenceFiles, draw_splits
from pipeline.tokens.trees import bracketed, flat_tree

SHARES = (10, 1, 1)


def sentences(count: int) -> list[ProbeSentence]:
    return [sentence(i, f"word {i}", f"(ROOT (NP (A word) (B {i})))") for i in range(count)]


def sentence(line: int, tokens: str, tree: str) -> ProbeSentence:
    """A sentence whose labels and phrases are of one tree."""
    return ProbeSentence(line, tokens, tree, tree)


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


@pytest.mark.parametrize("words", [["one"], ["two", "words"], ["(", "naïve", "1\u00a0000"]])
def test_flat_trees_are_left_out(words: list[str]) -> None:
    flat = sentence(1, " ".join(words), bracketed(flat_tree(words)))
    drawn = draw_splits([flat, *sentences(2)], most=9, shares=SHARES, seed=1)
    assert (drawn.read, drawn.flat, len(drawn.splits["train"])) == (3, 1, 2)


def test_a_bank_gives_the_words_of_its_trees_as_text_has_them(tmp_path: Path) -> None:
    path = tmp_path / "bank.mrg"
    path.write_text(
        "( (S (NP-SBJ (-LRB- -LRB-) (`` ``) (NN x))\n   (VP (VBZ is) (NP (-NONE- *T*-1)))))\n"
        "( (NP (-NONE- *)))\n(ROOT (NP (NN y)))\n",
        encoding="utf-8",
    )
    assert list(SentenceFiles(path, path, path).sentences("en")) == [
        sentence(1, '( " x is', '( (S (NP-SBJ (-LRB- -LRB-) (`` ") (NN x)) (VP (VBZ is))))'),
        sentence(3, "y", "(ROOT (NP (NN y)))"),
    ]


def test_a_corpus_and_its_trees_have_as_many_lines(tmp_path: Path) -> None:
    paths = [tmp_path / name for name in ("train.source", "gold.trees", "train.trees")]
    for path, text in zip(paths, ("a\nb\n", "(A a)\n(B b)\n", "(C a)\n(D b)\n"), strict=True):
        path.write_text(text, encoding="utf-8")
    files = SentenceFiles(*paths)
    assert list(files.sentences("en")) == [(1, "a", "(A a)", "(C a)"), (2, "b", "(B b)", "(D b)")]
    for path in paths[1:]:
        whole = path.read_text(encoding="utf-8")
        path.write_text(whole.split("\n")[0] + "\n", encoding="utf-8")
        with pytest.raises(InputError, match=rf"{path.name}:1: ends after 1 line; expected as"):
            list(files.sentences("en"))
        path.write_text(whole, encoding="utf-8")
