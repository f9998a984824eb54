"""Treebank trees for training and scoring a parser: without empty elements, with plain labels.

PTB trees have empty elements (`(-NONE- *T*-1)`), functions and indices (`NP-SBJ-1`), and sometimes
several nodes in a wrapper.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from mgsa.cli.errors import InputError
from pipeline.constituency.spelling import parser_words, spelled_words
from pipeline.formats.trees import (
    ROOT,
    WRAPPERS,
    bracketed,
    is_preterminal,
    plain_label,
    put_words,
    read_numbered_trees,
    top_node,
    unescape_token,
)

if TYPE_CHECKING:
    from nltk.tree import Tree

EMPTY_ELEMENT = "-NONE-"
"""The part of speech of what stands for no word."""

MAX_LEVELS = 100
"""Nodes above a word, three times as many as sentences of the PTB have. What stanza does with a
tree recurses, some of it several times a level."""

_SQUARE_OR_CURLY = re.compile(r"-[LR][SC]B-(?=[^ ()]*\))")
"""In a word, which a bracket follows; labels are followed by a space."""

MANY_NODES = "TOP"
"""Label of the top node of a tree whose wrapper has several: a parser builds one node."""


def read_gold_trees(path: Path) -> list[Tree]:
    """The trees of a treebank's file as a parser learns them, but for the spelling of words.

    Trees of empty elements alone are left out.

    Raises:
        InputError: as for `read_treebank`; a word has white space in it; a tree is deeper than
            `MAX_LEVELS`; no tree has a word.
    """
    trees = []
    for line, tree in read_numbered_trees(path):
        if (gold := without_empty_elements(tree)) is None:
            continue
        spaced = [word for word in gold.leaves() if len(word.split()) != 1]
        if spaced:  # stanza's reader takes it for several words
            expected = f"words without white space, got {spaced[0]!r}"
        elif gold.height() > MAX_LEVELS + 2:
            expected = f"at most {MAX_LEVELS} nodes above a word"
        else:
            trees.append(_with_plain_labels(gold))
            continue
        raise InputError(f"expected {expected}", path=path, line=line)
    if not trees:
        raise InputError("expected trees with words, found empty elements only", path=path)
    return trees


def _with_plain_labels(tree: Tree) -> Tree:
    for node in tree.subtrees():
        node.set_label(plain_label(node.label()))
    top = top_node(tree)
    if top.label() in WRAPPERS:
        top.set_label(MANY_NODES)
    return top


def as_parser_spells(tree: Tree, language: str) -> Tree:
    """The tree over words as in `parser_words`, escaped."""
    return put_words(tree.copy(deep=True), parser_words(spelled_words(tree), language))


def without_empty_elements(tree: Tree) -> Tree | None:
    """The tree without empty elements, nor nodes of nothing else; `None` if none are left."""
    from nltk.tree import Tree

    if is_preterminal(tree):
        return None if tree.label() == EMPTY_ELEMENT else tree
    left = [child for child in map(without_empty_elements, tree) if child is not None]
    return Tree(tree.label(), left) if left else None


def as_stanza_reads(tree: Tree) -> str:
    """The tree on one line, in one wrapper.

    stanza unescapes round brackets only.
    """
    line = f"({ROOT} {bracketed(top_node(tree))})"
    return _SQUARE_OR_CURLY.sub(lambda match: unescape_token(match[0]), line)
