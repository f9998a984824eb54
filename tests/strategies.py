"""What property tests draw from: words and trees."""

from __future__ import annotations

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy
from nltk.tree import Tree

from pipeline.formats.trees import WRAPPERS

SEPARATORS = " \t\r\n"
LABELS = ("S", "NP", "VP", "PP", "SBAR", "ADVP", "PRT", "QP")
PARTS_OF_SPEECH = ("NN", "VBD", "DT", "IN", ",", ".", ":", "``", "''", "$", "PRP$", "-LRB-")

labels = st.sampled_from(LABELS)
parts_of_speech = st.sampled_from(PARTS_OF_SPEECH)

tokens: SearchStrategy[str] = st.one_of(
    st.sampled_from(
        ["the", "dog", "(", ")", "[", "]", "{", "}", "-LRB-", "(s)", "naïve", "\u2028"]
    ),
    st.text(
        st.characters(exclude_categories=["Cs"], exclude_characters=SEPARATORS),
        min_size=1,
        max_size=6,
    ),
)
"""Any token of a tokenised sentence: no separator in it, but brackets and odd characters."""

leaves = tokens.filter(lambda token: "(" not in token and ")" not in token)
"""Any token that can stand in a tree as it is."""


def preterminals(
    words: SearchStrategy[str] = leaves, tags: SearchStrategy[str] = parts_of_speech
) -> SearchStrategy[Tree]:
    """A part of speech over a word."""
    return st.builds(Tree, tags, st.lists(words, min_size=1, max_size=1))


def constituents(
    words: SearchStrategy[str] = leaves,
    *,
    tags: SearchStrategy[str] = parts_of_speech,
    max_leaves: int = 15,
) -> SearchStrategy[Tree]:
    """A tree without a wrapper; a preterminal alone is one."""
    return st.recursive(
        preterminals(words, tags),
        lambda inner: st.builds(Tree, labels, st.lists(inner, min_size=1, max_size=4)),
        max_leaves=max_leaves,
    )


def trees(words: SearchStrategy[str] = leaves, *, max_leaves: int = 15) -> SearchStrategy[Tree]:
    """A tree in a wrapper."""
    return st.builds(
        lambda label, top: Tree(label, [top]),
        st.sampled_from(sorted(WRAPPERS)),
        constituents(words, max_leaves=max_leaves),
    )
