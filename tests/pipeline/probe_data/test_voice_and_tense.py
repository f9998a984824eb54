"""Voice and tense: hard sentences annotated by hand, the sample's own labels, and real trees."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings
from nltk.tree import Tree

from pipeline.formats.trees import read_tree, read_treebank, top_node
from pipeline.probe_data.voice_and_tense import TENSES, VOICES, voice_and_tense
from pipeline.sample import generate
from tests import strategies
from tests.imports import ROOT


def hard_sentences() -> list[tuple[str, str, Tree]]:
    """Voice, tense and tree of each; `none` where there is no main clause with a finite verb."""
    path = ROOT / "tests" / "data" / "hard_voice_tense.txt"
    lines = path.read_text(encoding="utf-8").splitlines()
    rows = [line.split("\t") for line in lines if line and not line.startswith("#")]
    return [(voice, tense, read_tree(tree)) for voice, tense, tree in rows]


@pytest.mark.parametrize(
    ("voice", "tense", "tree"),
    [
        pytest.param(voice, tense, tree, id=" ".join(tree.leaves()))
        for voice, tense, tree in hard_sentences()
    ],
)
def test_hard_sentences(voice: str, tense: str, tree: Tree) -> None:
    found = voice_and_tense(tree)
    assert [label or "none" for label in found] == [voice, tense]


def test_the_samples_own_labels_agree() -> None:
    """Its grammar knows voice and tense of the sentences that it makes (99 % is asked for)."""
    pairs = list(generate(1000, "voice and tense", ambiguity=0.2))
    wrong = [
        pair.tree
        for pair in pairs
        if voice_and_tense(read_tree(pair.tree)) != (pair.voice, pair.tense)
    ]
    assert wrong == []


@given(strategies.trees())
@settings(max_examples=50)
def test_any_tree_has_both_labels_or_neither(tree: Tree) -> None:
    voice, tense = voice_and_tense(tree)
    assert (voice is None) == (tense is None)
    assert voice in (None, *VOICES)
    assert tense in (None, *TENSES)


@pytest.mark.real
def test_few_sentences_of_the_penn_treebank_have_no_label(shared: Path) -> None:
    """Of 3,721 trees, 181: 126 are noun phrases (headlines, authors' names), 55 other fragments."""
    found: Counter[str | None] = Counter()
    clauses: Counter[str | None] = Counter()
    for name in ("train.mrg", "dev.mrg"):
        for tree in read_treebank(shared / "treebank" / name):
            voice, _ = voice_and_tense(tree)
            found[voice] += 1
            if top_node(tree).label() in ("S", "SINV", "SQ", "SBARQ"):
                clauses[voice] += 1
    assert found[None] < 0.05 * found.total()
    assert clauses[None] < 0.01 * clauses.total()
    assert 0.07 < found["passive"] / found.total() < 0.1
