"""Bracketed constituency trees, `(ROOT (S (NP (NNP Bush)) (VP (VBD spoke))))`, as NLTK's `Tree`.

A node is a label over nodes, or a preterminal: a part of speech over its word, escaped (`-LRB-`).
Space, tab, carriage return and line feed separate the parts of a tree; other white space (U+00A0,
U+2028) may stand in a word, and a backslash is a character like others.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from mgsa.cli.errors import InputError
from mgsa.cli.files import read_lines
from pipeline.formats.text import split_tokens

if TYPE_CHECKING:
    from nltk.tree import Tree

PARSER = "parser.json"
"""Which parser it is, in its folder and in those of its trees and their phrases."""
ROOT, FRAGMENT, UNKNOWN = "ROOT", "FRAG", "X"
"""Labels of a flat tree: the wrapper, the PTB's fragment, and its tag for what cannot be tagged."""

WRAPPERS = frozenset({"ROOT", "TOP", "S1", "VROOT", ""})
"""Labels of a node that merely wraps the top node of a tree."""

_ESCAPES = {
    "(": "-LRB-", ")": "-RRB-", "[": "-LSB-", "]": "-RSB-", "{": "-LCB-", "}": "-RCB-",
}  # fmt: skip
_ESCAPE = str.maketrans(_ESCAPES)
_UNESCAPE = {escape: bracket for bracket, escape in _ESCAPES.items()}
_ANY_ESCAPE = re.compile("|".join(_UNESCAPE))
_AFTER_LABEL = re.compile("[-=|]")
_SPACE, _WORD = r"[ \t\r\n]", r"[^ \t\r\n()]"
_PART = re.compile(rf"\({_SPACE}*+([^\s()]*+)(?:{_SPACE}++({_WORD}++){_SPACE}*+\))?|(\))|{_WORD}++")
"""`(LABEL` or `(TAG word)`; `)`; a word that is out of place."""
_BRACKET = re.compile("[()]")
_TAG_AND_WORD = re.compile(rf"\({_SPACE}*+[^\s()]++{_SPACE}++{_WORD}")
_SPACES = " \t\r"


def read_tree(
    text: str, *, path: str | PathLike[str] | None = None, line: int | None = None
) -> Tree:
    """The one tree in `text`.

    Only the outermost bracket may lack a label, as in the PTB's `( (S …))`.

    Raises:
        InputError: no tree or several, unbalanced, empty or unlabelled brackets, a word without a
            part of speech, or nodes nested hundreds deep.
    """
    # NLTK's own reader accepts words beside nodes.
    from nltk.tree import Tree
    from nltk.tree.tree import MAX_TREE_DEPTH

    unclosed = [Tree("", [])]
    fault = ""
    for part in _PART.finditer(text):
        label, word, closing = part.groups()
        if word:
            unclosed[-1].append(Tree(label, [word]))
        elif closing and unclosed[-1] and len(unclosed) > 1:
            unclosed.pop()
        elif label or (label is not None and len(unclosed) == 1):
            node = Tree(label, [])
            unclosed[-1].append(node)
            unclosed.append(node)
        else:
            before = text[: part.start()]
            line = None if line is None else line + before.count("\n")
            column = len(before) - before.rfind("\n")
            fault = f"column {column}: expected (LABEL (…) …) or (TAG word), found {part[0]!r}"
            break
        if len(unclosed) > MAX_TREE_DEPTH:
            fault = f"expected at most {MAX_TREE_DEPTH} nodes in one another"
            break
    whole, *others = unclosed
    if not fault and (others or len(whole) != 1):
        found = "an unclosed bracket" if others else f"{len(whole)}"
        fault = f"expected one bracketed tree, found {found}"
    if fault:
        raise InputError(fault, path=path, line=line)
    tree: Tree = whole[0]
    return tree


def read_parse(brackets: str, text: str, *, path: Path, tokens_path: Path, line: int) -> Tree:
    """The tree `brackets` of the tokenised sentence `text`.

    Raises:
        InputError: as for `read_tree`, `split_tokens` and `check_leaves`.
    """
    tree = read_tree(brackets, path=path, line=line)
    check_leaves(tree, split_tokens(text, path=tokens_path, line=line), path=path, line=line)
    return tree


def read_treebank(path: Path) -> Iterator[Tree]:
    """Yield the trees of a treebank file (`.mrg`), laid out in any way; errors as below."""
    return (tree for _, tree in read_numbered_trees(path))


