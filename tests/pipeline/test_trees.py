"""Bracketed trees: what is read, what is refused and where, and a second reader to compare with."""

from __future__ import annotations

import pickle
import re
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from nltk.tree import Tree as NltkTree

from mgsa.base.errors import InputError
from pipeline.trees import (
    Tree,
    check_leaves,
    escape_token,
    flat_tree,
    plain_label,
    read_tree,
    read_treebank,
    read_trees,
    top_node,
    unescape_token,
)
from tests import strategies

BUSH = "(ROOT (S (NP (NNP Bush)) (VP (VBD spoke))))"


def test_a_tree_is_labels_over_children_and_tags_over_words() -> None:
    assert read_tree(BUSH) == Tree(
        "ROOT",
        (
            Tree(
                "S",
                (
                    Tree("NP", (Tree("NNP", word="Bush"),)),
                    Tree("VP", (Tree("VBD", word="spoke"),)),
                ),
            ),
        ),
    )


@pytest.mark.parametrize(
    ("text", "canonical", "leaves"),
    [
        (BUSH, BUSH, ["Bush", "spoke"]),
        ("(NN dog)", "(NN dog)", ["dog"]),
        ("  ( NN\tdog )\r\n", "(NN dog)", ["dog"]),
        ("( (NP (NN dog)))", "( (NP (NN dog)))", ["dog"]),
        ("((NP(NN dog)(NN house)))", "( (NP (NN dog) (NN house)))", ["dog", "house"]),
        ("(NP (: --) (: :) (. .))", "(NP (: --) (: :) (. .))", ["--", ":", "."]),
        ("(PRN (-LRB- -LRB-) (CD 4))", "(PRN (-LRB- -LRB-) (CD 4))", ["-LRB-", "4"]),
        # Characters that other readers take for white space belong to the word.
        ("(NN 1\u00a0000\u2028)", "(NN 1\u00a0000\u2028)", ["1\u00a0000\u2028"]),
    ],
)
def test_reading_and_writing(text: str, canonical: str, leaves: list[str]) -> None:
    tree = read_tree(text)
    assert str(tree) == canonical
    assert tree.leaves() == leaves


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", r"column 1: expected a bracketed tree, found none"),
        (" \t", r"column 1: expected a bracketed tree, found none"),
        ("dog", r"column 1: expected \(, found 'dog'"),
        ("(NN dog) (NN cat)", r"column 10: expected one tree, found more after it"),
        ("(NN dog) cat", r"column 10: expected one tree, found more after it"),
        ("(NN dog))", r"column 9: expected one tree, found more after it"),
        (")(NN dog)", r"column 1: unbalanced \): expected \("),
        ("(NP (NN dog)", r"column 1: unbalanced: 1 \) missing, first for \(NP"),
        ("(S (NP (NN dog)", r"column 4: unbalanced: 2 \) missing, first for \(NP"),
        ("(NP (NN dog", r"column 9: unbalanced: 2 \) missing after 'dog'"),
        ("(NP (NN", r"column 5: unbalanced: 2 \) missing, first for \(NN"),
        ("(NP)", r"column 1: nothing in \(NP\): expected a word or brackets"),
        ("(NP (NN dog) ())", r"column 14: expected a label after \("),
        ("(S ((NN dog)))", r"column 4: expected a label after \("),
        ("()", r"column 1: nothing in \(\): expected a word or brackets"),
        ("(NP the dog)", r"column 5: word 'the' without a part of speech: expected \(TAG the\)"),
        ("(NP (DT the) dog)", r"column 14: word 'dog' without a part of speech"),
        ("(NP the (NN dog))", r"column 5: word 'the' without a part of speech"),
    ],
)
def test_a_malformed_tree_is_refused_by_file_line_and_column(text: str, message: str) -> None:
    with pytest.raises(InputError, match=f"^train.trees:7: {message}"):
        read_tree(text, path="train.trees", line=7)
    with pytest.raises(InputError, match=f"^{message}"):
        read_tree(text)


def test_a_node_has_either_children_or_a_word() -> None:
    for children, word in [((), None), ((Tree("NN", word="dog"),), "dog")]:
        with pytest.raises(ValueError, match=r"\(NP: expected either children or a word"):
            Tree("NP", children, word)


