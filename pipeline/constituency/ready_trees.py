"""Trees that came with a corpus or from another parser, over the corpus's tokens.

Their words may be cut and spelled otherwise, as the Penn Treebank's (`do n't`, `AT&T`, `-LRB-`) are
beside Moses's (`don 't`, `AT & T`, `(`), as long as both have the same letters.
"""

from __future__ import annotations

import unicodedata
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate, takewhile
from pathlib import Path
from typing import TYPE_CHECKING

from mgsa.cli.errors import InputError
from pipeline.constituency.treebank import without_empty_elements
from pipeline.formats.trees import (
    ROOT,
    escape_token,
    is_failed_parse,
    is_preterminal,
    read_tree,
    unescape_token,
)

if TYPE_CHECKING:
    from nltk.tree import Tree

_SAME = str.maketrans(
    {**dict.fromkeys("“”„«»", '"'), **dict.fromkeys("‘’‚`´", "'"), **dict.fromkeys("–—", "-")}
)


def ready_tree(brackets: str, tokens: Sequence[str], *, path: Path, line: int) -> Tree | None:
    """The tree of a sentence over its tokens, without empty elements; `None` of a failed parse.

    Raises:
        InputError: as for `read_tree` and `put_tokens`.
    """
    if is_failed_parse(brackets):
        return None
    tree = without_empty_elements(read_tree(brackets, path=path, line=line))
    return tree and put_tokens(tree, tokens, path=path, line=line)


def put_tokens(tree: Tree, tokens: Sequence[str], *, path: Path, line: int) -> Tree:
    """The tree over `tokens`: one by one where leaves and tokens are alike in number.

    A leaf that is several tokens becomes several of its part of speech; leaves that are one token
    become the first of them.

    Raises:
        InputError: leaves and tokens have different letters.
    """
    given = iter(_tokens_of_leaves(tree.leaves(), tokens, path, line))

    def rebuilt(node: Tree) -> list[Tree]:
        from nltk.tree import Tree

        if is_preterminal(node):
            return [Tree(node.label(), [escape_token(token)]) for token in next(given)]
        below = [new for child in node for new in rebuilt(child)]
        return [Tree(node.label(), below)] if below else []

    found = rebuilt(tree)
    return found[0] if len(found) == 1 else type(tree)(ROOT, found)


def _tokens_of_leaves(
    leaves: Sequence[str], tokens: Sequence[str], path: Path, line: int
) -> Iterator[list[str]]:
    """For each leaf the tokens that it becomes."""
    ends = [[*accumulate(len(_letters(word)) for word in words)] for words in (leaves, tokens)]
    letters = ["".join(map(_letters, words)) for words in (leaves, tokens)]
    if letters[0] != letters[1]:
        pairs = zip(*letters, strict=False)
        same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
        leaf, token = (
            (*words, None)[bisect_right(of, same)]
            for words, of in zip((leaves, tokens), ends, strict=True)
        )
        message = f"the tree has {leaf!r} where the tokens have {token!r}"
        raise InputError(f"{message}: expected a tree over their letters", path=path, line=line)
    first = [0, 0]
    for end in sorted({*ends[0]} & {*ends[1]}):
        last = [of.index(end) + 1 for of in ends]
        words = [*tokens[first[1] : last[1]]]
        num_leaves = last[0] - first[0]
        for place in range(num_leaves):
            yield words[place:] if place == num_leaves - 1 else words[place : place + 1]
        first = last


def _letters(word: str) -> str:
    """A word without its quotes, dashes and brackets, whose spelling varies."""
    word = unicodedata.normalize("NFKC", unescape_token(word)).translate(_SAME)
    return word.replace("\\/", "/").replace("\\*", "*").replace("''", '"').replace("--", "-")
