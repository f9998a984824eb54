"""Bracketing scores against cases counted by hand, with EVALB's conventions."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from nltk.tree import Tree

from mgsa.cli.errors import InputError
from pipeline.constituency.bracketing import DELETED_TAGS, brackets, score
from pipeline.formats.trees import bracketed, flat_tree, preterminals, read_tree
from tests import strategies


@pytest.mark.parametrize(
    ("tree", "expected"),
    [
        # Wrappers and parts of speech are no brackets.
        ("(ROOT (S (NP (NN a)) (VP (VB b))))", {("S", 0, 2): 1, ("NP", 0, 1): 1, ("VP", 1, 2): 1}),
        ("( (NP (NN a)))", {("NP", 0, 1): 1}),
        # Unary chains: a bracket counts as often as it stands there.
        ("(NP (NP (NP (NN a))))", {("NP", 0, 1): 3}),
        # Punctuation takes up no place, at the edges or inside.
        (
            "(S (`` ``) (NP (NN a) (, ,) (NN b)) ('' '') (VP (VB c) (: :)) (. .))",
            {("S", 0, 3): 1, ("NP", 0, 2): 1, ("VP", 2, 3): 1},
        ),
        # Brackets and currency are words like others.
        ("(NP (-LRB- -LRB-) (NN a) ($ $))", {("NP", 0, 3): 1}),
        # A bracket with nothing but punctuation or an empty element goes away.
        ("(S (PRN (, ,)) (NP (-NONE- *T*-1)) (VP (VB a)))", {("S", 0, 1): 1, ("VP", 0, 1): 1}),
        # Function tags and indices are cut off; particles count as adverbs.
        ("(NP-SBJ=1 (NN a) (PRT (RP b)))", {("NP", 0, 2): 1, ("ADVP", 1, 2): 1}),
    ],
)
def test_brackets_of_a_tree(tree: str, expected: dict[tuple[str, int, int], int]) -> None:
    read = read_tree(tree)
    kept = [word.label() not in DELETED_TAGS for word in preterminals(read)]
    assert brackets(read, kept) == Counter(expected)


GOLD = "(S (NP (D a) (NN b)) (VP (V c) (NP (PR d)) (PP (P e) (NP (NN f)))) (. .))"
# S(0,6) NP(0,2) VP(2,6) NP(3,4) PP(4,6) NP(5,6)


@pytest.mark.parametrize(
    ("gold", "predicted", "counts"),
    [
        # Brackets matched, in gold and predicted; words, and those with the right tag.
        (GOLD, GOLD, (6, 6, 6, 6, 6)),
        # PP attached to the noun phrase: NP(3,6) is wrong, the others are right.
        (
            GOLD,
            "(S (NP (D a) (NN b)) (VP (V c) (NP (NP (PR d)) (PP (P e) (NP (NN f))))) (. .))",
            (6, 6, 7, 6, 6),
        ),
        # A label wrong (ADJP for the subject NP), a bracket missing (the last NP).
        (
            GOLD,
            "(S (ADJP (D a) (NN b)) (VP (V c) (NP (PR d)) (PP (P e) (NN f))) (. .))",
            (4, 6, 5, 6, 6),
        ),
        # The full stop inside the verb phrase makes no difference; two tags are wrong, of a word
        # and of punctuation, which does not count.
        (
            GOLD,
            "(S (NP (D a) (NN b)) (VP (V c) (NP (PR d)) (PP (P e) (NP (MD f))) (NN .)))",
            (6, 6, 6, 6, 5),
        ),
        # A word tagged as punctuation stays a word, as the gold tree says.
        (
            GOLD,
            "(S (NP (D a) (NN b)) (VP (V c) (NP (PR d)) (PP (: e) (NP (NN f)))) (. .))",
            (6, 6, 6, 6, 5),
        ),
        (GOLD, bracketed(flat_tree([*"abcdef."])), (0, 6, 1, 6, 0)),
        ("(NP (NP (NN a)))", "(NP (NN a))", (1, 2, 1, 1, 1)),
        ("(NP (NP (NN a)))", "(NP (NP (NP (NN a))))", (2, 2, 3, 1, 1)),
        ("(S (VP (VB a)))", "(VP (S (VB a)))", (2, 2, 2, 1, 1)),  # the order in a chain is free
        ("(PRT (RP a))", "(ADVP (RP a))", (1, 1, 1, 1, 1)),
        ("(NP-TMP (NN a))", "(NP (NN a))", (1, 1, 1, 1, 1)),
        ("(ROOT (S (NN a) (VB b)))", "(ROOT (NN a) (VB b))", (0, 1, 0, 2, 2)),
        ("(FRAG (. .) (: ...))", "(NP (NN .) (NN ...))", (0, 0, 0, 0, 0)),
        ("(NP (NN [) (NN a))", "(NP (NN -LSB-) (NN a))", (1, 1, 1, 2, 2)),
    ],
)
def test_counts(gold: str, predicted: str, counts: tuple[int, ...]) -> None:
    matched, in_gold, in_predicted, words, right = counts
    assert score([read_tree(gold)], [read_tree(predicted)]) == {
        "labelled_precision": matched / in_predicted if matched else 0,
        "labelled_recall": matched / in_gold if matched else 0,
        "labelled_f1": 2 * matched / (in_gold + in_predicted) if matched else 0,
        "tagging_accuracy": right / words if right else 0,
    }


def test_scores_are_of_the_corpus_and_0_of_nothing() -> None:
    gold = [read_tree(GOLD), read_tree("(NP (NP (NN a)))")]
    found = score(gold, [read_tree(GOLD), read_tree("(VP (NN a))")])
    precision, recall, f1, tagging = found.values()
    assert (precision, recall) == (6 / 7, 6 / 8)  # sentences' means would be 1/2
    assert f1 == pytest.approx(2 / (7 / 6 + 8 / 6))  # harmonic mean
    assert tagging == 1
    assert set(score([], []).values()) == {0}


def test_other_words_are_refused() -> None:
    same = read_tree("(NP (NN x))")
    with pytest.raises(InputError, match="sentence 2: leaf 2 of the tree is 'c': expected the tok"):
        score([same, read_tree("(NP (NN a) (NN b))")], [same, read_tree("(NP (NN a) (NN c))")])


kept_tags = st.sampled_from([t for t in strategies.PARTS_OF_SPEECH if t not in DELETED_TAGS])


@given(strategies.constituents(tags=kept_tags), st.data())
def test_swapping_gold_and_predicted_swaps_precision_and_recall(
    gold: Tree, data: st.DataObject
) -> None:
    leaves = [Tree("NN", [word]) for word in gold.leaves()]
    middle = data.draw(st.integers(0, len(leaves) - 1))
    halves = [Tree("NP", half) for half in (leaves[:middle], leaves[middle:]) if half]
    other = Tree("S", halves)
    (precision, recall, f1, _), back = score([gold], [other]).values(), score([other], [gold])
    assert [recall, precision, f1] == [*back.values()][:3]
    has_brackets = bool(brackets(gold, [True] * len(leaves)))
    assert [*score([gold], [gold]).values()] == [*[has_brackets] * 3, 1]
