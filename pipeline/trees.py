"""Bracketed constituency trees, `(ROOT (S (NP (NNP Bush)) (VP (VBD spoke))))`: read and write them.

Nothing here recurses, so the depth of a tree is bounded by memory alone, and every function takes
time in proportion to the tree. Only space, tab, carriage return and line feed separate the parts
of a tree; any other character, U+00A0 or U+2028 too, belongs to a word or a label.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import NoReturn

from mgsa.base.errors import InputError
from mgsa.base.io import read_lines

ROOT, FRAGMENT, UNKNOWN = "ROOT", "FRAG", "X"
"""Labels of a flat tree: the wrapper, the PTB's fragment, and its tag for what cannot be tagged."""

WRAPPERS = frozenset({"ROOT", "TOP", ""})
"""Labels of a node that merely wraps the top node of a tree."""

_ESCAPES = {
    "(": "-LRB-", ")": "-RRB-", "[": "-LSB-", "]": "-RSB-", "{": "-LCB-", "}": "-RCB-",
}  # fmt: skip
_ESCAPE = str.maketrans(_ESCAPES)
_UNESCAPE = {escape: bracket for bracket, escape in _ESCAPES.items()}
_ANY_ESCAPE = re.compile("|".join(_UNESCAPE))

_AFTER_LABEL = re.compile("[-=|]")

# The possessive `++` and `*+` keep the pattern linear: what they took is never tried shorter.
_PART = re.compile(
    r"""
      \( [ \t\r\n]*+ ([^ \t\r\n()]++) [ \t\r\n]++ ([^ \t\r\n()]++) [ \t\r\n]*+ \)  # 1 tag, 2 word
    | \( [ \t\r\n]*+ ([^ \t\r\n()]*+)                                              # 3 label
    | (\))                                                                         # 4
    | ([^ \t\r\n()]++)                                                             # 5 stray word
    """,
    re.VERBOSE,
)
_PRETERMINAL, _OPEN, _CLOSE = 2, 3, 4


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Tree:
    """A node of a constituency tree: a label over children, or a part of speech over its word.

    Exactly one of `children` and `word` is given; a node with a word is a preterminal. The word is
    as it stands in the brackets: `-LRB-`, not `(`.
    """

    label: str
    children: tuple[Tree, ...] = ()
    word: str | None = None

    def __post_init__(self) -> None:
        if (self.word is None) == (not self.children):
            raise ValueError(f"({self.label}: expected either children or a word")

    def preterminals(self) -> Iterator[Tree]:
        """The parts of speech over their words, from the left."""
        waiting = [self]
        while waiting:
            node = waiting.pop()
            if node.children:
                waiting.extend(node.children[::-1])
            else:
                yield node

    def leaves(self) -> list[str]:
        """The words from the left, escaped as they stand in the brackets."""
        return [node.word for node in self.preterminals() if node.word is not None]

    def __str__(self) -> str:
        """The tree on one line: one space before every child and word, no other."""
        pieces: list[str] = []
        waiting: list[Tree | str] = [self]
        while waiting:
            node = waiting.pop()
            if isinstance(node, str):
                pieces.append(node)
            elif node.children:
                pieces.append(f" ({node.label}")
                waiting.append(")")
                waiting.extend(node.children[::-1])
            else:
                pieces.append(f" ({node.label} {node.word})")
        return "".join(pieces)[1:]

    def __repr__(self) -> str:
        return f"read_tree({str(self)!r})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Tree):
            return NotImplemented
        waiting = [(self, other)]
        while waiting:
            mine, its = waiting.pop()
            if (
                mine.label != its.label
                or mine.word != its.word
                or len(mine.children) != len(its.children)
            ):
                return False
            waiting.extend(zip(mine.children, its.children, strict=True))
        return True

    def __hash__(self) -> int:
        return hash(str(self))

    def __reduce__(self) -> tuple[object, tuple[str]]:
        # Pickle would recurse into the children; text is smaller and quicker besides.
        return read_tree, (str(self),)


def read_tree(
    text: str, *, path: str | PathLike[str] | None = None, line: int | None = None
) -> Tree:
    """The one tree that `text` holds.

    Only the outermost bracket may lack a label, as in the PTB's `( (S …))`.

    Args:
        path: the file that errors name.
        line: the line of it on which `text` starts.

    Raises:
        InputError: there is no tree, brackets don't balance, something follows the tree, a bracket
            is empty or unlabelled, or a word has no part of speech to itself.
    """
    children: list[Tree] = []  # of the bracket that is open
    outer: list[tuple[str, list[Tree], int]] = []  # its label, siblings and offset, and outer ones
    for match in _PART.finditer(text):
        kind = match.lastindex
        if not outer and children:
            _fail("expected one tree, found more after it", match.start(), text, path, line)
        if kind == _PRETERMINAL:
            children.append(Tree(match[1], (), match[2]))
        elif kind == _OPEN:
            label = match[3]
            if not label and outer:
                _fail("expected a label after (", match.start(), text, path, line)
            outer.append((label, children, match.start()))
            children = []
        elif kind == _CLOSE:
            if not outer:
                _fail("unbalanced ): expected (", match.start(), text, path, line)
            label, siblings, start = outer.pop()
            if not children:
                _fail(f"nothing in ({label}): expected a word or brackets", start, text, path, line)
            siblings.append(Tree(label, tuple(children)))
            children = siblings
        else:
            _fail_at_word(match, outer, text, path, line)
    if outer:
        label, _, start = outer[-1]
        _fail(f"unbalanced: {len(outer)} ) missing, first for ({label}", start, text, path, line)
    if not children:
        _fail("expected a bracketed tree, found none", 0, text, path, line)
    return children[0]


