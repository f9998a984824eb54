"""The words of the sample corpus, from the tables in `words/`.

Words are listed from common to rare; a list of classes says what goes together: an adjective with
nouns, a verb with its subjects and objects, a preposition with what it stands before. An English
word has one translation for its part of speech, so that a translation is a function of the text.
"""

from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

Classes = frozenset[str]
"""Semantic classes: those of a noun, or those that another word selects."""
HUMAN: Classes = frozenset({"human"})


class Noun(NamedTuple):
    """A common noun; `english_plural` is empty where there is none. `genitive` is the singular's.

    A weak noun has its genitive's form in the accusative and dative too: den Studenten.
    """

    english: str
    english_plural: str
    german: str
    gender: str
    plural: str
    genitive: str
    weak: bool
    classes: Classes


class CompoundModifier(NamedTuple):
    """A noun before nouns of these classes: `kitchen`, `Küchen`."""

    english: str
    german: str
    classes: Classes


class Adjective(NamedTuple):
    """An adjective: `stem` (of teuer: `teur`) takes the endings, `german` if it is empty."""

    english: str
    german: str
    stem: str
    classes: Classes


class Preposition(NamedTuple):
    """A preposition with the case that it governs and what may stand after it."""

    english: str
    german: str
    case: str
    contracts: bool
    kind: str
    complements: Classes


class Verb(NamedTuple):
    """A verb. `german` marks a separable prefix (`auf|machen`); `third` and `past` are without it.

    `frame` is one of intransitive, transitive, dative, ditransitive, prepositional, clausal,
    infinitive, motion, position. A `static` verb has no progressive in English, and no passive.
    """

    english: str
    english_third: str
    english_past: str
    english_participle: str
    english_gerund: str
    german: str
    third: str
    past: str
    participle: str
    auxiliary: str
    frame: str
    aspect: str
    subject: Classes
    object: Classes
    preposition: str

    @property
    def governed(self) -> Preposition:
        """The preposition of a prepositional verb: `about über acc` in the table."""
        english, german, case = self.preposition.split()
        return Preposition(english, german, case, True, "governed", self.object)


class Word(NamedTuple):
    """An uninflected word.

    `kind` of an adverb is manner, frequency, degree, past_time, present_time or future_time; of a
    name person_m, person_f, city, weekday or month.
    """

    english: str
    german: str
    kind: str


class Subordinator(NamedTuple):
    """A conjunction of a subordinate clause; `when` has a translation for each tense.

    `tenses` has `future` where the clause may have `will`: not `if it will rain`.
    """

    english: str
    german: str
    tenses: Classes


def _rows(table: str) -> list[list[Any]]:
    """The rows of a table, from common to rare; `-` is an empty field."""
    lines = (Path(__file__).parent / "words" / f"{table}.tsv").read_text("utf-8").splitlines()
    columns, *rows = (line.split("\t") for line in lines)
    return [[_value(*cell) for cell in zip(columns, row, strict=True)] for row in rows]


def _value(column: str, field: str) -> str | bool | Classes:
    match column:
        case "weak" | "contracts":
            return field == column
        case "classes" | "subject" | "object" | "complements" | "tenses":
            return frozenset(field.split(","))
    return "" if field == "-" else field


NOUNS = tuple(map(Noun._make, _rows("nouns")))
COMPOUND_MODIFIERS = tuple(map(CompoundModifier._make, _rows("compound_modifiers")))
ADJECTIVES = tuple(map(Adjective._make, _rows("adjectives")))
VERBS = tuple(map(Verb._make, _rows("verbs")))
ADVERBS = tuple(map(Word._make, _rows("adverbs")))
PREPOSITIONS = tuple(map(Preposition._make, _rows("prepositions")))
NAMES = tuple(map(Word._make, _rows("names")))
SUBORDINATORS = tuple(map(Subordinator._make, _rows("subordinators")))


@cache
def nouns(classes: Classes) -> tuple[Noun, ...]:
    """The nouns of any of these classes."""
    return tuple(noun for noun in NOUNS if noun.classes & classes)


@cache
def compound_modifiers(classes: Classes) -> tuple[CompoundModifier, ...]:
    """The compound modifiers that go with any of these classes."""
    return tuple(modifier for modifier in COMPOUND_MODIFIERS if modifier.classes & classes)


@cache
def adjectives(classes: Classes) -> tuple[Adjective, ...]:
    """The adjectives that go with any of these classes."""
    return tuple(adjective for adjective in ADJECTIVES if adjective.classes & classes)


@cache
def verbs(
    *frames: str, subjects: Classes | None = None, objects: Classes | None = None
) -> tuple[Verb, ...]:
    """The verbs of these frames, for such subjects and objects."""
    return tuple(
        verb
        for verb in VERBS
        if verb.frame in frames
        and (subjects is None or verb.subject & subjects)
        and (objects is None or verb.object & objects)
    )


@cache
def words(kind: str) -> tuple[Word, ...]:
    """The adverbs or names of a kind."""
    return tuple(word for word in ADVERBS + NAMES if word.kind == kind)


@cache
def prepositions(kind: str) -> tuple[Preposition, ...]:
    """The prepositions of a kind."""
    return tuple(preposition for preposition in PREPOSITIONS if preposition.kind == kind)


@cache
def subordinators(tense: str) -> tuple[Subordinator, ...]:
    """The conjunctions that a clause of this tense may have."""
    return tuple(subordinator for subordinator in SUBORDINATORS if tense in subordinator.tenses)
