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