def _fail_at_word(
    match: re.Match[str],
    outer: list[tuple[str, list[Tree], int]],
    text: str,
    path: str | PathLike[str] | None,
    line: int | None,
) -> NoReturn:
    """Say why a word may not stand where `match` found it: it is not alone in its bracket."""
    if not outer:
        message = f"expected (, found {match[0]!r}"
    elif not text[match.end() :].strip(" \t\r\n"):
        message = f"unbalanced: {len(outer)} ) missing after {match[0]!r}"
    else:
        message = f"word {match[0]!r} without a part of speech: expected (TAG {match[0]})"
    _fail(message, match.start(), text, path, line)


def _fail(
    message: str, offset: int, text: str, path: str | PathLike[str] | None, line: int | None
) -> NoReturn:
    """Raise an error that names file, line and column of `offset` in `text`."""
    line_start = text.rfind("\n", 0, offset) + 1
    if line is not None:
        line += text.count("\n", 0, offset)
    raise InputError(f"column {offset - line_start + 1}: {message}", path=path, line=line)


def read_trees(path: Path) -> Iterator[Tree]:
    """The trees of a file that has one on every line, as they are read.

    Raises:
        InputError: a line, an empty one included, is not one tree; the file is missing or not
            UTF-8.
    """
    for number, line in enumerate(read_lines(path), start=1):
        yield read_tree(line, path=path, line=number)


def read_treebank(path: Path) -> Iterator[Tree]:
    """The trees of a treebank's file (`.mrg`), as they are read: each on one line or on several.

    A line that starts with `(` starts a tree; lines that go on with it are indented, as in the
    PTB. So a missing bracket is an error in its own tree, not at the end of the file. Empty lines
    are skipped.

    Raises:
        InputError: as for `read_tree`; the file is missing, not UTF-8, or has no tree.
    """
    lines: list[str] = []
    start = 1
    found = False
    for number, line in enumerate(read_lines(path), start=1):
        if line.startswith("(") and lines:
            yield read_tree("\n".join(lines), path=path, line=start)
            lines = []
        if lines or line.strip(" \t\r"):
            if not lines:
                start, found = number, True
            lines.append(line)
    if not found:
        raise InputError("expected bracketed trees, found none", path=path)
    yield read_tree("\n".join(lines), path=path, line=start)


def top_node(tree: Tree) -> Tree:
    """The tree without its wrapper: what a ROOT, TOP or unlabelled node has as its only child."""
    while tree.label in WRAPPERS and len(tree.children) == 1:
        (tree,) = tree.children
    return tree


def plain_label(label: str) -> str:
    """A label without its function and its index: `NP` of `NP-SBJ-1`, `ADVP` of `ADVP|PRT`.

    A label that starts with a dash (`-LRB-`) is a whole.
    """
    return label if label.startswith("-") else _AFTER_LABEL.split(label, maxsplit=1)[0] or label


def flat_tree(tokens: Sequence[str], tag: str = UNKNOWN) -> Tree:
    """`(ROOT (FRAG (X w1) (X w2) …))`: what stands in for a sentence that no parser could take."""
    words = tuple(Tree(tag, (), escape_token(token)) for token in tokens)
    return Tree(ROOT, (Tree(FRAGMENT, words),))


def escape_token(token: str) -> str:
    """The token as a leaf: `(` becomes `-LRB-`, and so on for `)`, `[`, `]`, `{`, `}` inside it.

    A token that is spelled `-LRB-` in the text stays so: as leaves, it and `(` are the same.
    """
    return token.translate(_ESCAPE)


def unescape_token(leaf: str) -> str:
    """The leaf with its brackets back; what was spelled `-LRB-` in the text becomes `(` as well."""
    return _ANY_ESCAPE.sub(lambda match: _UNESCAPE[match[0]], leaf)


def check_leaves(
    tree: Tree,
    tokens: Sequence[str],
    *,
    path: str | PathLike[str] | None = None,
    line: int | None = None,
) -> None:
    """Check that leaves and tokens agree one to one, both in their escaped form.

    Raises:
        InputError: they don't; the first position (from 1) that differs is named.
    """
    leaves = tree.leaves()
    if leaves == tokens:
        return
    for position, (leaf, token) in enumerate(zip(leaves, tokens, strict=False), start=1):
        if escape_token(leaf) != escape_token(token):
            raise InputError(
                f"leaf {position} of the tree is {leaf!r}: expected the token {token!r}",
                path=path,
                line=line,
            )
    if len(leaves) != len(tokens):
        position = min(len(leaves), len(tokens)) + 1
        raise InputError(
            f"the tree has {len(leaves)} leaves: expected {len(tokens)}, one for each token; they "
            f"differ from position {position}",
            path=path,
            line=line,
        )
