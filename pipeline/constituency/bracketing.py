"""Bracketing scores of parsed trees, by the conventions of EVALB with its parameters COLLINS.prm.

A bracket is a label over a span of words; a sentence's brackets are a multiset, so a unary chain
`(NP (NP …))` has two. Scores are of the whole corpus: brackets are summed, then divided.

- Punctuation (words tagged , : `` '' .) and empty elements (-NONE-) are deleted before spans are
  counted, and so are brackets that nothing is left in.
- Wrappers (TOP, ROOT, no label), constituents labelled as punctuation, and parts of speech are no
  brackets.
- Labels are plain (NP-SBJ is NP), and PRT is the same as ADVP.

One thing differs: EVALB gives up on a sentence if the parser tags as punctuation what the treebank
does not. Here the gold tags decide which words are deleted, from both trees.

Source: S. Sekine and M. Collins, EVALB (1997); Black et al. 1991.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from itertools import accumulate
from typing import TYPE_CHECKING

from pipeline.formats.trees import WRAPPERS, check_leaves, is_preterminal, plain_label, preterminals

if TYPE_CHECKING:
    from nltk.tree import Tree

DELETED_TAGS = frozenset({",", ":", "``", "''", ".", "-NONE-"})
"""Parts of speech whose words take part in no span and no tagging accuracy."""

_NO_BRACKETS = WRAPPERS | DELETED_TAGS

Bracket = tuple[str, int, int]
"""A label, the first word, and the word after the last, counted without deleted words."""


def score(gold: Iterable[Tree], predicted: Iterable[Tree]) -> dict[str, float]:
    """Labelled precision, recall and F1, and the accuracy of tags, from 0 to 1.

    An `InputError` is raised if the words of two trees differ.
    """
    matched = in_gold = in_predicted = words = right = 0
    for number, pair in enumerate(zip(gold, predicted, strict=True), start=1):
        check_leaves(pair[1], pair[0].leaves(), path=f"sentence {number}")
        tags = [[_equal_label(leaf.label()) for leaf in preterminals(tree)] for tree in pair]
        kept = [tag not in DELETED_TAGS for tag in tags[0]]
        of_gold, of_predicted = (brackets(tree, kept) for tree in pair)
        matched += (of_gold & of_predicted).total()
        in_gold += of_gold.total()
        in_predicted += of_predicted.total()
        words += sum(kept)
        right += sum(k and one == two for k, one, two in zip(kept, *tags, strict=True))
    return {
        "labelled_precision": matched / max(in_predicted, 1),
        "labelled_recall": matched / max(in_gold, 1),
        "labelled_f1": 2 * matched / max(in_gold + in_predicted, 1),
        "tagging_accuracy": right / max(words, 1),
    }


def brackets(tree: Tree, kept: list[bool]) -> Counter[Bracket]:
    """The multiset of a tree's brackets; words not `kept` take no position in spans."""
    bounds = [0, *accumulate(kept)]
    found: Counter[Bracket] = Counter()
    first = 0  # word of the node: nodes come in preorder
    for node in tree.subtrees():
        if is_preterminal(node):
            first += 1
        elif (label := _equal_label(node.label())) not in _NO_BRACKETS:
            start, end = bounds[first], bounds[first + len(node.leaves())]
            if start < end:
                found[label, start, end] += 1
    return found


def _equal_label(label: str) -> str:
    return "ADVP" if (plain := plain_label(label)) == "PRT" else plain
