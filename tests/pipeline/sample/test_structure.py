"""What only the English tree says decides the German sentence."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from nltk.tree import Tree

from pipeline.formats.trees import children, read_tree
from pipeline.sample import SamplePair, generate
from pipeline.sample.lexicon import words as words_of

Constituent = tuple[SamplePair, Tree, list[range]]


@pytest.fixture(scope="module")
def nodes() -> list[Constituent]:
    """The constituents of many pairs."""
    pairs = generate(2500, "structure", ambiguity=0.2)
    return [(pair, *constituent) for pair in pairs for constituent in constituents(pair)]


def constituents(pair: SamplePair) -> Iterator[tuple[Tree, list[range]]]:
    """Every constituent with the English positions of each of its children."""
    waiting = [(read_tree(pair.tree), 0)]
    while waiting:
        node, start = waiting.pop()
        spans = []
        for child in children(node):
            spans.append(range(start, start + len(child.leaves())))
            waiting.append((child, start))
            start = spans[-1].stop
        yield node, spans


def labels_of(node: Tree) -> list[str]:
    return [child.label() for child in children(node)]


def german(pair: SamplePair, span: range) -> list[int]:
    """The German positions that translate an English span."""
    return [target for source, target in pair.links if source in span]


def test_a_setting_comes_before_the_object_and_an_attribute_after_its_noun(
    nodes: list[Constituent],
) -> None:
    """Negation, time and existence, which have an order of their own, are left out."""
    seen = {"verb": 0, "noun": 0}
    for pair, node, spans in nodes:
        labels = labels_of(node)
        if {"not", "There", "there"} & set(pair.source_tokens):
            continue
        if labels[:1] == ["NP"] and labels[1:] == ["PP"]:
            seen["noun"] += 1
            assert max(german(pair, spans[0])) < min(german(pair, spans[1]))
        if node.label() == "VP" and labels[1:3] == ["NP", "PP"]:
            preposition, *_ = node[2].leaves()
            weekday_or_month = node[2][-1].leaves()[0][0].isupper()
            if preposition not in ("to", "by") and not weekday_or_month:
                seen["verb"] += 1
                noun, phrase = german(pair, spans[1]), german(pair, spans[2])
                assert max(phrase) < min(noun) or pair.target_tokens[min(noun)].lower() in PRONOUNS
    assert min(seen.values()) > 100


PRONOUNS = {"mich", "uns", "ihn", "sie", "mir", "ihm", "ihr", "ihnen"}
"""A pronoun stands before everything else."""


@pytest.mark.parametrize(("ambiguity", "fewest", "most"), [(0.0, 0.0, 0.0), (1.0, 0.5, 1.0)])
def test_a_place_tells_whose_it_is_unless_it_is_ambiguous(
    ambiguity: float, fewest: float, most: float
) -> None:
    """Of the prepositions with their nouns that come four times or more, how many are both."""
    readings: dict[tuple[str, ...], list[str]] = {}
    for pair in generate(2000, "places", ambiguity=ambiguity):
        if {"There", "there"} & set(pair.source_tokens):  # `is a cat on the sofa`: neither
            continue
        for node, _ in constituents(pair):
            labels = labels_of(node)
            for place, of in ((1, "noun"), (2, "verb")):
                if labels[place - 1 : place + 1] == ["NP", "PP"] and len(labels) > place:
                    preposition, *_, noun = node[place].leaves()
                    readings.setdefault((preposition, noun), []).append(of)
    frequent = [found for found in readings.values() if len(found) >= 4]
    assert len(frequent) > 50
    both = sum(len(set(found)) == 2 for found in frequent) / len(frequent)
    assert fewest <= both <= most


@pytest.mark.parametrize(
    ("parent", "words"), [("NP", {"den", "die", "das"}), ("VP", {"dass"})], ids=["whom", "that"]
)
def test_a_clause_gets_the_word_that_english_leaves_out(
    nodes: list[Constituent], parent: str, words: set[str]
) -> None:
    """After a comma, before all that the clause translates."""
    seen = 0
    for pair, node, spans in nodes:
        labels = labels_of(node)
        if node.label() == parent and labels[-1] == "SBAR" and labels_of(node[-1]) == ["S"]:
            seen += 1
            first = min(german(pair, spans[-1]))
            comma, word = pair.target_tokens[first - 2 : first]
            assert comma == ","
            assert word in words
    assert seen > 20


def test_a_clause_is_negated_once(nodes: list[Constituent]) -> None:
    """`No` belongs to a subject, alone: no `no man never`, `not onto no bed`, `in no park, he`."""
    seen = 0
    for _, node, _ in nodes:
        words = [word.lower() for word in node.leaves()]
        labels = labels_of(node)
        if node.label() == "PP":
            assert "no" not in words
        if node.label() in ("S", "SQ") and "NP" in labels:
            subject = node[labels.index("NP")].leaves()
            if subject[0].lower() == "no":
                seen += 1
                verbs = node[labels.index("NP") + 1 :]
                outside = [child.leaves() for child in verbs if child.label() != "SBAR"]
                own = " ".join(word for leaves in outside for word in leaves)
                assert not re.search(r"^(\w+ )?(not|never)\b", own)
    assert seen > 20


def test_english_says_when_it_is_not_when_it_will_be(nodes: list[Constituent]) -> None:
    """`Will` stays out of a clause of time or condition, the perfect out of a question for it."""
    seen: dict[str, set[bool]] = {}
    asked = set()
    for _, node, _ in nodes:
        words = [word.lower() for word in node.leaves()]
        if node.label() == "SBAR":
            seen.setdefault(words[0], set()).add("will" in words)
        if node.label() == "SBARQ" and words[0] == "when":
            asked.add(words[1])
    assert all(seen[word] == {False} for word in ("if", "when", "before", "until"))
    assert all(seen[word] == {False, True} for word in ("because", "although", "while"))
    assert {"did", "will"} <= asked <= {"did", "do", "does", "will"}


def test_an_adverb_of_manner_stands_between_definite_and_indefinite_objects(
    nodes: list[Constituent],
) -> None:
    """`liest das Buch schnell`, `liest schnell ein Buch`."""
    adverbs = {adverb.english for adverb in words_of("manner")}
    seen = {"the": 0, "a": 0}
    for pair, node, spans in nodes:
        if labels_of(node)[1:3] != ["NP", "ADVP"]:
            continue
        article, *words = node[1].leaves()
        if article not in seen or node[2].leaves()[0] not in adverbs:
            continue
        if not {"and", "'s"} & set(words):
            seen[article] += 1
            noun, (manner,) = german(pair, spans[1]), german(pair, spans[2])
            assert max(noun) < manner if article == "the" else manner < min(noun)
    assert min(seen.values()) > 20
