"""Bracketing scores of parsed trees, by the conventions of EVALB with its parameters COLLINS.prm.

A bracket is a label over a span of words; a sentence's brackets are a multiset, so a unary chain
`(NP (NP …))` has two. Scores are of the whole corpus: brackets are summed, then divided.

- Punctuation (words tagged , : `` '' .) and empty elements (-NONE-) are deleted before spans are
  counted, and so are brackets that nothing is left in.
- Wrappers (TOP, ROOT, no label), constituents labelled as punctuation, and parts of speech are no
  brackets.
- A sentence of punctuation alone is skipped.
- Labels are cut at the first - or = (NP-SBJ is NP), and PRT is the same as ADVP.

One thing differs: EVALB gives up on a sentence if the parser tags as punctuation what the treebank
does not. Here the gold tags decide which words are deleted, from both trees.

Source: S. Sekine and M. Collins, EVALB (1997); Black et al. 1991.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, fields
from itertools import zip_longest
from typing import TYPE_CHECKING

from mgsa.base.errors import InputError
from pipeline.tokens.trees import WRAPPERS, escape_token, is_preterminal, preterminals

if TYPE_CHECKING:
    from nltk.tree import Tree

DELETED_TAGS = frozenset({",", ":", "``", "''", ".", "-NONE-"})
"""Parts of speech whose words take part in no span and no tagging accuracy."""

_NO_BRACKETS = WRAPPERS | DELETED_TAGS

_FUNCTION_TAG = re.compile("[-=].*", re.DOTALL)

Bracket = tuple[str, int, int]
"""A label, the first word, and the word after the last, counted without deleted words."""


@dataclass(frozen=True)
class BracketScore:
    """Counts over a corpus, and the scores that they give, from 0 to 1 (0 where nothing counts)."""

    sentences: int = 0
    complete: int = 0
    matched_brackets: int = 0
    gold_brackets: int = 0
    predicted_brackets: int = 0
    words: int = 0
    correct_tags: int = 0

    def __add__(self, other: BracketScore) -> BracketScore:
        return BracketScore(
            *(getattr(self, count.name) + getattr(other, count.name) for count in fields(self))
        )

    @property
    def precision(self) -> float:
        """Of the predicted brackets, those in the gold trees."""
        return _ratio(self.matched_brackets, self.predicted_brackets)

    @property
    def recall(self) -> float:
        """Of the gold brackets, those predicted."""
        return _ratio(self.matched_brackets, self.gold_brackets)

    @property
    def f1(self) -> float:
        """The harmonic mean of precision and recall."""
        return _ratio(2 * self.matched_brackets, self.gold_brackets + self.predicted_brackets)

    @property
    def complete_match(self) -> float:
        """Of the sentences, those with every bracket right and none too many."""
        return _ratio(self.complete, self.sentences)

    @property
    def tagging_accuracy(self) -> float:
        """Of the words that are not deleted, those with the right part of speech."""
        return _ratio(self.correct_tags, self.words)


def _ratio(part: int, whole: int) -> float:
    return part / whole if whole else 0.0


def score(gold: Iterable[Tree], predicted: Iterable[Tree]) -> BracketScore:
    """Score predicted trees against gold ones, sentence by sentence.

    Raises:
        InputError: a sentence has other words in the one than in the other, or one has more trees.
    """
    total = BracketScore()
    pairs = zip_longest(gold, predicted)
    for sentence, (gold_tree, predicted_tree) in enumerate(pairs, start=1):
        if gold_tree is None or predicted_tree is None:
            missing = "gold" if gold_tree is None else "predicted"
            raise InputError(f"sentence {sentence}: there is no {missing} tree")
        total += _score_tree(gold_tree, predicted_tree, sentence)
    return total


def _score_tree(gold: Tree, predicted: Tree, sentence: int) -> BracketScore:
    gold_words, predicted_words = preterminals(gold), preterminals(predicted)
    _check_words(gold_words, predicted_words, sentence)
    kept = [word.label() not in DELETED_TAGS for word in gold_words]
    if not any(kept):
        return BracketScore()
    gold_brackets, predicted_brackets = brackets(gold, kept), brackets(predicted, kept)
    return BracketScore(
        sentences=1,
        complete=int(gold_brackets == predicted_brackets),
        matched_brackets=(gold_brackets & predicted_brackets).total(),
        gold_brackets=gold_brackets.total(),
        predicted_brackets=predicted_brackets.total(),
        words=sum(kept),
        correct_tags=sum(
            keep and _equal_label(mine.label()) == _equal_label(its.label())
            for keep, mine, its in zip(kept, gold_words, predicted_words, strict=True)
        ),
    )


def _check_words(gold: list[Tree], predicted: list[Tree], sentence: int) -> None:
    if len(gold) != len(predicted):
        raise InputError(
            f"sentence {sentence}: the predicted tree has {len(predicted)} words, "
            f"expected {len(gold)} as in the gold tree"
        )
    for position, (mine, its) in enumerate(zip(gold, predicted, strict=True), start=1):
        if escape_token(mine[0]) != escape_token(its[0]):
            raise InputError(
                f"sentence {sentence}: word {position} of the predicted tree is {its[0]!r}, "
                f"expected {mine[0]!r} as in the gold tree"
            )


def brackets(tree: Tree, kept: list[bool]) -> Counter[Bracket]:
    """The brackets of a tree, each with the number of times it occurs.

    Args:
        kept: for each word, whether it counts; others take up no place in spans.
    """
    found: Counter[Bracket] = Counter()
    keeps = iter(kept)
    position = 0
    waiting: list[Tree | tuple[str, int]] = [tree]  # nodes to enter; labels and starts to leave
    while waiting:
        node = waiting.pop()
        if isinstance(node, tuple):
            label, start = node
            if position > start:
                found[label, start, position] += 1
        elif is_preterminal(node):
            position += next(keeps)
        else:
            if node.label() not in _NO_BRACKETS:
                waiting.append((_equal_label(_FUNCTION_TAG.sub("", node.label())), position))
            waiting.extend(reversed(node))
    return found


def _equal_label(label: str) -> str:
    return "ADVP" if label == "PRT" else label
