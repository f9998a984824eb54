"""A tagger of a treebank, and the treebank with a tagger's tags.

A parser should learn from such tags as it will be given, mistakes included: those of each fold's
trees are by a tagger of the other folds (jackknifing).
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from mgsa.cli.progress import progress_bar
from mgsa.cli.workers import map_chunks
from pipeline.constituency.spelling import spelled_words
from pipeline.formats.trees import preterminals

if TYPE_CHECKING:
    from nltk.tag.perceptron import PerceptronTagger
    from nltk.tree import Tree

FOLDS = 5
Sentence = list[tuple[str, str]]
"""Words and their tags."""


def tag_treebank(
    trees: Sequence[Tree], *, seed: int, workers: int
) -> tuple[PerceptronTagger, list[Tree]]:
    """A tagger of all trees, and the trees with the tags of taggers that haven't seen them."""
    leaves = [zip(spelled_words(tree), preterminals(tree), strict=True) for tree in trees]
    sentences = [[(word, leaf.label()) for word, leaf in sentence] for sentence in leaves]
    parts = [sentences]
    for fold in range(FOLDS):  # a single tree has no others
        others = [sentence for n, sentence in enumerate(sentences) if n % FOLDS != fold]
        parts.append(others or sentences)
    taggers = []
    with progress_bar("train tagger", total=len(parts), unit="taggers") as advance:
        train = partial(_train_tagger, seed=seed)
        for tagger in map_chunks(train, parts, workers=workers, chunk_size=1):
            taggers.append(tagger)
            advance(1)
    tagger, *of_folds = taggers
    return tagger, [retagged(tree, of_folds[n % FOLDS]) for n, tree in enumerate(trees)]


def retagged(tree: Tree, tagger: PerceptronTagger) -> Tree:
    """The same tree with a tagger's tags."""
    tree = tree.copy(deep=True)
    for leaf, (_, tag) in zip(preterminals(tree), tagger.tag(spelled_words(tree)), strict=True):
        leaf.set_label(tag)
    return tree


def _train_tagger(parts: Sequence[Sequence[Sentence]], *, seed: int) -> PerceptronTagger:
    from nltk.tag.perceptron import PerceptronTagger

    (sentences,) = parts
    random.seed(seed)  # NLTK shuffles with the global generator
    tagger = PerceptronTagger(load=False)
    tagger.train(sentences)
    return tagger
