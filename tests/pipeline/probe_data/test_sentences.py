"""Splits that share no text, whatever the order and the number of sentences."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.formats.text import SPLITS
from pipeline.formats.text_settings import text_settings
from pipeline.formats.trees import bracketed, flat_tree
from pipeline.probe_data.sentences import ProbeSentence, draw_splits, read_bank
from pipeline.tokenizers.side import SideText
from tests.imports import ROOT

SHARES = (10, 1, 1)


def sentences(count: int) -> list[ProbeSentence]:
    return [sentence(i, f"word {i}", f"(ROOT (NP (A word) (B {i})))") for i in range(count)]


def sentence(line: int, tokens: str, tree: str) -> ProbeSentence:
    """A sentence whose labels and phrases are of one tree."""
    return ProbeSentence(line, tokens, tree, tree)


@pytest.mark.parametrize(
    ("count", "most", "sizes"),
    [
        (1200, 9999, [1000, 100, 100]),
        (1211, 9999, [1011, 100, 100]),
        (1200, 120, [100, 10, 10]),
        (11, 9999, [11, 0, 0]),
        (0, 9999, [0, 0, 0]),
    ],
)
def test_sizes_are_shares_of_the_sentences_that_there_are(
    count: int, most: int, sizes: list[int]
) -> None:
    splits, _ = draw_splits(sentences(count), most=most, shares=SHARES, seed=1)
    assert [len(splits[split]) for split in SPLITS] == sizes


@given(st.randoms(use_true_random=False), st.integers(1, 40))
def test_splits_share_no_sentence_and_neither_order_nor_repetition_matters(
    order: random.Random, most: int
) -> None:
    expected, _ = draw_splits(sentences(30), most=most, shares=SHARES, seed=1)
    shuffled = sentences(30) + sentences(10)
    order.shuffle(shuffled)
    splits, counts = draw_splits(shuffled, most=most, shares=SHARES, seed=1)
    assert splits == expected
    assert counts == {"read": 40, "duplicates": 10, "flat": 0}
    texts = [sentence.tokens for split in splits.values() for sentence in split]
    assert len(texts) == len(set(texts)) == min(most, 30)
    assert all(split == sorted(split) for split in splits.values())


@pytest.mark.parametrize("words", [["one"], ["two", "words"], ["(", "naïve", "1\u00a0000"]])
def test_flat_trees_are_left_out(words: list[str]) -> None:
    flat = sentence(1, " ".join(words), bracketed(flat_tree(words)))
    splits, counts = draw_splits([flat, *sentences(2)], most=9, shares=SHARES, seed=1)
    assert (counts["read"], counts["flat"], len(splits["train"])) == (3, 1, 2)


def test_a_bank_gives_the_words_of_its_trees_as_text_has_them(tmp_path: Path) -> None:
    path = tmp_path / "bank.mrg"
    path.write_text(
        "( (S (NP-SBJ (-LRB- -LRB-) (`` ``) (NN x))\n   (VP (VBZ is) (NP (-NONE- *T*-1)))))\n"
        "( (NP (-NONE- *)))\n(ROOT (NP (NN y)))\n",
        encoding="utf-8",
    )
    assert list(read_bank(path, SideText(text_settings(ROOT / "params.yaml"), "source", "en"))) == [
        sentence(1, '( " x is', '( (S (NP-SBJ (-LRB- -LRB-) (`` ") (NN x)) (VP (VBZ is))))'),
        sentence(3, "y", "(ROOT (NP (NN y)))"),
    ]
