"""The tables of words."""

from __future__ import annotations

from collections import Counter
from itertools import chain

from pipeline.sample.lexicon import load_lexicon

LEXICON = load_lexicon()


def test_an_english_word_has_one_translation() -> None:
    for words in (LEXICON.nouns, LEXICON.verbs, LEXICON.adjectives, LEXICON.adverbs, LEXICON.names):
        counts = Counter(word.english for word in words)
        assert [word for word, count in counts.items() if count > 1] == []


def test_every_class_that_is_asked_for_has_nouns() -> None:
    asked = set(
        chain.from_iterable(
            [
                *(verb.subject | verb.object for verb in LEXICON.verbs),
                *(a.classes for a in LEXICON.adjectives),
                *(m.classes for m in LEXICON.compound_modifiers),
                *(p.complements for p in LEXICON.prepositions if p.kind != "origin"),
            ]
        )
    ) - {""}
    given = set(chain.from_iterable(noun.classes for noun in LEXICON.nouns))
    assert asked - given == set()


def test_s_after_a_sibilant_is_es() -> None:
    """`bosses`, `watches`; but for nouns whose plural is like the singular."""
    sibilants = ("s", "x", "z", "ch", "sh")
    for noun in LEXICON.nouns:
        if noun.english.endswith(sibilants) and noun.english_plural not in ("", noun.english):
            assert noun.english_plural == f"{noun.english}es"
    for verb in LEXICON.verbs:
        if verb.english.endswith(sibilants):
            assert verb.english_third == f"{verb.english}es"


def test_participles_of_separable_verbs_begin_with_the_prefix() -> None:
    for verb in LEXICON.verbs:
        prefix, separable, _ = verb.german.rpartition("|")
        if separable:
            assert verb.participle.startswith(prefix)
