"""How a derivation becomes a sentence pair."""

from __future__ import annotations

from pipeline.sample.derivation import GermanWord, Leaf, Node, Sentence


def test_links_capitals_and_text_are_read_off() -> None:
    """Equal words are told apart: each German one is linked to the leaf that it translates."""
    here, dogs, again = Leaf("RB", "here"), Leaf("NNS", "dogs"), Leaf("RB", "here")
    mark = Leaf(".", ".")
    german = [("da", again), ("Hunde", dogs), ("hier", here), (".", mark)]
    root = Node("S", [here, Node("NP", [dogs]), again, mark])
    words = [GermanWord(word, (leaf,)) for word, leaf in german]
    pair = Sentence(root, words, "active", "nonpast").pair()
    assert (pair.source, pair.target) == ("Here dogs here.", "Da Hunde hier.")
    assert pair.tree == "(ROOT (S (RB Here) (NP (NNS dogs)) (RB here) (. .)))"
    assert pair.links == [(0, 2), (1, 1), (2, 0), (3, 3)]


def test_a_comma_before_the_end_or_another_comma_goes() -> None:
    leaves = word, mark, end = Leaf("NN", "x"), Leaf(",", ","), Leaf(".", ".")
    german = [("x", (word,)), (",", (mark,)), (",", ()), ("y", ()), (",", ()), (".", (end,))]
    words = [GermanWord(*item) for item in german]
    pair = Sentence(Node("S", [*leaves]), words, "active", "past").pair()
    assert pair.target_tokens == ["X", ",", "y", "."]
    assert pair.links == [(0, 0), (1, 1), (2, 3)]
