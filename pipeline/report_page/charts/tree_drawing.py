"""A constituency tree as a drawing: words on one line, every node over its children.

A node is joined to its children by a line down, one across and one down to each. Its part of the
width is its own, and the line across is above all that is deeper, so no two lines cross.
Nothing here recurses.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING

from pipeline.report_page.charts.text_width import shorten, text_width
from pipeline.report_page.tags import family
from pipeline.trees import children, is_preterminal, unescape_token

if TYPE_CHECKING:
    from nltk.tree import Tree

LABEL_SIZE, WORD_SIZE = 12, 14
ROW, GAP, MARGIN = 38, 14, 8
"""Height of a level; room between words; around the whole."""
LONGEST_WORD = 40


@dataclass(frozen=True)
class Label:
    """A node's label, or a word: its middle, its base line, and the room it takes."""

    text: str
    x: float
    y: float
    width: float
    family: str


@dataclass(frozen=True)
class TreeDrawing:
    """What to draw, in CSS pixels."""

    width: float
    height: float
    nodes: tuple[Label, ...]
    words: tuple[Label, ...]
    lines: str


@dataclass
class _Node:
    """A node while it is laid out: its words are `first` to `last`, end exclusive."""

    tree: Tree
    parent: int
    depth: int
    first: int = 0
    last: int = 0
    x: float = 0.0


def draw_tree(tree: Tree) -> TreeDrawing:
    """Lay out a tree."""
    nodes = _nodes_with_words(tree)
    widths = [
        max(text_width(_word(node), WORD_SIZE), _label_width(node)) + GAP
        for node in nodes
        if is_preterminal(node.tree)
    ]
    for node in reversed(nodes):  # children come after their parents
        lack = _label_width(node) + GAP - sum(widths[node.first : node.last])
        if lack > 0:
            for column in range(node.first, node.last):
                widths[column] += lack / (node.last - node.first)
    edges = [MARGIN, *accumulate(widths, initial=MARGIN)][1:]
    depth = max(node.depth for node in nodes)
    children: dict[int, list[int]] = {}
    for number in reversed(range(len(nodes))):
        node = nodes[number]
        below = children.get(number, [])
        if below:
            node.x = (nodes[below[-1]].x + nodes[below[0]].x) / 2
        else:
            node.x = (edges[node.first] + edges[node.last]) / 2
        children.setdefault(node.parent, []).append(number)
    word_line = MARGIN + (depth + 1) * ROW + WORD_SIZE
    return TreeDrawing(
        width=round(edges[-1] + MARGIN, 1),
        height=round(word_line + MARGIN, 1),
        nodes=tuple(_label(node) for node in nodes),
        words=tuple(
            Label(
                _word(node),
                round(node.x, 1),
                word_line,
                round(widths[node.first] - GAP, 1),
                family(node.tree.label()),
            )
            for node in nodes
            if is_preterminal(node.tree)
        ),
        lines="".join(
            _joined(node, [nodes[child] for child in children.get(number, [])], word_line)
            for number, node in enumerate(nodes)
        ),
    )


def _nodes_with_words(tree: Tree) -> list[_Node]:
    """All nodes, each before its children and these from the left, with the words below each."""
    nodes: list[_Node] = []
    waiting = [(tree, -1, 0)]
    num_words = 0
    while waiting:
        subtree, parent, depth = waiting.pop()
        node = _Node(subtree, parent, depth, first=num_words)
        waiting.extend((child, len(nodes), depth + 1) for child in reversed(children(subtree)))
        if is_preterminal(subtree):
            num_words += 1
            node.last = num_words
        nodes.append(node)
    for node in reversed(nodes):
        if node.parent >= 0:
            parent_node = nodes[node.parent]
            parent_node.last = max(parent_node.last, node.last)
    return nodes


def _word(node: _Node) -> str:
    return shorten(unescape_token(node.tree[0]), LONGEST_WORD)


def _label_width(node: _Node) -> float:
    return text_width(node.tree.label(), LABEL_SIZE) + 8


def _label(node: _Node) -> Label:
    return Label(
        node.tree.label(),
        round(node.x, 1),
        round(_middle(node) + LABEL_SIZE * 0.36, 1),
        round(_label_width(node), 1),
        family(node.tree.label()),
    )


def _middle(node: _Node) -> float:
    """The height of the middle of a node's label."""
    return MARGIN + node.depth * ROW + LABEL_SIZE * 0.8


def _joined(node: _Node, children: list[_Node], word_line: float) -> str:
    """The lines from a node to what is below it."""
    start = _middle(node) + LABEL_SIZE * 0.8
    if not children:
        return f"M{node.x:.1f} {start:.1f}V{word_line - WORD_SIZE:.1f}"
    bus = start + (ROW - LABEL_SIZE * 1.6) / 2
    end = _middle(children[0]) - LABEL_SIZE * 0.8
    pieces = [f"M{node.x:.1f} {start:.1f}V{bus:.1f}"]
    xs = [child.x for child in children]
    if len(xs) > 1:
        pieces.append(f"M{min(xs):.1f} {bus:.1f}H{max(xs):.1f}")
    pieces += [f"M{x:.1f} {bus:.1f}V{end:.1f}" for x in xs]
    return "".join(pieces)
