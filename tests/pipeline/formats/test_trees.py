"""Bracketed trees: what is read, what is refused and where."""

from __future__ import annotations

from contextlib import nullcontext
from itertools import islice
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from nltk.tree import Tree

from mgsa.cli.errors import InputError
from pipeline.formats.trees import (
    bracketed,
    check_leaves,
    escape_token,
    flat_tree,
    plain_label,
    preterminals,
    read_numbered_trees,
    read_tree,
    read_treebank,
    top_node,
    unescape_token,
)
from tests import strategies

BUSH = "(ROOT (S (NP (NNP Bush)) (VP (VBD spoke))))"


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
        # What NLTK takes for white space or for an escape belongs to the word.
        ("(NN 1\u00a0000\u2028)", "(NN 1\u00a0000\u2028)", ["1\u00a0000\u2028"]),
        ("(NP (SYM \\) (NN \u3000))", "(NP (SYM \\) (NN \u3000))", ["\\", "\u3000"]),
    ],
)
def test_reading_and_writing(text: str, canonical: str, leaves: list[str]) -> None:
    tree = read_tree(text)
    assert bracketed(tree) == canonical
    assert tree.leaves() == [leaf[0] for leaf in preterminals(tree)] == leaves


NODE = r"expected \(LABEL \(…\) …\) or \(TAG word\), found"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "expected one bracketed tree, found 0$"),
        ("(NN dog) (NN cat)", "expected one bracketed tree, found 2$"),
        ("(NP (NN dog)", "expected one bracketed tree, found an unclosed bracket"),
        ("(NN dog) cat", rf"column 10: {NODE} 'cat'"),
        ("(NN dog))", rf"column 9: {NODE} '\)'"),
        ("(NP)", rf"column 4: {NODE} '\)'"),
        ("(NP (NN dog) ())", rf"column 14: {NODE} '\('"),
        ("(S ((NN dog)))", rf"column 4: {NODE} '\('"),
        ("(NP the dog)", rf"column 5: {NODE} 'the'"),
        ("(NP (DT the) dog)", rf"column 14: {NODE} 'dog'"),
        # stanza takes any white space for the end of a label
        ("(S (N\u3000P (NN dog)))", rf"column 6: {NODE} '\\u3000P'"),
        ("(A " * 501 + "a" + ")" * 501, "expected at most 500 nodes in one another"),
    ],
)
def test_a_malformed_tree_is_refused_by_file_and_line(text: str, message: str) -> None:
    with pytest.raises(InputError, match=f"^train.trees:7: {message}"):
        read_tree(text, path="train.trees", line=7)


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
    assert read_tree(bracketed(tree)) == tree


@pytest.mark.real
def test_a_treebank_is_read_and_written(shared: Path) -> None:
    path = shared / "treebank" / "dev.mrg"
    lines = path.read_text(encoding="utf-8").splitlines()
    assert [bracketed(tree) for tree in read_treebank(path)] == lines


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
    path = tmp_path / "wsj.mrg"
    path.write_text(PTB, encoding="utf-8")
    assert list(map(bracketed, read_treebank(path))) == [
        "( (S (NP-SBJ (NNP Bush)) (VP (VBD spoke)) (. .)))",
        "( (NP (NN dog)))",
        "( (X (SYM *)))",
    ]


@pytest.mark.parametrize(
    "content",
    [
        "\ufeff(S (NN a))\r\n(NP (NN b))\r\n",
        "(S (NN a))(NP (NN b))",  # files joined without a last newline
        "\n (S\n(NN a)) (NP\n\t(NN\nb)\n)\n",
        "<DOC>\n<S ID=1>\n(S (NN a))\n</S>\n<TITLE>(b)</TITLE>\n(NP (NN b))\n</DOC>\n",
    ],
)
def test_a_treebank_is_laid_out_in_any_way(tmp_path: Path, content: str) -> None:
    path = tmp_path / "wsj.mrg"
    path.write_text(content, encoding="utf-8", newline="")
    assert list(map(bracketed, read_treebank(path))) == ["(S (NN a))", "(NP (NN b))"]


