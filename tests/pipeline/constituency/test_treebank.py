"""Treebanks as parsers learn them."""

from __future__ import annotations

from pathlib import Path

import pytest

from mgsa.cli.errors import InputError
from pipeline.constituency.treebank import (
    TextSpelling,
    read_gold_trees,
    spelled_words,
    without_empty_elements,
)
from pipeline.formats.trees import preterminals, read_tree
from pipeline.tokenizers.moses import MosesText


@pytest.mark.parametrize(
    ("tree", "expected"),
    [
        ("(S (NP (DT a)) (VP (VB b)))", "(S (NP (DT a)) (VP (VB b)))"),
        ("(S (NP (-NONE- *)) (VP (VB b) (NP (-NONE- *T*-1))))", "(S (VP (VB b)))"),
        ("(S (NP (NP (-NONE- *ICH*)) (SBAR (-NONE- 0) (S (NN a)))))", "(S (NP (SBAR (S (NN a)))))"),
        ("(ROOT (S (NP (-NONE- *))))", None),
        ("(-NONE- *)", None),
    ],
)
def test_empty_elements_go_with_what_they_leave_empty(tree: str, expected: str | None) -> None:
    found = without_empty_elements(read_tree(tree))
    assert found == (None if expected is None else read_tree(expected))


@pytest.mark.parametrize(
    ("words", "tokens", "text"),
    [
        # Words of a treebank, the tokens of the text that they were, and that text.
        ("`` No , '' he said", '" No , " he said', '"No," he said'),
        ("It ` is -LRB- not -RRB- '", "It ' is ( not ) '", "It 'is (not)'"),
        ("I do n't , you WO N'T", "I don 't , you WON 'T", "I don't, you WON'T"),
        ("we ca n’t ; he 's", "we can 't ; he 's", "we can’t; he's"),
        ("“ a ” – b", '" a " - b', "“a” – b"),
        ("\\* a", "* a", "* a"),
        # These would be more tokens, or fewer: a word stays one.
        ("at 3\\/4", "at 3/4", None),
        ("AT&T Co.", "AT&T Co.", None),
        ("you can not", "you can not", None),
        # There is nothing to put its n to.
        ("n't \u200b", "n't \u200b", None),
    ],
)
def test_a_treebanks_words_are_spelled_as_tokens_of_text(
    words: str, tokens: str, text: str | None
) -> None:
    moses = MosesText("en")
    tree = read_tree(f"( (S {' '.join(f'(TAG {word})' for word in words.split(' '))}))")
    spelled = TextSpelling(moses)(tree)
    assert spelled_words(spelled) == tokens.split(" ")
    assert [leaf.label() for leaf in preterminals(spelled)] == ["TAG"] * len(words.split(" "))
    assert text is None or moses.normalize_and_tokenize(text) == tokens.split(" ")


def test_a_tree_keeps_its_shape_and_its_escaped_brackets() -> None:
    tree = read_tree("( (S-1 (`` ``) (NP (-LRB- -LRB-) (NN a\\/b)) (VP (VBD did) (RB n't))))")
    expected = "( (S-1 (`` \") (NP (-LRB- -LRB-) (NN a/b)) (VP (VBD didn) (RB 't))))"
    assert TextSpelling(MosesText("en"))(tree) == read_tree(expected)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("(ROOT (NP (-NONE- *)))\n", "train.mrg: expected trees with words, found empty elements"),
        ("(NN a)\n(ROOT (S (NN a)) (. .))\n", "train.mrg: tree 2: expected one node below ROOT"),
        ("( (S (NN a)) (. .))\n", "train.mrg: tree 1: expected one node below an unlabelled"),
        ("( (S (NN a\u3000b)))\n", "tree 1: expected words without white space, got 'a.u3000b'"),
    ],
)
def test_what_no_parser_can_learn_is_named(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "train.mrg"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=message):
        read_gold_trees(path)
