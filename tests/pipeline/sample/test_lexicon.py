"""The tables of words."""

from __future__ import annotations

from collections import Counter

from pipeline.sample import lexicon


def test_an_english_word_has_one_translation() -> None:
    for words in (lexicon.NOUNS, lexicon.VERBS, lexicon.ADJECTIVES, lexicon.ADVERBS, lexicon.NAMES):
        counts = Counter(word.english for word in words)
        assert [word for word, count in counts.items() if count > 1] == []


def test_every_class_that_is_asked_for_has_nouns() -> None:
    asked = set[str]().union(
        *(verb.subject | verb.object for verb in lexicon.VERBS),
        *(adjective.classes for adjective in lexicon.ADJECTIVES),
        *(modifier.classes for modifier in lexicon.COMPOUND_MODIFIERS),
        *(p.complements for p in lexicon.PREPOSITIONS if p.kind != "origin"),
    )
    given = set[str]().union(*(noun.classes for noun in lexicon.NOUNS))
    assert asked - given == {"-"}  # of verbs without an object


def test_s_after_a_sibilant_is_es() -> None:
    """`bosses`, `watches`; but for nouns whose plural is like the singular."""
    sibilants = ("s", "x", "z", "ch", "sh")
    for noun in lexicon.NOUNS:
        if noun.english.endswith(sibilants) and noun.english_plural not in ("", noun.english):
            assert noun.english_plural == f"{noun.english}es"
    for verb in lexicon.VERBS:
        if verb.english.endswith(sibilants):
            assert verb.english_third == f"{verb.english}es"


def test_participles_of_separable_verbs_begin_with_the_prefix() -> None:
    for verb in lexicon.VERBS:
        prefix, separable, _ = verb.german.rpartition("|")
        if separable:
            assert verb.participle.startswith(prefix)