def test_trees_are_equal_by_structure_and_cannot_be_changed() -> None:
    assert read_tree(BUSH) == read_tree(BUSH.replace(" (", "  ("))
    assert hash(read_tree(BUSH)) == hash(read_tree(BUSH))
    for other in ("(NP (NN dog))", "(NP (NN cat) (NN dog))", "(VP (NN cat))", "(NP (VB cat))"):
        assert read_tree("(NP (NN cat))") != read_tree(other)
    assert read_tree("(NN cat)") != "(NN cat)"
    assert repr(read_tree("(NN cat)")) == "read_tree('(NN cat)')"
    with pytest.raises(AttributeError, match="label"):
        read_tree("(NN cat)").label = "VB"  # type: ignore[misc]


@pytest.mark.parametrize(
    ("label", "plain"),
    [
        *(("NP", "NP"), ("NP-SBJ-1", "NP"), ("NP=2", "NP"), ("ADVP|PRT", "ADVP"), ("PRP$", "PRP$")),
        *(("-LRB-", "-LRB-"), ("-NONE-", "-NONE-"), ("", ""), ("=", "="), (":", ":")),
    ],
)
def test_a_label_without_its_function(label: str, plain: str) -> None:
    assert plain_label(label) == plain


@given(strategies.trees())
def test_what_is_written_is_read_back(tree: Tree) -> None:
    assert read_tree(str(tree)) == tree
    assert pickle.loads(pickle.dumps(tree)) == tree


# NLTK takes a backslash for an escape, and any white space for the end of a word.
plain_words = strategies.leaves.filter(lambda word: not re.search(r"[\s\\]", word))


@given(strategies.trees(plain_words))
def test_nltk_reads_the_same_tree(tree: Tree) -> None:
    theirs = NltkTree.fromstring(str(tree))
    assert from_nltk(theirs) == tree
    assert theirs.leaves() == tree.leaves()


@pytest.mark.real
def test_nltk_reads_the_same_treebank(shared: Path) -> None:
    path = shared / "treebank" / "dev.mrg"
    lines = path.read_text(encoding="utf-8").splitlines()
    found = list(read_trees(path))
    assert found == [from_nltk(NltkTree.fromstring(line)) for line in lines]
    assert [str(tree) for tree in found] == lines
    assert list(read_treebank(path)) == found


def from_nltk(tree: NltkTree) -> Tree:
    if isinstance(tree[0], str):
        return Tree(tree.label(), (), tree[0])
    return Tree(tree.label(), tuple(from_nltk(child) for child in tree))


@pytest.mark.slow
def test_a_tree_100_000_deep_is_read_and_written_in_bounded_time() -> None:
    text = "(A " * 100_000 + "(B b)" + ")" * 100_000
    started = time.process_time()
    tree = read_tree(text)
    assert str(tree) == text
    assert tree == pickle.loads(pickle.dumps(tree))
    assert tree.leaves() == ["b"]
    assert top_node(tree) == tree
    with pytest.raises(InputError, match=r"1 \) missing"):
        read_tree(text[:-1])
    assert time.process_time() - started < 30  # it takes one; a quadratic reader takes minutes


def write(path: Path, content: str) -> Path:
    path.write_bytes(content.encode())
    return path


def test_one_tree_a_line(tmp_path: Path) -> None:
    path = write(tmp_path / "valid.trees", f"{BUSH}\n(NN a\u2028b)\r\n(NN dog)")
    assert list(map(str, read_trees(path))) == [BUSH, "(NN a\u2028b)", "(NN dog)"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (f"{BUSH}\n\n{BUSH}\n", r"valid\.trees:2: column 1: expected a bracketed tree, found none"),
        (f"{BUSH}\n(NP (NN dog)\n", r"valid\.trees:2: column 1: unbalanced"),
    ],
)
def test_a_line_without_a_tree_is_refused(tmp_path: Path, content: str, message: str) -> None:
    path = write(tmp_path / "valid.trees", content)
    with pytest.raises(InputError, match=message):
        list(read_trees(path))


PTB = """
( (S
    (NP-SBJ (NNP Bush) )
    (VP (VBD spoke) )
    (. .) ))

( (NP (NN dog)))
( (X
\t(SYM *)

  ))
"""


