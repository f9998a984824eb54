"""A tree is drawn as it is: every node, over its words, with no lines that cross."""

from __future__ import annotations

import re
from itertools import pairwise

from hypothesis import given
from nltk.tree import Tree

from pipeline.report_page.charts.tree_drawing import TreeDrawing, draw_tree
from pipeline.trees import read_tree, unescape_token
from tests.report_folders import comb
from tests.strategies import trees

BUSH = (
    "(ROOT (S (NP (NNP Bush)) (VP (VBD held) (NP (DT a) (NN talk)) (PP (IN with) (-LRB- -LRB-)))))"
)
_SEGMENT = re.compile(r"M([\d.]+) ([\d.]+)([VH])([\d.]+)")


def segments(drawing: TreeDrawing) -> list[tuple[float, float, float, float]]:
    """The straight lines: x and y of both ends."""
    found = []
    for x, y, direction, to in _SEGMENT.findall(drawing.lines):
        end = (float(to), float(y)) if direction == "H" else (float(x), float(to))
        found.append((float(x), float(y), *end))
    return found


def test_a_tree_that_a_person_can_check() -> None:
    drawing = draw_tree(read_tree(BUSH))
    assert [word.text for word in drawing.words] == ["Bush", "held", "a", "talk", "with", "("]
    assert [word.x for word in drawing.words] == sorted(word.x for word in drawing.words)
    assert len({word.y for word in drawing.words}) == 1
    nodes = {node.text: node for node in drawing.nodes}
    assert [node.text for node in drawing.nodes][:4] == ["ROOT", "S", "NP", "NNP"]
    assert nodes["ROOT"].y < nodes["S"].y < nodes["VP"].y < nodes["VBD"].y
    assert nodes["PP"].x == (nodes["IN"].x + nodes["-LRB-"].x) / 2
    assert nodes["NNP"].x == drawing.words[0].x
    assert (nodes["VP"].family, nodes["PP"].family) == ("verb", "preposition")


@given(trees())
def test_nothing_overlaps_and_no_lines_cross(tree: Tree) -> None:
    drawing = draw_tree(tree)
    assert [word.text for word in drawing.words] == [
        word if len(word) <= 40 else f"{word[:39]}…" for word in map(unescape_token, tree.leaves())
    ]
    for row in {node.y for node in drawing.nodes}:
        of_row = sorted((n for n in drawing.nodes if n.y == row), key=lambda node: node.x)
        for left, right in pairwise(of_row):
            assert left.x + left.width / 2 < right.x - right.width / 2 + 0.2
    for left, right in zip(drawing.words, drawing.words[1:], strict=False):
        assert left.x + left.width / 2 < right.x - right.width / 2 + 0.2
    assert all(n.x - n.width / 2 >= 0 and n.x + n.width / 2 <= drawing.width for n in drawing.nodes)
    lines = segments(drawing)
    across = [(x, y, to) for x, y, to, end in lines if y == end and x != to]
    down = [(x, y, end) for x, y, to, end in lines if x == to]
    for first, height, last in across:
        for x, top, bottom in down:
            assert not (first + 0.1 < x < last - 0.1 and top + 0.1 < height < bottom - 0.1)


def test_a_sentence_of_35_words_and_a_deep_tree() -> None:
    drawing = draw_tree(comb([f"word{i}" for i in range(35)]))
    assert len(drawing.words) == 35
    assert drawing.width > 35 * 40
    tree = Tree("X", ["w"])
    for _ in range(5000):
        tree = Tree("X", [tree])
    assert len(draw_tree(tree).nodes) == 5001
