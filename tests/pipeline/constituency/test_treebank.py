"""Treebanks as parsers learn them."""

from __future__ import annotations

from pathlib import Path

import pytest

from mgsa.cli.errors import InputError
from pipeline.constituency.treebank import read_gold_trees, without_empty_elements
from pipeline.formats.trees import bracketed, read_tree


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
    ("text", "message"),
    [
        ("(ROOT (NP (-NONE- *)))\n", "train.mrg: expected trees with words, found empty elements"),
        ("\n( (S (NN a\u3000b)))\n", "train.mrg:2: expected words without white space, got 'a"),
    ],
)
def test_what_no_parser_can_learn_is_named(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "train.mrg"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=message):
        read_gold_trees(path)


@pytest.mark.parametrize(
    ("tree", "learnt"),
    [
        ("( (S (NP-SBJ-1 (PRP it)) (VP=2 (VBD|VBN ran)) (ADVP|PRT (RP up))))", None),
        ("( (S (NP (PRP it))) (. .))", "(TOP (S (NP (PRP it))) (. .))"),
        ("(ROOT (S (NP (PRP it))) (. .))", "(TOP (S (NP (PRP it))) (. .))"),
        ("(TOP (S1 (NP-SBJ (PRP it))))", "(NP (PRP it))"),
        ("(S (-LRB- -LRB-) (NP (PRP it)))", "(S (-LRB- -LRB-) (NP (PRP it)))"),
    ],
)
def test_trees_are_learnt_with_plain_labels_and_one_top_node(
    tmp_path: Path, tree: str, learnt: str | None
) -> None:
    path = tmp_path / "train.mrg"
    path.write_text(tree, encoding="utf-8")
    (found,) = read_gold_trees(path)
    learnt = learnt or "(S (NP (PRP it)) (VP (VBD ran)) (ADVP (RP up)))"
    assert bracketed(found) == learnt