def test_a_treebank_has_trees_over_several_lines(tmp_path: Path) -> None:
    assert list(map(str, read_treebank(write(tmp_path / "wsj.mrg", PTB)))) == [
        "( (S (NP-SBJ (NNP Bush)) (VP (VBD spoke)) (. .)))",
        "( (NP (NN dog)))",
        "( (X (SYM *)))",
    ]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", r"wsj\.mrg: expected bracketed trees, found none"),
        ("\n \n", r"wsj\.mrg: expected bracketed trees, found none"),
        # A missing bracket is found in its own tree, at the line where the open one stands.
        (
            "\n(S\n  (NP\n    (NN dog)\n(NN cat)\n",
            r"wsj\.mrg:3: column 3: unbalanced: 2 \) missing",
        ),
        ("(NN cat)\n  (NN dog)\n", r"wsj\.mrg:2: column 3: expected one tree, found more"),
        (
            "(S\n  (NP dogs and)\n  (VP bark))\n",
            r"wsj\.mrg:2: column 7: word 'dogs' without a part",
        ),
    ],
)
def test_a_malformed_treebank_is_refused(tmp_path: Path, content: str, message: str) -> None:
    path = write(tmp_path / "wsj.mrg", content)
    with pytest.raises(InputError, match=message):
        list(read_treebank(path))


@pytest.mark.parametrize(
    ("text", "top"),
    [
        ("(ROOT (S (NN a) (NN b)))", "(S (NN a) (NN b))"),
        ("(TOP (NN a))", "(NN a)"),
        ("( (TOP (S (NN a))))", "(S (NN a))"),
        ("(S (NN a))", "(S (NN a))"),
        # These wrap nothing: several children, or a word.
        ("(ROOT (NN a) (NN b))", "(ROOT (NN a) (NN b))"),
        ("(ROOT a)", "(ROOT a)"),
    ],
)
def test_the_top_node_is_what_a_wrapper_holds(text: str, top: str) -> None:
    assert str(top_node(read_tree(text))) == top


@pytest.mark.parametrize(
    ("token", "leaf", "back"),
    [
        ("dog", "dog", "dog"),
        ("(", "-LRB-", "("),
        (")", "-RRB-", ")"),
        ("[", "-LSB-", "["),
        ("]", "-RSB-", "]"),
        ("{", "-LCB-", "{"),
        ("}", "-RCB-", "}"),
        ("f(x)", "f-LRB-x-RRB-", "f(x)"),
        (":)", ":-RRB-", ":)"),
        ("-LRB-", "-LRB-", "("),  # spelled like that in the text
    ],
)
def test_brackets_in_tokens_are_escaped(token: str, leaf: str, back: str) -> None:
    assert escape_token(token) == leaf
    assert unescape_token(leaf) == back


def test_a_flat_tree() -> None:
    assert str(flat_tree(["a", "(", "b)"])) == "(ROOT (FRAG (X a) (X -LRB-) (X b-RRB-)))"
    assert str(flat_tree(["a"], tag="NN")) == "(ROOT (FRAG (NN a)))"
    with pytest.raises(ValueError, match="expected either children or a word"):
        flat_tree([])


@given(st.lists(strategies.tokens, min_size=1))
def test_any_sentence_survives_as_a_flat_tree(tokens: list[str]) -> None:
    tree = read_tree(str(flat_tree(tokens)))
    check_leaves(tree, tokens)
    for leaf, token in zip(tree.leaves(), tokens, strict=True):
        assert escape_token(unescape_token(leaf)) == leaf == escape_token(token)


@pytest.mark.parametrize("tokens", ["a ( b", "a -LRB- b"])
def test_leaves_agree_with_tokens_in_their_escaped_form(tokens: str) -> None:
    check_leaves(read_tree("(NP (NN a) (-LRB- -LRB-) (NN b))"), tokens.split())
    check_leaves(read_tree("(NP (NN [))"), ["["])
    check_leaves(read_tree("(NP (NN -LSB-))"), ["["])


@pytest.mark.parametrize(
    ("tokens", "message"),
    [
        ("the cat", r"leaf 2 of the tree is 'dog': expected the token 'cat'"),
        ("a dog", r"leaf 1 of the tree is 'the': expected the token 'a'"),
        ("the", r"the tree has 2 leaves: expected 1, .* differ from position 2"),
        ("the dog barks", r"the tree has 2 leaves: expected 3, .* differ from position 3"),
        ("", r"the tree has 2 leaves: expected 0, .* differ from position 1"),
    ],
)
def test_leaves_that_differ_from_tokens_are_named(tokens: str, message: str) -> None:
    tree = read_tree("(NP (DT the) (NN dog))")
    with pytest.raises(InputError, match=f"^train.trees:3: {message}"):
        check_leaves(tree, tokens.split(), path="train.trees", line=3)
