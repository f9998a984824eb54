"""The verb groups of main clauses, as a table that a person can check, and of any tree at all."""

# ruff: noqa: E501 (a row of a table is one line)

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from nltk.tree import Tree

from pipeline.formats.trees import read_tree
from pipeline.probe_data.main_clause import FINITE_TAGS, VERB_TAGS, VerbGroup, main_verb_group
from tests import strategies


@pytest.mark.parametrize(
    ("tree", "words"),
    [
        ("(ROOT (S (NP (NNP Bush)) (VP (VBD spoke))))", "spoke"),
        ("(S (NP (PRP I)) (VP (MD will) (RB not) (VP (VB have) (VP (VBN left)))))", "will not have left"),
        # The object of the verb, or what stands beside the auxiliary, is no part of it.
        ("(S (NP (PRP I)) (VP (VBP have) (, ,) (PP (IN in) (NP (NN fact))) (, ,) (VP (VBN left))))", "have left"),
        ("(S (NP (PRP I)) (VP (VBD was) (ADVP (RB very) (RB often)) (VP (VBN seen))))", "was very often seen"),
        ("(S (NP (PRP I)) (VP (VBD was) (ADJP (JJ free)) (S (VP (TO to) (VP (VB go))))))", "was"),
        ("(S (NP (PRP It)) (VP (VBD was) (NP (NN man)) (VP (VBN bitten))))", "was"),
        # Before `to`, `have` and `be` are auxiliaries, and other verbs aren't.
        ("(S (NP (PRP I)) (VP (VBP have) (S (VP (TO to) (VP (VB go))))))", "have to go"),
        ("(S (NP (PRP I)) (VP (VBP want) (S (VP (TO to) (VP (VB go))))))", "want"),
        # Inverted.
        ("(SQ (VBD Did) (NP (PRP he)) (RB not) (VP (VB go)))", "Did not go"),
        ("(SINV (VP (VBN Attached)) (VBZ is) (NP (DT a) (NN letter)))", "is Attached"),
        ("(SINV (VP (VBN Named)) (VP (VBD were)) (NP (CD two) (NNS men)))", "were Named"),
        # Coordinated: clauses, verb phrases, verbs, a phrase beside the verb.
        ("(S (NP (PRP I)) (VP (VP (VBP go)) (CC and) (VP (VBD stayed))))", "go"),
        ("(S (NP (PRP I)) (VP (VBD came) (CC and) (VBD saw) (NP (PRP it))))", "came"),
        ("(S (NP (PRP I)) (VP (VBD was) (PP (IN in) (NP (NN town))) (CC and) (VP (VBN seen))))", "was"),
        ("(S (NP (PRP I)) (VP (VBD was) (UCP (VP (VBN seen)) (CC and) (ADJP (JJ sad)))))", "was seen"),
        # A clause without a finite verb is passed over; so is a subordinate one.
        ("(S (S (VP (VBG Seeing) (NP (PRP it)))) (, ,) (S (NP (PRP he)) (VP (VBD left))))", "left"),
        ("(S (SBAR (IN If) (S (NP (PRP I)) (VP (VBP go)))) (, ,) (NP (PRP he)) (VP (VBZ stays)))", "stays"),
        ("(VP (VB Go))", "Go"),
        # What a tagger took for a participle, and a tree that is too flat.
        ("(S (NP (NNS Sales)) (VP (VBN hit) (NP (DT a) (NN low))))", "hit"),
        ("(S (NP (PRP It)) (VP (MD will) (VB be) (RB soon) (VBN sold)))", "will be soon sold"),
        # Functions and indices.
        ("(S (NP-SBJ-1 (PRP I)) (VP=2 (VBD was) (ADVP-TMP (RB then)) (VP (VBN seen))))", "was then seen"),
    ],
)  # fmt: skip
def test_the_verbs_of_the_main_clause(tree: str, words: str) -> None:
    group = main_verb_group(read_tree(tree))
    assert group is not None
    assert " ".join(group.words) == words
    assert group.tags[0] in FINITE_TAGS


@pytest.mark.parametrize(("below", "label"), [("(NP (DT the) (NN day))", "NP"), ("", None)])
def test_what_follows_the_main_verb_is_told(below: str, label: str | None) -> None:
    clause = "(S (NP (PRP It)) (VP (VBZ 's) (VP (VBN put) (PRT (RP off)) (ADVP (RB now)) {})))"
    group = main_verb_group(read_tree(clause.format(below)))
    assert group == VerbGroup(("'s", "put"), ("VBZ", "VBN"), followed_by=label)


def clauses() -> st.SearchStrategy[Tree]:
    """Trees of any shape whose labels and words are those that the search looks at."""
    words = st.sampled_from(["is", "'s", "had", "got", "did", "used", "to", "not", "sold", ","])
    tags = st.sampled_from([*sorted(VERB_TAGS), "RB", "NN", "CC", ",", "NP-SBJ"])
    labels = st.sampled_from(
        ["S", "SINV", "SQ", "SBARQ", "VP", "NP", "ADVP", "UCP", "FRAG", "SBAR", "CC", "ROOT", "X"]
    )
    return st.recursive(
        st.builds(Tree, tags, st.lists(words, min_size=1, max_size=1)),
        lambda inner: st.builds(Tree, labels, st.lists(inner, min_size=1, max_size=4)),
        max_leaves=20,
    )


@given(st.one_of(clauses(), strategies.trees()))
def test_any_tree_gives_a_group_that_starts_with_a_finite_verb_or_none(tree: Tree) -> None:
    group = main_verb_group(tree)
    if group is not None:
        assert group.tags[0] in FINITE_TAGS
        assert group.tags[-1] in VERB_TAGS
        leaves = tree.leaves()
        assert all(leaves.count(word) >= group.words.count(word) for word in group.words)
