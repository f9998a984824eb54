"""N-grams of references by the syntactic category of the source phrase they are aligned to.

The category of an n-gram is the label of the smallest constituent of the source tree that covers
all source words linked to a word of the n-gram; of one word that is its part of speech. N-grams
without a link are `unaligned`. Of a unary chain, the lowest constituent is the smallest. The
wrapper of a tree is no constituent. Functions and indices of labels (`NP-SBJ-1`) are left out, so
that gold trees have the categories of parsed ones.

Besides n-grams of fixed sizes there are translations of whole phrases: for a constituent of two
words or more, the target words from the first to the last that is linked to it, if none of these
is linked outside the constituent (phrase pairs of Koehn, Och & Marcu 2003, without the unaligned
words around them).

Legend: N sentences, S systems, F cells (a size and a category each).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from mgsa.analysis.ngrams import recall_of_spans
from mgsa.base.word_links import Link
from pipeline.tokens.trees import children, is_preterminal, plain_label, top_node

if TYPE_CHECKING:
    from nltk.tree import Tree

UNALIGNED = "unaligned"
PHRASE = "phrase"
"""In place of a size: the translation of a whole phrase."""
ALL = "all"
"""In place of a category: all categories of a size."""

Constituents = Mapping[tuple[int, int], str]
"""The lowest label over each span of words, inner spans before outer ones."""

Cell = tuple[str, str]
"""A size and a category."""


class Occurrence(NamedTuple):
    """An n-gram of a reference: its size, or `phrase`; its words; its category."""

    size: str
    start: int
    end: int
    category: str


@dataclass(frozen=True)
class CategoryCounts:
    """N-grams of references, and those that systems produced.

    Attributes:
        cells: by size, `all` first, then categories in alphabetical order; phrases come last.
        counted: (N, F) n-grams of each reference.
        found: (N, S, F) those that each system's translation has, by `recall_of_spans`.
    """

    cells: Sequence[Cell]
    counted: np.ndarray
    found: np.ndarray


def occurrences(
    tree: Tree, links: Set[Link], target_words: int, sizes: Sequence[int]
) -> list[Occurrence]:
    """Every n-gram of these sizes in a reference of so many words, then its phrases.

    Args:
        tree: of the source.
        links: (source word, target word), from 0, inside the pair.
    """
    constituents = find_constituents(tree)
    sources: list[set[int]] = [set() for _ in range(target_words)]
    for source, target in links:
        sources[target].add(source)
    ngrams = []
    for size in sizes:
        for start in range(target_words - size + 1):
            linked = set[int]().union(*sources[start : start + size])
            category = smallest_over(linked, constituents) if linked else UNALIGNED
            ngrams.append(Occurrence(str(size), start, start + size, category))
    return [*ngrams, *aligned_phrases(constituents, sources)]


def find_constituents(tree: Tree) -> Constituents:
    """The constituents of a tree, parts of speech over single words included."""
    constituents: dict[tuple[int, int], str] = {}

    def add(node: Tree, start: int) -> int:
        """Add those of a node, the innermost first; its end."""
        end = start + is_preterminal(node)
        for child in children(node):
            end = add(child, end)
        constituents.setdefault((start, end), plain_label(node.label()))
        return end

    add(top_node(tree), 0)
    return constituents


def smallest_over(words: Set[int], constituents: Constituents) -> str:
    """The label of the smallest constituent over all of some words."""
    first, last = min(words), max(words)
    # Constituents over the same words are nested, the innermost first.
    return next(
        label for (start, end), label in constituents.items() if start <= first and last < end
    )


def aligned_phrases(
    constituents: Constituents, sources: Sequence[Set[int]]
) -> Iterator[Occurrence]:
    """The translations of constituents of two words or more.

    Args:
        sources: of each target word, the source words linked to it.
    """
    for (start, end), label in constituents.items():
        inside = range(start, end)
        linked = [i for i, words in enumerate(sources) if any(word in inside for word in words)]
        if end - start < 2 or not linked:
            continue
        first, last = linked[0], linked[-1] + 1
        if all(word in inside for words in sources[first:last] for word in words):
            yield Occurrence(PHRASE, first, last, label)


def count_categories(
    sentences: Iterable[tuple[Sequence[Occurrence], Sequence[str], Sequence[Sequence[str]]]],
    num_systems: int,
) -> CategoryCounts:
    """The counts of a corpus.

    Args:
        sentences: of each the n-grams of its reference, the reference's tokens, and those of every
            system's translation.
    """
    by_sentence = []
    for ngrams, reference, hypotheses in sentences:
        recall = recall_of_spans([(one.start, one.end) for one in ngrams], reference, hypotheses)
        sums: dict[Cell, np.ndarray] = defaultdict(lambda: np.zeros(1 + num_systems))
        for ngram, shares in zip(ngrams, recall.T, strict=True):
            for category in (ALL, ngram.category):
                sums[ngram.size, category] += [1, *shares]
        by_sentence.append(sums)
    # `phrase` is longer than any number.
    cells = sorted(
        {cell for sums in by_sentence for cell in sums},
        key=lambda cell: (len(cell[0]), cell[0], cell[1] != ALL, cell[1]),
    )
    counted = np.zeros((len(by_sentence), len(cells)))
    found = np.zeros((len(by_sentence), num_systems, len(cells)))
    for row, sums in enumerate(by_sentence):
        for f, cell in enumerate(cells):
            if cell in sums:
                counted[row, f], *found[row, :, f] = sums[cell]
    return CategoryCounts(cells, counted, found)
