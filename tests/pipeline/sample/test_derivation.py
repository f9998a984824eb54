"""How a derivation becomes a sentence pair."""

from __future__ import annotations

from pipeline.sample.derivation import GermanWord, Leaf, Node, Sentence


def test_links_capitals_and_text_are_read_off() -> None:
    man, sleeps, mark = Leaf("NN", "man"), Leaf("VBZ", "sleeps"), Leaf(".", ".")
    the = Leaf("DT", "the")
    english = Node("S", [Node("NP", [the, man]), Node("VP", [sleeps]), mark])
    german = [
        GermanWord("der", (the,)),
        GermanWord("Mann", (man,)),
        GermanWord("schläft", (sleeps,)),
        GermanWord(".", (mark,)),
    ]
    pair = Sentence(english, german, "active", "nonpast").pair()
    assert pair.source == "The man sleeps."
    assert pair.target == "Der Mann schläft."
    assert pair.tree == "(ROOT (S (NP (DT The) (NN man)) (VP (VBZ sleeps)) (. .)))"
    assert pair.links == [(0, 0), (1, 1), (2, 2), (3, 3)]


def test_equal_words_are_told_apart() -> None:
    first, second = Leaf("NN", "a"), Leaf("NN", "a")
    german = [GermanWord("y", (second,)), GermanWord("x", (first,))]
    pair = Sentence(Node("S", [first, second]), german, "active", "past").pair()
    assert pair.links == [(0, 1), (1, 0)]


def test_a_comma_before_the_end_or_another_comma_goes() -> None:
    word, mark, end = Leaf("NN", "x"), Leaf(",", ","), Leaf(".", ".")
    german = [
        GermanWord("x", (word,)),
        GermanWord(",", (mark,)),
        GermanWord(","),
        GermanWord("y"),
        GermanWord(","),
        GermanWord(".", (end,)),
    ]
    pair = Sentence(Node("S", [word, mark, end]), german, "active", "past").pair()
    assert pair.target_tokens == ["X", ",", "y", "."]
    assert pair.links == [(0, 0), (1, 1), (2, 3)]
