"""A treebank as a parser learns it, and is scored on it: the words of its trees are those of text.

The PTB's trees have empty elements (`(-NONE- *T*-1)`), which no text has, and spell brackets as
`-LRB-`, where tokenised text has `(`.
"""

from __future__ import annotations

from pathlib import Path

from mgsa.errors import InputError
from pipeline.trees import WRAPPERS, Tree, read_treebank, top_node, unescape_token

EMPTY_ELEMENT = "-NONE-"
"""The part of speech of what stands for no word."""


def read_gold_trees(path: Path) -> list[Tree]:
    """The trees of a treebank's file without empty elements, nor trees of nothing else.

    Raises:
        InputError: as for `read_treebank`; a wrapper holds several nodes; no tree has a word.
    """
    trees = []
    for number, tree in enumerate(read_treebank(path), start=1):
        gold = without_empty_elements(tree)
        if gold is None:
            continue
        if top_node(gold).label in WRAPPERS:
            # A shift-reduce parser builds one node, and the wrapper around it is no choice.
            label = tree.label or "an unlabelled wrapper"
            raise InputError(f"tree {number}: expected one node below {label}", path=path)
        trees.append(gold)
    if not trees:
        raise InputError("expected trees with words, found empty elements only", path=path)
    return trees


def without_empty_elements(tree: Tree) -> Tree | None:
    """The tree without empty elements and the nodes that only they are in; `None` of nothing else.

    Deep trees need no recursion.
    """
    # A node is opened, then its children, then it is closed over those that are left.
    waiting = [(tree, False)]
    left: list[list[Tree]] = [[]]
    while waiting:
        node, opened = waiting.pop()
        if opened:
            children = left.pop()
            if children:
                left[-1].append(Tree(node.label, tuple(children)))
        elif node.children:
            waiting.append((node, True))
            left.append([])
            waiting += [(child, False) for child in reversed(node.children)]
        elif node.label != EMPTY_ELEMENT:
            left[-1].append(node)
    return left[0][0] if left[0] else None


def spelled_words(tree: Tree) -> list[str]:
    """The words of a tree as text has them: `(`, not `-LRB-`."""
    return [unescape_token(leaf) for leaf in tree.leaves()]
