"""Noun and prepositional phrases in both languages, agreeing in German case, gender and number."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from pipeline.sample import german, lexicon
from pipeline.sample.chooser import Chooser
from pipeline.sample.derivation import (
    THIRD,
    Agreement,
    GermanWord,
    Leaf,
    Node,
    Phrase,
    Place,
    one_word,
)
from pipeline.sample.lexicon import HUMAN, Classes, Noun, Preposition, Word

SINGULAR_DETERMINERS = {"the": 46, "a": 26, "this": 7, "every": 4, "possessive": 12, "genitive": 5}
"""None is `no`: inside a phrase it would negate what is negated, and want inversion in front."""
PLURAL_DETERMINERS = {
    "the": 36,
    "": 12,
    "these": 6,
    "possessive": 12,
    "many": 7,
    "some": 7,
    "all": 4,
    "numeral": 11,
    "digits": 3,
    "genitive": 4,
}
POSSESSIVES = {"my": 4, "his": 5, "her": 5, "our": 3, "their": 3}
PRONOUNS = {
    "I": ("me", Agreement(1, "sg")),
    "we": ("us", Agreement(1, "pl")),
    "he": ("him", THIRD),
    "she": ("her", THIRD),
    "they": ("them", Agreement(3, "pl")),
}
"""Each personal pronoun's object form and agreement."""
SPELLED_WITH_A_VOWEL = ("uni", "use", "usu", "european", "one")
"""Beginnings that are written with a vowel and spoken with a consonant."""
SILENT_H = ("hour", "honest", "honour", "heir", "herb")


@dataclass(slots=True)
class NounPhrase(Phrase):
    """A noun phrase with what other parts of a sentence need to know of it."""

    kind: str  #: `pronoun`, `name`, `pair`, `who`, `there`, or the determiner of a common noun.
    agreement: Agreement = THIRD
    gender: str = ""  #: of a common noun.
    classes: Classes = HUMAN  #: what the head noun is, for the verbs of a relative clause.
    attribute: Phrase | None = None  #: of a common noun, if any.

    @classmethod
    def of(cls, phrase: Phrase, kind: str, agreement: Agreement = THIRD) -> NounPhrase:
        """A pronoun or a name."""
        return cls(phrase.english, phrase.german, kind, agreement)


class _Determiner(NamedTuple):
    """A determiner: what precedes the adjectives, governs their endings, or follows as genitive."""

    english: list[Node | Leaf]
    german: list[GermanWord]
    declined_after: str | None = None
    genitive: Sequence[GermanWord] = ()


def argument(
    choose: Chooser,
    classes: Classes,
    case: str,
    *,
    pronouns: bool = True,
    simple: bool = False,
    beside: Agreement | None = None,
) -> NounPhrase:
    """A pronoun, a name or a common noun of one of these classes, in this case.

    Args:
        simple: no phrase inside the phrase.
        beside: the subject of the verb that this is an object of.
    """
    if "human" in classes:
        if pronouns and choose.chance(0.22):
            return _pronoun(choose, case, beside=beside)
        if choose.chance(0.2):
            return _name(choose)
    return common(choose, classes, case, simple=simple)


def _pronoun(choose: Chooser, case: str, *, beside: Agreement | None) -> NounPhrase:
    """A personal pronoun; beside a subject of the first person none of the first person."""
    excluded = 1 if beside is not None and beside.person == 1 else None
    fitting = [word for word, (_, agreement) in PRONOUNS.items() if agreement.person != excluded]
    subject = choose.one(fitting)
    other, agreement = PRONOUNS[subject]
    english = subject if case == "nom" else other
    word = german.PRONOUNS[subject][case]
    return NounPhrase.of(one_word("NP", "PRP", english, word), "pronoun", agreement)


def _name(choose: Chooser) -> NounPhrase:
    """A person's name, the same in both languages and every case."""
    return proper(choose.one(lexicon.words(choose.weighted({"person_m": 1, "person_f": 1}))))


def proper(name: Word) -> NounPhrase:
    """The phrase of a proper name."""
    return NounPhrase.of(one_word("NP", "NNP", name.english, name.german), "name")


def common(
    choose: Chooser,
    classes: Classes,
    case: str,
    *,
    simple: bool = False,
    determiner: str | None = None,
) -> NounPhrase:
    """A common noun with determiner, adjectives and perhaps a phrase of its own.

    Args:
        determiner: this one instead of any, the noun in the singular.
    """
    noun = choose.one(lexicon.nouns(classes))
    countable = bool(noun.english_plural)
    number = "pl" if countable and determiner is None and choose.chance(0.28) else "sg"
    kind = determiner
    if kind is None:
        kind = choose.weighted(PLURAL_DETERMINERS if number == "pl" else SINGULAR_DETERMINERS)
    if (kind in ("a", "every") and not countable) or (kind == "genitive" and simple):
        kind = "the"
    modifier, german_noun = _compound(choose, noun)
    start = _determiner(choose, kind, case, noun.gender, number)
    adjectives, german_adjectives = _adjectives(choose, noun, case, number, start.declined_after)
    head = Leaf("NN", noun.english) if number == "sg" else Leaf("NNS", noun.english_plural)
    following = [*adjectives, *modifier, head]
    if kind == "a":
        (article,) = start.german[0].sources
        article.word = indefinite_article(following[0].word)
    phrase = NounPhrase(
        english=Node("NP", [*start.english, *following]),
        german=[
            *start.german,
            *german_adjectives,
            GermanWord(german.noun(german_noun, case, number), (*modifier, head)),
            *start.genitive,
        ],
        kind=kind,
        agreement=Agreement(3, number),
        gender=noun.gender,
        classes=noun.classes,
    )
    return phrase if simple or not choose.chance(0.4) else _with_attribute(choose, phrase)