def read_numbered_trees(path: Path) -> Iterator[tuple[int, Tree]]:
    """Yield the trees of a treebank file, each with the number of its first line.

    A line may hold several, or a part of one. Between trees, lines of markup are skipped
    (`<S ID=1>`, as in the Chinese Treebank).

    Raises:
        InputError: as for `read_tree`; the file is missing, not UTF-8, or has no tree; text outside
            the trees; a tree's words are numbered, as those of discontinuous trees are.
    """
    parts: list[str] = []
    start = depth = 0
    markup = ""
    for number, line in enumerate(read_lines(path), start=1):
        rest = 0
        for bracket in _BRACKET.finditer(line):
            if not depth:
                if bracket[0] == ")" or line[rest : bracket.start()].strip(_SPACES):
                    break
                rest, start = bracket.start(), number
            depth += 1 if bracket[0] == "(" else -1
            if not depth:
                parts.append(" " * rest * (not parts) + line[rest : bracket.end()])
                yield start, _tree_of_bank("\n".join(parts), path, start)
                parts, rest = [], bracket.end()
        if depth:
            parts.append(" " * rest * (not parts) + line[rest:])
        elif left := line[rest:].strip(_SPACES):
            markup = markup or repr(left[:40])
            if not (left.startswith("<") and left.endswith(">")):
                expected = f"expected bracketed trees, (LABEL (…) …), found {left[:40]!r}"
                raise InputError(expected, path=path, line=number)
    if depth:
        found = "found an unclosed bracket"
        raise InputError(f"expected one bracketed tree, {found}", path=path, line=start)
    if not start:
        raise InputError(f"expected bracketed trees, found {markup or 'none'}", path=path)


def _tree_of_bank(text: str, path: Path, line: int) -> Tree:
    tree = read_tree(text, path=path, line=line)
    numbers = [leaf.partition("=")[0] for leaf in tree.leaves() if "=" in leaf]
    if sorted(numbers) == sorted(map(str, range(len(tree.leaves())))):
        found = f"found {tree.leaves()[0]!r}, as in trees with crossing brackets (discbracket)"
        raise InputError(f"expected words, {found}", path=path, line=line)
    return tree


def is_failed_parse(line: str) -> bool:
    """Whether a line is blank, or brackets and labels without a word, such as `(())`."""
    return line.strip(_SPACES)[:1] in ("", "(") and not _TAG_AND_WORD.search(line)


def bracketed(tree: Tree) -> str:
    """The tree on one line: one space before every child and word, no other."""
    return str(tree.pformat(margin=sys.maxsize))


def is_preterminal(tree: Tree) -> bool:
    """Whether a node is a part of speech over its word."""
    return isinstance(next(iter(tree)), str)


def preterminals(tree: Tree) -> list[Tree]:
    """Preterminals from left to right."""
    return list(tree.subtrees(is_preterminal))


def put_words(tree: Tree, words: Sequence[str]) -> Tree:
    """Replace the words of a tree in place, escaped; return the tree."""
    for leaf, word in zip(preterminals(tree), words, strict=True):
        leaf[0] = escape_token(word)
    return tree


def children(tree: Tree) -> list[Tree]:
    """The nodes below a node: none below a preterminal."""
    return [] if is_preterminal(tree) else list(tree)


def top_node(tree: Tree) -> Tree:
    """The tree without its wrapper, a node of one child that `WRAPPERS` names."""
    while tree.label() in WRAPPERS and len(tree) == 1 and not is_preterminal(tree):
        (tree,) = tree
    return tree


def plain_label(label: str) -> str:
    """A label without function and index: `NP` of `NP-SBJ-1`, `ADVP` of `ADVP|PRT`, not `-LRB-`."""
    return label if label.startswith("-") else _AFTER_LABEL.split(label, maxsplit=1)[0] or label


class Constituent(NamedTuple):
    """A node of a tree: its label without functions, its words, its children, its level."""

    label: str
    span: tuple[int, int]  #: its first word, and the one after the last.
    children: list[Constituent]
    level: int  #: of the partition that has it as a phrase, from 1; 0 is the whole sentence.


def constituents(tree: Tree) -> list[Constituent]:
    """All constituents, children before their parents."""
    found: list[Constituent] = []

    def add(node: Tree, start: int, level: int) -> Constituent:
        end, below = start + is_preterminal(node), []
        for child in children(node):
            below.append(add(child, end, level + 1))
            end = below[-1].span[1]
        found.append(Constituent(plain_label(node.label()), (start, end), below, level))
        return found[-1]

    add(top_node(tree), 0, 0)
    return found


def flat_tree(tokens: Sequence[str]) -> Tree:
    """`(ROOT (FRAG (X w1) (X w2) …))`, for a sentence without a parse."""
    from nltk.tree import Tree

    words = [Tree(UNKNOWN, [escape_token(token)]) for token in tokens]
    return Tree(ROOT, [Tree(FRAGMENT, words)])


def escape_token(token: str) -> str:
    """The token as a leaf: `(` in it becomes `-LRB-`, and so on for `)`, `[`, `]`, `{`, `}`."""
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
    fault = ""
    if len(leaves) != len(tokens):
        fault = f"the tree has {len(leaves)} leaves: expected {len(tokens)}, one for each token"
    for position, (leaf, token) in enumerate(zip(leaves, tokens, strict=False), start=1):
        if escape_token(leaf) != escape_token(token):
            fault = f"leaf {position} of the tree is {leaf!r}: expected the token {token!r}"
            break
    if fault:
        raise InputError(fault, path=path, line=line)
