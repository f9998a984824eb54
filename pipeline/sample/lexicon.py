"""The words of the sample corpus, from the tables in `words/`.

Words are listed from common to rare; a list of classes says what goes together: an adjective with
nouns, a verb with its subjects and objects, a preposition with what it stands before. An English
word has one translation for its part of speech, so that a translation is a function of the text.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

from mgsa.base.errors import InputError

FOLDER = Path(__file__).parent / "words"
NONE = "-"
"""Stands in the tables for an empty field."""


@dataclass(frozen=True, slots=True)
class Noun:
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
    classes: frozenset[str]


@dataclass(frozen=True, slots=True)
class CompoundModifier:
    """A noun before nouns of these classes: `kitchen`, `Küchen`."""

    english: str
    german: str
    classes: frozenset[str]


@dataclass(frozen=True, slots=True)
class Adjective:
    """An adjective: `stem` takes the endings (`teur` of teuer), `german` stands after `be`."""

    english: str
    german: str
    stem: str
    classes: frozenset[str]

    @property
    def invariable(self) -> bool:
        """Whether it never takes an ending (rosa)."""
        return self.stem == ""


@dataclass(frozen=True, slots=True)
class Preposition:
    """A preposition with the case that it governs and what may stand after it."""

    english: str
    german: str
    case: str
    contracts: bool
    kind: str
    complements: frozenset[str]


@dataclass(frozen=True, slots=True)
class Verb:
    """A verb. `german` marks a separable prefix (`auf|machen`); `third` and `past` are without it.

    `frame` is one of intransitive, transitive, dative, ditransitive, prepositional, clausal,
    infinitive, motion, position. A verb that is not `dynamic` has no progressive in English.
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
    dynamic: bool
    subject: frozenset[str]
    object: frozenset[str]
    preposition: Preposition | None

    @property
    def passive(self) -> bool:
        """Whether it has a passive."""
        return self.frame == "transitive" and self.dynamic


@dataclass(frozen=True, slots=True)
class Adverb:
    """An adverb of a kind: manner, frequency, degree, past_time, present_time, future_time."""

    english: str
    german: str
    kind: str


@dataclass(frozen=True, slots=True)
class Name:
    """A proper name: person_m, person_f, city, weekday, month."""

    english: str
    german: str
    kind: str


@dataclass(frozen=True, slots=True)
class Subordinator:
    """A conjunction of a subordinate clause; `when` has a translation for each tense.

    `tenses` has `future` where the clause may have `will`: not `if it will rain`.
    """

    english: str
    german: str
    tenses: frozenset[str]

    def tense_beside(self, main: str) -> str:
        """The tense of its clause beside a main clause; `present` is nonpast without `will`."""
        return "present" if main == "nonpast" and "future" not in self.tenses else main


