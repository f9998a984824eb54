"""TSS, SPC and POS of literal trees, and the classes made of labels."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from nltk.tree import Tree

from pipeline.formats.trees import read_tree
from pipeline.probe_data.labels import (
    frequent_classes,
    label_tree,
    smallest_phrases,
    top_level_sequence,
)
from tests import strategies

BUSH = "(ROOT (S (NP (NNP Bush)) (VP (VBD held) (NP (DT a) (NN talk)) (PP (IN with) (NP (NNP Sharon)))) (. .)))"  # noqa: E501


def test_a_sentence_by_hand() -> None:
    assert label_tree(read_tree(BUSH), "en") == {
        "voice": "active",
        "tense": "past",
        "tss": "NP-VP-.",
        "spc": ["NP", "VP", "NP", "NP", "PP", "NP", "S"],
        "pos": ["NNP", "VBD", "DT", "NN", "IN", "NNP", "."],
    }


@pytest.mark.parametrize(
    ("tree", "sequence", "phrases"),
    [
        ("(TOP (SQ (VBZ Is) (NP (PRP it)) (. ?)))", "VBZ-NP-.", "SQ NP SQ"),
        ("( (NP (NN dog) (. .)))", "NN-.", "NP NP"),
        ("(S (NP-SBJ-1 (PRP I)) (VP=2 (VBP go) (ADVP|PRT (RP on))))", "NP-VP", "NP VP ADVP"),
        ("(S (-LRB- -LRB-) (NP (NN dog)) (-RRB- -RRB-))", "-LRB--NP--RRB-", "S NP S"),
        ("(ROOT (S (VP (VB Go))) (. !))", "S-.", "VP ROOT"),  # a wrapper of two nodes
        ("(ROOT (UH Yes))", "UH", "ROOT"),
        ("(UH Yes)", "UH", "ROOT"),
        ("( (UH Yes))", "UH", "ROOT"),
    ],
)
def test_sequences_and_smallest_phrases(tree: str, sequence: str, phrases: str) -> None:
    assert top_level_sequence(read_tree(tree)) == sequence
    assert smallest_phrases(read_tree(tree)) == phrases.split()


@given(strategies.trees())
def test_every_word_has_a_label_of_each_task(tree: Tree) -> None:
    labels = label_tree(tree, "de")
    assert labels["voice"] is labels["tense"] is None
    assert len(labels["spc"]) == len(labels["pos"]) == len(tree.leaves())
    assert "" not in (labels["tss"], *labels["spc"], *labels["pos"])


def test_classes_are_the_most_frequent_labels_and_one_for_the_others() -> None:
    counts = Counter({"NP-VP": 2, "S-S": 2, "FRAG": 3, "X": 1})
    assert frequent_classes(counts, 3) == ("FRAG", "NP-VP", "S-S", "OTHER")
    assert frequent_classes(counts) == ("FRAG", "NP-VP", "S-S", "X", "OTHER")
    assert frequent_classes(Counter({"OTHER": 5, "NP": 1})) == ("NP", "OTHER")
    assert frequent_classes(Counter()) == ("OTHER",)
