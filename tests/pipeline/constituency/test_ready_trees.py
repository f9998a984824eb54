"""Trees over other words than the corpus's tokens, and failed parses."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from nltk.tree import Tree

from mgsa.cli.errors import InputError
from pipeline.constituency.ready_trees import put_tokens, ready_tree
from pipeline.constituency.spelling import parser_words, spelled_words
from pipeline.formats.trees import bracketed, escape_token, put_words
from tests import strategies

FILE = Path("train.trees")


@pytest.mark.parametrize(
    ("tree", "tokens", "expected"),
    [
        ("(S (VB Go) (. !))", "Go !", "(S (VB Go) (. !))"),
        # Spelled otherwise, one to one.
        (
            "(S (VBP do) (RB n't) (`` ``) (VB go) ('' '') (-LRB- -LRB-) (CD 3\\/4))",
            'don \'t " go " ( 3/4',
            "(S (VBP don) (RB 't) (`` \") (VB go) ('' \") (-LRB- -LRB-) (CD 3/4))",
        ),
        ("(S (`` “) (X a) ('' ”) (: --) (X ’s) (: …))", '" a " - \'s ...', None),
        # A leaf of several tokens.
        ("(NP (NNP AT&T))", "AT & T", "(NP (NNP AT) (NNP &) (NNP T))"),
        ("(NNP AT&T)", "AT & T", "(ROOT (NNP AT) (NNP &) (NNP T))"),
        # A token of several leaves.
        (
            "(S (VP (MD can) (RB not) (VP (VB go))))",
            "cannot go",
            "(S (VP (MD cannot) (VP (VB go))))",
        ),
        ("(S (NP (CD 5) (NP (NN %))) (VB a))", "5% a", "(S (NP (CD 5%)) (VB a))"),
        ("(S (A ab) (B cd) (C e))", "a bcd e", "(S (A a) (B bcd) (C e))"),
        # Empty elements go.
        ("( (S (NP-1 (-NONE- *)) (VB Go)))", "Go", "( (S (VB Go)))"),
    ],
)
def test_a_tree_is_put_over_the_tokens(tree: str, tokens: str, expected: str | None) -> None:
    found = ready_tree(tree, tokens.split(), path=FILE, line=3)
    assert found is not None
    assert found.leaves() == [escape_token(token) for token in tokens.split()]
    assert expected is None or bracketed(found) == expected


@pytest.mark.parametrize(
    "line", ["", " \t", "(())", "( )", "((", "(ROOT)", "(ROOT ())", "(S1 (S ))", "(X (-NONE- *))"]
)
def test_a_failed_parse_has_no_tree(line: str) -> None:
    assert ready_tree(line, ["It", "rained"], path=FILE, line=4) is None


@pytest.mark.parametrize(
    ("tree", "tokens", "message"),
    [
        ("(S (A a) (B dog))", "a cat", "the tree has 'dog' where the tokens have 'cat': expected"),
        ("(S (A a))", "a cat", "the tree has None where the tokens have 'cat': expected a tree"),
        ("(S (A a) (B dog))", "a", "the tree has 'dog' where the tokens have None: expected a"),
        ("SENTENCE", "a", "column 1: expected"),
        ("(S (A a)", "a", "expected one bracketed tree, found an unclosed bracket"),
    ],
)
def test_other_words_are_named(tree: str, tokens: str, message: str) -> None:
    with pytest.raises(InputError, match=f"^train.trees:3: {message}"):
        ready_tree(tree, tokens.split(), path=FILE, line=3)


@given(strategies.trees())
def test_respelling_is_undone(tree: Tree) -> None:
    tokens = spelled_words(tree)
    words = parser_words(tokens, "en")
    over_words = put_words(tree.copy(deep=True), words)
    assert put_tokens(over_words, tokens, path=FILE, line=1) == put_words(tree, tokens)