@dataclass(frozen=True, eq=False)
class Lexicon:
    """All words, each list from common to rare."""

    nouns: tuple[Noun, ...]
    compound_modifiers: tuple[CompoundModifier, ...]
    adjectives: tuple[Adjective, ...]
    verbs: tuple[Verb, ...]
    adverbs: tuple[Adverb, ...]
    prepositions: tuple[Preposition, ...]
    names: tuple[Name, ...]
    subordinators: tuple[Subordinator, ...]

    @property
    def num_lemmas(self) -> int:
        """Words, each counted once for its part of speech."""
        lists = (
            self.nouns,
            self.compound_modifiers,
            self.adjectives,
            self.verbs,
            self.adverbs,
            self.prepositions,
            self.names,
            self.subordinators,
        )
        return sum(len({word.english for word in words}) for words in lists)

    @cache  # noqa: B019 - there is one lexicon
    def preposition(self, english: str, kind: str) -> Preposition:
        """The preposition of this English form and kind."""
        (found,) = (p for p in self.prepositions if (p.english, p.kind) == (english, kind))
        return found

    @cache  # noqa: B019
    def prepositions_of(self, *kinds: str) -> tuple[Preposition, ...]:
        """The prepositions of these kinds."""
        return tuple(p for p in self.prepositions if p.kind in kinds)

    @cache  # noqa: B019
    def adjectives_for(self, classes: frozenset[str]) -> tuple[Adjective, ...]:
        """The adjectives that go with any of these classes."""
        return tuple(a for a in self.adjectives if a.classes & classes)

    @cache  # noqa: B019
    def modifiers_for(self, classes: frozenset[str]) -> tuple[CompoundModifier, ...]:
        """The compound modifiers that go with any of these classes."""
        return tuple(m for m in self.compound_modifiers if m.classes & classes)

    @cache  # noqa: B019
    def nouns_of(self, classes: frozenset[str]) -> tuple[Noun, ...]:
        """The nouns of any of these classes."""
        return tuple(n for n in self.nouns if n.classes & classes)

    @cache  # noqa: B019
    def adverbs_of(self, kind: str) -> tuple[Adverb, ...]:
        """The adverbs of a kind."""
        return tuple(a for a in self.adverbs if a.kind == kind)

    @cache  # noqa: B019
    def names_of(self, kind: str) -> tuple[Name, ...]:
        """The names of a kind."""
        return tuple(n for n in self.names if n.kind == kind)

    @cache  # noqa: B019
    def subordinators_for(self, tense: str) -> tuple[Subordinator, ...]:
        """The conjunctions that a clause of this tense may have."""
        return tuple(s for s in self.subordinators if tense in s.tenses)

    @cache  # noqa: B019
    def verbs_of(
        self,
        frames: tuple[str, ...],
        subjects: frozenset[str] | None = None,
        objects: frozenset[str] | None = None,
    ) -> tuple[Verb, ...]:
        """The verbs of these frames, for such subjects and objects."""
        return tuple(
            v
            for v in self.verbs
            if v.frame in frames
            and (subjects is None or v.subject & subjects)
            and (objects is None or v.object & objects)
        )


@cache
def load_lexicon() -> Lexicon:
    """Read the tables; every row is checked."""
    return Lexicon(
        nouns=tuple(
            Noun(e, ep, g, gender, p, gen, weak == "weak", _classes(c))
            for e, ep, g, gender, p, gen, weak, c in _rows("nouns.tsv", 8)
        ),
        compound_modifiers=tuple(
            CompoundModifier(e, g, _classes(c)) for e, g, c in _rows("compound_modifiers.tsv", 3)
        ),
        adjectives=tuple(
            Adjective(e, g, stem or g, _classes(c)) for e, g, stem, c in _rows("adjectives.tsv", 4)
        ),
        verbs=tuple(_verb(row) for row in _rows("verbs.tsv", 15)),
        adverbs=tuple(Adverb(*row) for row in _rows("adverbs.tsv", 3)),
        prepositions=tuple(
            Preposition(e, g, case, contracts == "contracts", kind, _classes(c))
            for e, g, case, contracts, kind, c in _rows("prepositions.tsv", 6)
        ),
        names=tuple(Name(*row) for row in _rows("names.tsv", 3)),
        subordinators=tuple(
            Subordinator(e, g, _classes(tenses)) for e, g, tenses in _rows("subordinators.tsv", 3)
        ),
    )


def _verb(row: list[str]) -> Verb:
    *forms, auxiliary, frame, dynamic, subject, objects, preposition = row
    governed = None
    if preposition:
        english, german, case = preposition.split()
        governed = Preposition(english, german, case, True, "governed", _classes(objects))
    base, third, past, participle, gerund, german_base, german_third, german_past, german_pp = forms
    return Verb(
        english=base,
        english_third=third,
        english_past=past,
        english_participle=participle,
        english_gerund=gerund,
        german=german_base,
        third=german_third,
        past=german_past,
        participle=german_pp,
        auxiliary=auxiliary,
        frame=frame,
        dynamic=dynamic == "dynamic",
        subject=_classes(subject),
        object=_classes(objects),
        preposition=governed,
    )


def _classes(text: str) -> frozenset[str]:
    return frozenset(text.split(","))


def _rows(name: str, width: int) -> list[list[str]]:
    """The rows of a table, its heading left out; `-` is an empty field."""
    path = FOLDER / name
    rows = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines()[1:], start=2):
        fields = ["" if field == NONE else field for field in line.split("\t")]
        if len(fields) != width:
            raise InputError(f"expected {width} fields, got {len(fields)}", path=path, line=number)
        rows.append(fields)
    return rows