def test_trees_have_the_numbers_of_their_lines(tmp_path: Path) -> None:
    path = tmp_path / "wsj.mrg"
    path.write_text("\n(S (NN a)) (NN b)\n\n(NP\n (NN c))(NN d)\n(NN 0=x)(NN y=x)", "utf-8")
    trees = read_numbered_trees(path)
    numbers = {tree.leaves()[0]: number for number, tree in islice(trees, 4)}
    assert numbers == {"a": 2, "b": 2, "c": 4, "d": 5}
    with pytest.raises(InputError, match=r"wsj\.mrg:6: expected words, found '0=x'"):
        next(trees)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", r"wsj\.mrg: expected bracketed trees, found none"),
        ("\n \n", r"wsj\.mrg: expected bracketed trees, found none"),
        # A missing bracket is found in its own tree.
        ("\n(S\n  (NP\n    (NN dog)\n(NN cat)\n", r"wsj\.mrg:2: expected one bracketed tree"),
        ("(NN cat)\n(NN dog))\n", r"wsj\.mrg:2: expected bracketed trees, .* found '\)'"),
        ("(NN cat)\nand (NN dog)\n", r"wsj\.mrg:2: expected bracketed trees, .* 'and \(NN dog\)'"),
        ("(NN cat) (NN (X a))(NN b", r"wsj\.mrg:1: expected one bracketed tree, found an unclosed"),
        ("(NN cat)\n (NP\n  the dog)", rf"wsj\.mrg:3: column 3: {NODE} 'the'"),
        ("(NN cat) (NP the dog)", rf"wsj\.mrg:1: column 14: {NODE} 'the'"),
        # Other formats.
        (
            '<?xml version="1.0"?>\n<corpus>\n',
            r"wsj\.mrg: expected bracketed trees, found '<.xml",
        ),
        ("#FORMAT 3\n#BOS 1\n", r"wsj\.mrg:1: expected bracketed trees, .* found '#FORMAT 3'"),
        (
            "(S (VB 0=Has) (VB 2=left) (N 1=Jo))",
            r"wsj\.mrg:1: expected words, found '0=Has', as in",
        ),
        ("(S (VB 0) (N 1))\tHas Jo", r"wsj\.mrg:1: expected bracketed trees, .* found 'Has Jo'"),
        ("(S\n  (NP dogs and)\n  (VP bark))\n", rf"wsj\.mrg:2: column 7: {NODE} 'dogs'"),
    ],
)
def test_a_malformed_treebank_is_refused(tmp_path: Path, content: str, message: str) -> None:
    path = tmp_path / "wsj.mrg"
    path.write_text(content, encoding="utf-8")
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
    assert bracketed(top_node(read_tree(text))) == top


@pytest.mark.parametrize(
    ("token", "leaf", "back"),
    [
        ("dog", "dog", "dog"),
        ("([{", "-LRB--LSB--LCB-", "([{"),
        (")]}", "-RRB--RSB--RCB-", ")]}"),
        (":)", ":-RRB-", ":)"),
        ("-LRB-", "-LRB-", "("),  # spelled like that in the text
    ],
)
def test_brackets_in_tokens_are_escaped(token: str, leaf: str, back: str) -> None:
    assert escape_token(token) == leaf
    assert unescape_token(leaf) == back


@given(st.lists(strategies.tokens, min_size=1))
def test_any_sentence_survives_as_a_flat_tree(tokens: list[str]) -> None:
    tree = read_tree(bracketed(flat_tree(tokens)))
    check_leaves(tree, tokens)
    for leaf, token in zip(tree.leaves(), tokens, strict=True):
        assert escape_token(unescape_token(leaf)) == leaf == escape_token(token)


@pytest.mark.parametrize(
    ("tree", "tokens", "message"),
    [
        # In their escaped form, leaves and tokens are the same.
        ("(NP (NN a) (-LRB- -LRB-) (NN b))", "a ( b", None),
        ("(NP (NN a) (-LRB- -LRB-) (NN b))", "a -LRB- b", None),
        ("(NP (NN [))", "[", None),
        ("(NP (NN -LSB-))", "[", None),
        ("(NP (DT the) (NN dog))", "the cat", "leaf 2 of the tree is 'dog': expected the token"),
        ("(NP (DT the) (NN dog))", "the", "the tree has 2 leaves: expected 1, one for each token"),
        ("(NP (DT the) (NN dog))", "the dog barks", "the tree has 2 leaves: expected 3"),
    ],
)
def test_leaves_agree_with_tokens(tree: str, tokens: str, message: str | None) -> None:
    with (
        nullcontext()
        if message is None
        else pytest.raises(InputError, match=f"^train.trees:3: {message}")
    ):
        check_leaves(read_tree(tree), tokens.split(), path="train.trees", line=3)
