"""N-grams of references by the syntactic category of the source phrase they are aligned to.

The category of an n-gram is the label of the smallest constituent of the source tree that covers
all source words linked to a word of the n-gram; of one word that is its part of speech. N-grams
without a link are `unaligned`. The smallest constituent of a unary chain is the lowest. The
wrapper of a tree is no constituent. Functions and indices of labels (`NP-SBJ-1`) are left out, so
that gold trees have the categories of parsed ones.

Besides n-grams of fixed sizes there are translations of whole phrases: for a constituent of two
words or more, the target words from the first to the last that is linked to it, if none of these
is linked outside the constituent (phrase pairs of Koehn, Och & Marcu 2003, without the unaligned
words around them).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from pathlib import Path
from typing import NamedTuple

import numpy as np
from nltk.tree import Tree

from mgsa.data.word_links import Link
from pipeline.formats.link_files import read_link_file
from pipeline.formats.links import translation
from pipeline.formats.text import SIDES, read_parallel, split_tokens
from pipeline.formats.trees import constituents, read_parse
from pipeline.phrasal_patterns.scores import Scores
from pipeline.statistics.ngrams import recall_of_spans

UNALIGNED = "unaligned"
PHRASE = "phrase"
"""In place of a size: the translation of a whole phrase."""
ALL = "all"
"""In place of a category: all categories of a size."""

Constituents = Mapping[tuple[int, int], str]
"""The lowest label over each span of words, inner spans before outer ones."""


class Occurrence(NamedTuple):
    """An n-gram of a reference: size (or `phrase`), words, category."""

    size: str
    start: int
    end: int
    category: str


def read_occurrences(
    tokenized: Path, split: str, trees: Path, links: Path, sizes: Sequence[int]
) -> Iterator[list[Occurrence]]:
    """The n-grams of each target sentence, with their categories.

    Args:
        trees: of the source side, a line each.
        links: in Pharaoh's format, a line a pair.

    Raises:
        InputError: a tree or a link is malformed or not of its pair, or their number differs from
            that of pairs.
    """
    source, target = (tokenized / f"{split}.{side}" for side in SIDES)
    rows = read_parallel([source, target, trees])
    of_pairs = read_link_file(links, tokenized, split)
    for line, (row, of_pair) in enumerate(zip(rows, of_pairs, strict=True), start=1):
        tree = read_parse(row[2], row[0], path=trees, tokens_path=source, line=line)
        target_words = len(split_tokens(row[1], path=target, line=line))
        yield occurrences(tree, of_pair, target_words, sizes)


def occurrences(
    tree: Tree, links: Set[Link], target_words: int, sizes: Sequence[int]
) -> list[Occurrence]:
    """Yield the n-grams of a reference, then its phrases."""
    spans: dict[tuple[int, int], str] = {}
    for one in constituents(tree):
        spans.setdefault(one.span, one.label)
    sources: list[set[int]] = [set() for _ in range(target_words)]
    for source, target in links:
        sources[target].add(source)
    found = []
    for size in sizes:
        for start in range(target_words - size + 1):
            linked = set[int]().union(*sources[start : start + size])
            category = _smallest_over(linked, spans) if linked else UNALIGNED
            found.append(Occurrence(str(size), start, start + size, category))
    for (start, end), label in spans.items():
        if end - start >= 2 and (translated := translation((start, end), links)):
            found.append(Occurrence(PHRASE, *translated, label))
    return found


def _smallest_over(words: Set[int], spans: Constituents) -> str:
    """The label of the smallest constituent over all `words`."""
    first, last = min(words), max(words)
    # Constituents over the same words are nested, the innermost first.
    return next(label for (start, end), label in spans.items() if start <= first and last < end)


def category_scores(
    sentences: Iterable[tuple[Sequence[Occurrence], Sequence[str], Sequence[Sequence[str]]]],
    num_systems: int,
) -> Scores:
    """Recall of references' n-grams by size and category.

    Args:
        sentences: for each the reference's n-grams, its tokens, and each system's tokens.
    """
    by_sentence = []
    for ngrams, reference, hypotheses in sentences:
        recall = recall_of_spans([(one.start, one.end) for one in ngrams], reference, hypotheses)
        sums = defaultdict[tuple[str, str], np.ndarray](lambda: np.zeros(1 + num_systems))
        for ngram, shares in zip(ngrams, recall.T, strict=True):
            for category in (ALL, ngram.category):
                sums[ngram.size, category] += [1, *shares]
        by_sentence.append(sums)
    # By size (`phrase` is longer than any number), `all` first, then alphabetically.
    cells = sorted(
        {cell for sums in by_sentence for cell in sums},
        key=lambda cell: (len(cell[0]), cell[0], cell[1] != ALL, cell[1]),
    )
    statistics = np.zeros((len(by_sentence), num_systems, len(cells), 5))
    for row, sums in enumerate(by_sentence):
        for f, cell in enumerate(cells):
            if cell in sums:
                counted, *found = sums[cell]
                statistics[row, :, f, 0] = found
                statistics[row, :, f, [1, 4]] = counted
    named = [{"n": size, "category": category} for size, category in cells]
    return Scores(named, statistics)
