"""Categories of n-grams and their counts: by hand, and by brute force on any tree."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from nltk.tree import Tree

from pipeline.formats.links import read_links
from pipeline.formats.trees import children, plain_label, read_tree, top_node
from pipeline.phrasal_patterns.categories import (
    ALL,
    PHRASE,
    UNALIGNED,
    Occurrence,
    category_scores,
    occurrences,
)
from tests.strategies import trees

BUSH = (
    "(ROOT (S (NP (NNP Bush)) (VP (VBD held) (NP (DT a) (NN talk)) (PP (IN with) (NNP Sharon)))))"
)
"""Figure 1 of Hao et al. 2019."""


@pytest.mark.parametrize(
    ("links", "size", "expected"),
    [
        # Bush hat mit Sharon gesprochen: held-hat, a talk-gesprochen
        ("0-0 1-1 4-2 5-3 3-4", 1, ["NNP", "VBD", "IN", "NNP", "NN", UNALIGNED]),
        # Bush hat: S; hat mit: VP; mit Sharon: PP; Sharon gesprochen: VP; gesprochen …: NN
        ("0-0 1-1 4-2 5-3 3-4", 2, ["S", "VP", "PP", "VP", "NN"]),
        # held a talk-sprach: what covers all three, with a gap between them or not
        ("0-0 1-2 2-2 3-2", 1, ["NNP", UNALIGNED, "VP", *[UNALIGNED] * 3]),
        ("0-0 1-2 3-2", 1, ["NNP", UNALIGNED, "VP", *[UNALIGNED] * 3]),
    ],
)
def test_categories_by_hand(links: str, size: int, expected: list[str]) -> None:
    found = occurrences(read_tree(BUSH), set(read_links(links)), 6, [size])
    assert [one.category for one in found if one.size != PHRASE] == expected


def test_the_lowest_of_a_unary_chain_is_the_smallest_and_labels_are_plain() -> None:
    tree = read_tree("( (S-1 (NP-SBJ-2 (NP (NN-X dog)) (-LRB- -LRB-)) (VP=2 (VBD ate))))")
    found = occurrences(tree, {(0, 0), (1, 1), (2, 2)}, 3, [1, 2])
    assert [one.category for one in found] == ["NN", "-LRB-", "VBD", "NP", "S", "NP", "S"]


@st.composite
def aligned(draw: st.DrawFn) -> tuple[Tree, set[tuple[int, int]], int]:
    """A tree, links, and the number of target words."""
    tree = draw(trees(st.just("w"), max_leaves=8))
    target_words = draw(st.integers(1, 7))
    ends = st.tuples(st.integers(0, len(tree.leaves()) - 1), st.integers(0, target_words - 1))
    return tree, draw(st.sets(ends, max_size=10)), target_words


def nodes(tree: Tree, start: int = 0, depth: int = 0) -> list[tuple[int, int, int, str]]:
    """Every node: the width of what is below it, minus its depth, where that starts, its label."""
    found, end = [], start
    for child in children(tree):
        found += nodes(child, end, depth + 1)
        end += len(child.leaves())
    return [*found, (len(tree.leaves()), -depth, start, plain_label(tree.label()))]


@given(aligned())
def test_every_ngram_has_the_smallest_constituent_over_its_links(
    drawn: tuple[Tree, set[tuple[int, int]], int],
) -> None:
    tree, links, target_words = drawn
    sizes = range(1, 5)
    found = [one for one in occurrences(tree, links, target_words, sizes) if one.size != PHRASE]
    assert [(one.size, one.start, one.end) for one in found] == [
        (str(size), start, start + size)
        for size in sizes
        for start in range(target_words)
        if start + size <= target_words
    ]
    for one in found:
        words = {source for source, target in links if one.start <= target < one.end}
        over = [
            node
            for node in nodes(top_node(tree))
            if words and words <= set(range(node[2], node[2] + node[0]))
        ]
        assert one.category == (min(over)[3] if over else UNALIGNED)


@given(aligned())
def test_phrases_are_linked_to_nothing_outside(
    drawn: tuple[Tree, set[tuple[int, int]], int],
) -> None:
    """Those, and all those, whose first and last words are linked to the constituent."""
    tree, links, target_words = drawn
    found = [one for one in occurrences(tree, links, target_words, []) if one.size == PHRASE]
    spans = {(start, start + width) for width, _, start, _ in nodes(top_node(tree)) if width > 1}
    expected = []
    for start, end in spans:
        inside = {target for source, target in links if start <= source < end}
        outside = {target for source, target in links if not start <= source < end}
        if inside and not outside & set(range(min(inside), max(inside) + 1)):
            expected.append((min(inside), max(inside) + 1))
    assert sorted((one.start, one.end) for one in found) == sorted(expected)


DOG = "(S (NP (DT the) (NN dog)) (VP (VBZ sees) (NP (DT the) (NN cat))))"
REFERENCE = ["der", "Hund", "sieht", "der", "Katze"]  # with one word too often


def test_a_sentence_by_hand() -> None:
    """Links: the-der, dog-Hund, sees-sieht; cat-Katze; nothing-der."""
    links = set(read_links("0-0 1-1 2-2 4-4"))
    systems = [["der", "Hund", "sieht", "Katze"], ["Hund", "sieht", "der", "der"]]
    sentence = occurrences(read_tree(DOG), links, 5, [2, 1]), REFERENCE, systems
    other = [Occurrence("1", 0, 1, "NN")], ["ja"], [["ja"], list[str]()]
    scores = category_scores([sentence, other], 2)
    cells = [(cell["n"], cell["category"]) for cell in scores.cells]
    assert cells == [
        *(("1", ALL), ("1", "DT"), ("1", "NN"), ("1", "VBZ"), ("1", "unaligned")),
        *(("2", ALL), ("2", "NN"), ("2", "NP"), ("2", "S"), ("2", "VBZ")),
        *(("phrase", ALL), ("phrase", "NP"), ("phrase", "S"), ("phrase", "VP")),
    ]
    of_both = [
        {cell: [row[0, f, 1], *row[:, f, 0]] for f, cell in enumerate(cells) if row[0, f, 4]}
        for row in scores.statistics
    ]
    assert of_both[0] == {
        # "der" twice: one that a system has is half of each; two are all of each
        ("1", ALL): [5, 4, 4],
        ("1", "DT"): [1, 0.5, 1],
        ("1", "NN"): [2, 2, 1],
        ("1", "VBZ"): [1, 1, 1],
        ("1", "unaligned"): [1, 0.5, 1],
        # der Hund: NP, Hund sieht: S, sieht der: VBZ, der Katze: NN
        ("2", ALL): [4, 2, 2],
        ("2", "NN"): [1, 0, 0],
        ("2", "NP"): [1, 1, 0],
        ("2", "S"): [1, 1, 1],
        ("2", "VBZ"): [1, 0, 1],
        # der Hund: NP, Katze: NP, sieht der Katze: VP, all: S
        ("phrase", ALL): [4, 2, 0],
        ("phrase", "NP"): [2, 2, 0],
        ("phrase", "S"): [1, 0, 0],
        ("phrase", "VP"): [1, 0, 0],
    }
    assert of_both[1] == {("1", ALL): [1, 1, 0], ("1", "NN"): [1, 1, 0]}
