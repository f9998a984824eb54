"""Treebank trees with words as in tokenised text, for training and scoring a parser.

PTB trees have empty elements (`(-NONE- *T*-1)`) and spell `(` as `-LRB-`. For further differences
see `TextSpelling`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from mgsa.cli.errors import InputError
from mgsa.cli.files import open_to_write
from pipeline.formats.trees import (
    ROOT,
    WRAPPERS,
    bracketed,
    is_preterminal,
    preterminals,
    put_words,
    read_treebank,
    top_node,
    unescape_token,
)

if TYPE_CHECKING:
    from nltk.tree import Tree

    from pipeline.tokenizers import Tokenizer

EMPTY_ELEMENT = "-NONE-"
"""The part of speech of what stands for no word."""

MAX_LEVELS = 100
"""Nodes above a word, three times as many as sentences of the PTB have. What stanza does with a
tree recurses, some of it several times a level."""

_SQUARE_OR_CURLY = re.compile(r"-[LR][SC]B-(?=[^ ()]*\))")
"""In a word, which a bracket follows; labels are followed by a space."""

_ESCAPED = re.compile(r"\\([/*])")


def read_gold_trees(path: Path) -> list[Tree]:
    """The trees of a treebank's file without empty elements, nor trees of nothing else.

    Raises:
        InputError: as for `read_treebank`; a wrapper holds several nodes; a word has white
            space in it; a tree is deeper than `MAX_LEVELS`; no tree has a word.
    """
    trees = []
    for number, tree in enumerate(read_treebank(path), start=1):
        if (gold := without_empty_elements(tree)) is None:
            continue
        spaced = [word for word in gold.leaves() if len(word.split()) != 1]
        if top_node(gold).label() in WRAPPERS:
            # A shift-reduce parser builds one node, and the wrapper around it is no choice.
            expected = f"one node below {tree.label() or 'an unlabelled wrapper'}"
        elif spaced:  # stanza's reader takes it for several words
            expected = f"words without white space, got {spaced[0]!r}"
        elif gold.height() > MAX_LEVELS + 2:
            expected = f"at most {MAX_LEVELS} nodes above a word"
        else:
            trees.append(gold)
            continue
        raise InputError(f"tree {number}: expected {expected}", path=path)
    if not trees:
        raise InputError("expected trees with words, found empty elements only", path=path)
    return trees


def without_empty_elements(tree: Tree) -> Tree | None:
    """The tree without empty elements, nor nodes of nothing else; `None` if none are left."""
    from nltk.tree import Tree

    if is_preterminal(tree):
        return None if tree.label() == EMPTY_ELEMENT else tree
    left = [child for child in map(without_empty_elements, tree) if child is not None]
    return Tree(tree.label(), left) if left else None


def spelled_words(tree: Tree) -> list[str]:
    """The words of a tree, brackets unescaped: `(`, not `-LRB-`."""
    return [unescape_token(leaf) for leaf in tree.leaves()]


def as_stanza_reads(tree: Tree) -> str:
    """The tree on one line, in one wrapper.

    stanza unescapes round brackets only.
    """
    line = f"({ROOT} {bracketed(top_node(tree))})"
    return _SQUARE_OR_CURLY.sub(lambda match: unescape_token(match[0]), line)


def write_conllu(path: Path, trees: Sequence[Tree]) -> None:
    """Write words and PTB tags in CoNLL-U, with dummy heads."""
    with open_to_write(path) as file:
        for tree in trees:
            leaves = zip(preterminals(tree), spelled_words(tree), strict=True)
            for position, (leaf, word) in enumerate(leaves, start=1):
                head, relation = (0, "root") if position == 1 else (1, "dep")
                fields = [
                    position, word, "_", leaf.label(), leaf.label(), "_", head, relation, "_", "_"
                ]  # fmt: skip
                file.write("\t".join(map(str, fields)) + "\n")
            file.write("\n")


class TextSpelling:
    r"""Spells the words of a treebank's trees as the stage `tokenize` spells a corpus's.

    Quotes become `"`, `\/` becomes `/`, and `do n't` becomes `don 't`. The number of words is
    kept, since each has one label: also where Moses would split (`3/4`, `Co.` out of context) or
    join (`can not`).
    """

    def __init__(self, text: Tokenizer) -> None:
        self._text = text  # of the language of the corpus's source
        self._spell = cache(self._spell_word)

    def __call__(self, tree: Tree) -> Tree:
        """The same tree over words that are spelled so; brackets in them are escaped."""
        words = [self._spell(word) for word in spelled_words(tree)]
        for place, word in enumerate(words):
            if place and word.lower() == "n't":
                words[place - 1] += word[0]
                words[place] = word[1:]
        return put_words(tree.copy(deep=True), words)

    def _spell_word(self, word: str) -> str:
        # Of a word that nobody sees, as of a zero-width space, no token is left.
        return "".join(self._text.normalize_and_tokenize(_ESCAPED.sub(r"\1", word))) or word