def indefinite_article(following: str) -> str:
    """`a` or `an`, by the sound that the next word begins with."""
    word = following.lower()
    if word.startswith(SILENT_H):
        return "an"
    return "an" if word[0] in "aeiou" and not word.startswith(SPELLED_WITH_A_VOWEL) else "a"


def _compound(choose: Chooser, noun: Noun) -> tuple[list[Leaf], Noun]:
    """Now and then a noun before the noun: one word in German."""
    fitting = lexicon.compound_modifiers(noun.classes)
    if not fitting or not choose.chance(0.22):
        return [], noun
    modifier = choose.one(fitting)
    if modifier.english in (noun.english, noun.english_plural):
        return [], noun
    return [Leaf("NN", modifier.english)], german.compound(modifier, noun)


def _determiner(choose: Chooser, kind: str, case: str, gender: str, number: str) -> _Determiner:
    match kind:
        case "":
            return _Determiner([], [])
        case "genitive":
            return _owner(choose, case, gender, number)
        case "numeral":
            word = choose.one(list(german.NUMERALS))
            leaf = Leaf("CD", word)
            return _Determiner([leaf], [GermanWord(german.NUMERALS[word], (leaf,))])
        case "digits":
            leaf = Leaf("CD", str(choose.number(11, 99)))
            return _Determiner([leaf], [GermanWord(leaf.word, (leaf,))])
    word = choose.weighted(POSSESSIVES) if kind == "possessive" else kind
    lemma = "this" if kind == "these" else word
    leaf = Leaf({"possessive": "PRP$", "many": "JJ"}.get(kind, "DT"), word)
    form = german.determiner(lemma, case, gender, number)
    return _Determiner([leaf], [GermanWord(form, (leaf,))], lemma)


def _owner(choose: Chooser, case: str, gender: str, number: str) -> _Determiner:
    """A name is a genitive before the noun; other owners an article and a genitive after it."""
    mark = Leaf("POS", "'s")
    if choose.chance(0.5):
        (name,) = _name(choose).english.leaves()
        genitive = GermanWord(f"{name.word}s", (name, mark))
        return _Determiner([Node("NP", [name, mark])], [genitive])
    article = german.determiner("the", case, gender, number)
    owner = common(choose, HUMAN, "gen", simple=True, determiner="the")
    node = Node("NP", [*owner.english.children, mark])
    return _Determiner([node], [GermanWord(article, (mark,))], "the", owner.german)


def _adjectives(
    choose: Chooser, noun: Noun, case: str, number: str, after: str | None
) -> tuple[list[Leaf], list[GermanWord]]:
    count = choose.weighted({0: 68, 1: 28, 2: 4})
    fitting = lexicon.adjectives(noun.classes)
    if not count or not fitting:
        return [], []
    drawn = dict.fromkeys(choose.one(fitting) for _ in range(count))
    leaves = [Leaf("JJ", adjective.english) for adjective in drawn]
    forms = (german.adjective(word, case, noun.gender, number, after=after) for word in drawn)
    return leaves, [GermanWord(form, (leaf,)) for form, leaf in zip(forms, leaves, strict=True)]


def _with_attribute(choose: Chooser, phrase: NounPhrase) -> NounPhrase:
    """Attach a place, or to a person `from Berlin` or `with the hat`."""
    person = "human" in phrase.classes
    match choose.weighted({"place": 4, "worn": 2 * person, "origin": person}):
        case "worn":
            attribute = prepositional(choose, lexicon.prepositions("worn")[0])
        case "place":
            attribute = place(choose, "attributive")
        case "origin":
            city = proper(choose.one(lexicon.words("city")))
            attribute = governed(lexicon.prepositions("origin")[0], city)
    return replace(
        phrase,
        english=Node("NP", [phrase.english, attribute.english]),
        german=[*phrase.german, *attribute.german],
        attribute=attribute,
    )


def coordinated(first: NounPhrase, second: NounPhrase) -> NounPhrase:
    """`first and second`, a plural; `I` and its like never stand here."""
    conjunction = Leaf("CC", "and")
    return NounPhrase(
        english=Node("NP", [first.english, conjunction, second.english]),
        german=[*first.german, GermanWord("und", (conjunction,)), *second.german],
        kind="pair",
        agreement=Agreement(3, "pl"),
        classes=first.classes,
    )


def prepositional(choose: Chooser, preposition: Preposition, *, simple: bool = True) -> Phrase:
    """A preposition with a noun phrase in the case that it governs."""
    complements, case = preposition.complements, preposition.case
    return governed(preposition, argument(choose, complements, case, pronouns=False, simple=simple))


def place(choose: Chooser, kind: str) -> Place:
    """A place of a `setting` or an `attributive` one, or an ambiguous one of either kind."""
    if choose.chance(choose.ambiguity):
        kind = choose.weighted({"setting": 1, "attributive": 1})
    phrase = prepositional(choose, choose.one(lexicon.prepositions(kind)))
    return Place(phrase.english, phrase.german)


def governed(preposition: Preposition, argument: NounPhrase) -> Phrase:
    """A preposition before a noun phrase; `in dem` and its like become one word."""
    leaf = Leaf("IN" if preposition.english != "to" else "TO", preposition.english)
    words = [GermanWord(preposition.german, (leaf,)), *argument.german]
    if preposition.contracts and argument.kind == "the":
        contracted = german.CONTRACTIONS.get((preposition.german, words[1].word))
        if contracted is not None:
            words[:2] = [GermanWord(contracted, (leaf, *words[1].sources))]
    return Phrase(Node("PP", [leaf, argument.english]), words)
