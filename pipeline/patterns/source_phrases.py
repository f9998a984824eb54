"""Which source phrase an n-gram of the reference is aligned to: its syntactic category.

The category of an n-gram is the label of the smallest constituent of the source tree that covers
every source word which a word of the n-gram is linked to; of one word that is its part of speech.
N-grams without a link are `unaligned`. Of constituents that cover the same words (a unary chain)
the lowest is the smallest. The wrapper of a tree is no constituent. Functions and indices of labels
(`NP-SBJ-1`) are left out, as a parser leaves them out: gold trees have the same categories.

Besides n-grams of fixed sizes there are those that a whole phrase was translated to: a constituent
of two words or more and the target words from the first to the last that is linked to it, where
none of these is linked to a word outside of the constituent (phrase pairs as Koehn, Och & Marcu
2003 extract them, without the unaligned words around them).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from typing import NamedTuple

from mgsa.alignment.pharaoh import Link
from pipeline.trees import Tree, plain_label, top_node

UNALIGNED = "unaligned"
PHRASE = "phrase"
"""What stands for the size of an n-gram that a phrase was translated to."""

Constituents = Mapping[tuple[int, int], str]
"""The lowest label over each stretch of words, what is inside another before it."""


class Occurrence(NamedTuple):
    """An n-gram of a reference: its size, or `phrase`; its words; its category."""

    size: str
    start: int
    end: int
    category: str


def occurrences(
    tree: Tree, links: Set[Link], target_words: int, sizes: Sequence[int]
) -> list[Occurrence]:
    """Every n-gram of these sizes in a reference of so many words, then its phrases.

    Args:
        tree: of the source.
        links: source and target word each, from 0, inside the pair.
    """
    constituents = find_constituents(tree)
    sources: list[set[int]] = [set() for _ in range(target_words)]
    for source, target in links:
        sources[target].add(source)
    found = []
    for size in sizes:
        for start in range(target_words - size + 1):
            linked = set[int]().union(*sources[start : start + size])
            category = smallest_over(linked, constituents) if linked else UNALIGNED
            found.append(Occurrence(str(size), start, start + size, category))
    found += aligned_phrases(constituents, sources)
    return found


def find_constituents(tree: Tree) -> Constituents:
    """The constituents of a tree, parts of speech over single words included."""
    constituents: dict[tuple[int, int], str] = {}
    position = 0
    waiting: list[tuple[Tree, int | None]] = [(top_node(tree), None)]
    while waiting:
        node, start = waiting.pop()
        if start is not None:  # all below it is done
            constituents.setdefault((start, position), plain_label(node.label))
        elif node.children:
            waiting.append((node, position))
            waiting.extend((child, None) for child in reversed(node.children))
        else:
            constituents[position, position + 1] = plain_label(node.label)
            position += 1
    return constituents


def smallest_over(words: Set[int], constituents: Constituents) -> str:
    """The label of the smallest constituent over all of some words."""
    first, last = min(words), max(words)
    # Those over the same words lie in one another, the innermost first.
    return next(
        label for (start, end), label in constituents.items() if start <= first and last < end
    )


def aligned_phrases(
    constituents: Constituents, sources: Sequence[Set[int]]
) -> Iterator[Occurrence]:
    """The phrases of a reference that constituents of two words or more were translated to.

    Args:
        sources: of each target word, the source words that it is linked to.
    """
    for (start, end), label in constituents.items():
        inside = range(start, end)
        linked = [i for i, words in enumerate(sources) if any(word in inside for word in words)]
        if end - start < 2 or not linked:
            continue
        first, last = linked[0], linked[-1] + 1
        if all(word in inside for words in sources[first:last] for word in words):
            yield Occurrence(PHRASE, first, last, label)
