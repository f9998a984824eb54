"""What stands beside the verb: objects, prepositional phrases, adverbs, in both orders.

English complements come in a row; German ones go to the middle field, which has an order of its
own: pronouns, time, frequency, setting, dative, object, negation, manner, indefinite object, agent,
place (`liest das Buch schnell`, `liest schnell ein Buch`).

Where something happens comes before the object (`liest im Park das Buch`), what tells one object
from another after it (`liest das Buch auf dem Tisch`). English has both after the object: which it
is the place tells most of the time, and the tree always.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum

from pipeline.sample.derivation import GermanWord, Leaf, Node, Phrase
from pipeline.sample.lexicon import Adverb, Verb
from pipeline.sample.noun_phrases import NounPhrase, NounPhrases, coordinated
from pipeline.sample.verb_groups import Agreement


class Middle(IntEnum):
    """Places of the German middle field, from left to right."""

    PRONOUN = 0
    TIME = 1
    FREQUENCY = 2
    SETTING = 3
    DATIVE = 4
    OBJECT = 5
    NEGATION = 6
    MANNER = 7
    INDEFINITE = 8
    AGENT = 9
    PLACE = 10


INDEFINITE_KINDS = ("a", "", "many", "some", "numeral", "digits", "pair")
"""Noun phrases that come after an adverb of manner; pairs, which are long, with them."""
NEGATED_DETERMINERS = {"the": 5, "a": 3, "this": 1, "possessive": 2}
TIME_OF_CONSTRUCTION = {
    "past": "past_time",
    "had to": "past_time",
    "future": "future_time",
    "present": "present_time",
    "progressive": "present_time",
}
SINGLE_WORD_DAYS = ("yesterday", "today", "tomorrow", "tonight")


@dataclass(slots=True)
class Predicate:
    """Complements and adjuncts of a verb.

    Attributes:
        before: English words after the first word of the verb chain (`not`), or before the verb.
        frequency: an English adverb that stands before the main verb.
        rest: English constituents after the verb.
        middle: German middle field, each with its place.
        after: German words after the end of the clause (extraposed clauses).
        timed: whether a time is among them.
    """

    before: list[Node | Leaf] = field(default_factory=list)
    frequency: Node | None = None
    rest: list[Node] = field(default_factory=list)
    middle: list[tuple[Middle, list[GermanWord]]] = field(default_factory=list)
    after: list[GermanWord] = field(default_factory=list)
    timed: bool = False

    def add(self, place: Middle, english: Node, german: list[GermanWord]) -> None:
        """A constituent at the end of the English row and at its place in German."""
        self.rest.append(english)
        self.middle.append((place, german))

    def middle_field(self) -> list[GermanWord]:
        """The German middle field in order."""
        return self.middle_field_after(None)[1]

    def middle_field_after(self, place: Middle | None) -> tuple[list[GermanWord], list[GermanWord]]:
        """The middle field in two parts: up to a place, and after it."""
        ordered = sorted(self.middle, key=lambda item: item[0])
        early = [w for at, words in ordered if place is not None and at <= place for w in words]
        late = [w for at, words in ordered if place is None or at > place for w in words]
        return early, late


class Predicates:
    """Builds what stands beside a verb."""

    def __init__(self, nouns: NounPhrases) -> None:
        self.nouns = nouns
        self.lexicon = nouns.lexicon
        self.choose = nouns.choose

    def complements(
        self, verb: Verb, subject: Agreement, *, negated: bool, simple: bool
    ) -> Predicate:
        """The objects that a verb's frame asks for, `not` included; no clauses.

        Args:
            subject: of the verb; an object that is the same person would be reflexive.
        """
        predicate = Predicate()
        negation = Leaf("RB", "not")
        if negated:
            predicate.before.append(negation)
        swallowed = False
        match verb.frame:
            case "transitive" | "dative":
                case = "acc" if verb.frame == "transitive" else "dat"
                argument = self._object(verb, subject, case, negated=negated, simple=simple)
                swallowed = negated and _swallow_negation(argument, negation)
                self._add_object(predicate, argument)
            case "ditransitive":
                receiver = self.nouns.argument({"human"}, "dat", simple=True, beside=subject)
                self._add_receiver(predicate, receiver)
                given = self._object(verb, subject, "acc", negated=negated, simple=simple)
                swallowed = negated and _swallow_negation(given, negation)
                self._add_object(predicate, given)
            case "prepositional" | "motion" | "position":
                phrase = self._prepositional_complement(verb, simple=simple)
                predicate.add(Middle.PLACE, phrase.english, phrase.german)
        if negated and not swallowed:
            predicate.middle.append((Middle.NEGATION, [GermanWord("nicht", (negation,))]))
        return predicate

    def adjuncts(
        self,
        predicate: Predicate,
        verb: Verb,
        construction: str,
        *,
        negated: bool = False,
        simple: bool = True,
    ) -> None:
        """Adverbs and prepositional phrases that any verb may have.

        Args:
            negated: whether the subject is `no` somebody, who can do nothing `never`.
        """
        choose = self.choose
        quiet = negated or bool(predicate.before)  # negation's scope stays plain
        if verb.frame != "position" and not quiet and choose.chance(0.12):
            self._add_adverb(
                predicate, Middle.MANNER, choose.one(self.lexicon.adverbs_of("manner"))
            )
        elif not quiet and construction in ("present", "past", "perfect") and choose.chance(0.13):
            self._add_frequency(predicate)
        if verb.frame not in ("motion", "position"):
            self.add_setting(predicate, simple=simple)
        if predicate.frequency is None and choose.chance(0.2):
            self.add_time(predicate, construction)

    def add_setting(self, predicate: Predicate, *, simple: bool) -> None:
        """Now and then where something happens, or in whose company."""
        if not self.choose.chance(0.2 if simple else 0.5):
            return
        if self.choose.chance(0.12):
            phrase = self.nouns.prepositional(
                self.choose.one(self.lexicon.prepositions_of("accompaniment"))
            )
        else:
            phrase = self.nouns.place("setting")
        # What is negated is that it happens there.
        place = Middle.PLACE if predicate.before else Middle.SETTING
        predicate.add(place, phrase.english, phrase.german)

    def add_time(self, predicate: Predicate, construction: str) -> None:
        """A time, if the tense goes with one."""
        time = self.time(construction)
        if time is not None:
            predicate.add(Middle.TIME, time.english, time.german)
            predicate.timed = True

    def time(self, construction: str) -> Phrase | None:
        """A time that goes with the tense: an adverb, a weekday or a month."""
        kind = TIME_OF_CONSTRUCTION.get(construction)
        if kind is None:
            return None
        if self.choose.chance(0.6):
            return _time_adverb(self.choose.one(self.lexicon.adverbs_of(kind)))
        word, contracted, names = self.choose.weighted(
            {("on", "am", "weekday"): 2, ("in", "im", "month"): 1}
        )
        name = self.choose.one(self.lexicon.names_of(names))
        preposition, noun = Leaf("IN", word), Leaf("NNP", name.english)
        return Phrase(
            Node("PP", [preposition, Node("NP", [noun])]),
            [GermanWord(contracted, (preposition,)), GermanWord(name.german, (noun,))],
        )

    def place(self) -> Phrase:
        """A place, for the front of a clause."""
        return self.nouns.prepositional(
            self.choose.one(self.lexicon.prepositions_of("locative")), simple=True
        )

    def agent(self, *, simple: bool) -> tuple[Node, list[GermanWord]]:
        """The doer of a passive: `by` and `von` with the dative."""
        doer = self.nouns.argument({"human"}, "dat", pronouns=False, simple=simple)
        phrase = self.nouns.governed(self.lexicon.preposition("by", "agent"), doer)
        return phrase.english, phrase.german

    def _object(
        self, verb: Verb, subject: Agreement, case: str, *, negated: bool, simple: bool
    ) -> NounPhrase:
        if not negated:
            argument = self.nouns.argument(verb.object, case, simple=simple, beside=subject)
            if argument.kind == "pronoun" or not self.choose.chance(0.08):
                return argument
            other = self.nouns.argument(verb.object, case, pronouns=False, simple=True)
            return coordinated(argument, other)
        determiner = self.choose.weighted(NEGATED_DETERMINERS)
        return self.nouns.common(verb.object, case, simple=True, determiner=determiner)

    def _add_object(self, predicate: Predicate, argument: NounPhrase) -> None:
        """The only object, in whichever case, or the second of two."""
        place = Middle.INDEFINITE if argument.kind in INDEFINITE_KINDS else Middle.OBJECT
        at = Middle.PRONOUN if argument.kind == "pronoun" else place
        predicate.add(at, argument.english, argument.german)

    def _add_receiver(self, predicate: Predicate, argument: NounPhrase) -> None:
        at = Middle.PRONOUN if argument.kind == "pronoun" else Middle.DATIVE
        predicate.add(at, argument.english, argument.german)

    def _prepositional_complement(self, verb: Verb, *, simple: bool) -> Phrase:
        if verb.frame == "motion":
            return self.nouns.prepositional(
                self.choose.one(self.lexicon.prepositions_of("directional"))
            )
        if verb.frame == "position":
            return self.place()
        assert verb.preposition is not None
        argument = self.nouns.argument(
            verb.object, verb.preposition.case, pronouns=False, simple=simple
        )
        return self.nouns.governed(verb.preposition, argument)

    def _add_adverb(self, predicate: Predicate, place: Middle, adverb: Adverb) -> None:
        leaf = Leaf("RB", adverb.english)
        predicate.add(place, Node("ADVP", [leaf]), [GermanWord(adverb.german, (leaf,))])

    def _add_frequency(self, predicate: Predicate) -> None:
        adverb = self.choose.one(self.lexicon.adverbs_of("frequency"))
        leaf = Leaf("RB", adverb.english)
        predicate.frequency = Node("ADVP", [leaf])
        predicate.middle.append((Middle.FREQUENCY, [GermanWord(adverb.german, (leaf,))]))


def _swallow_negation(argument: NounPhrase, negation: Leaf) -> bool:
    """`not … a` is `kein`: put the negation into an indefinite object's article."""
    if argument.kind != "a":
        return False
    article = argument.german[0]
    argument.german[0] = GermanWord(f"k{article.word}", (negation, *article.sources))
    return True


def _time_adverb(adverb: Adverb) -> Phrase:
    words = adverb.english.split()
    if len(words) == 1:
        day = words[0] in SINGLE_WORD_DAYS
        leaves = [Leaf("NN" if day else "RB", words[0])]
        label = "NP" if day else "ADVP"
    else:
        leaves = [Leaf("JJ" if w in ("last", "next") else "DT", w) for w in words[:-1]]
        leaves.append(Leaf("NN", words[-1]))
        label = "NP"
    german = [GermanWord(word, tuple(leaves)) for word in adverb.german.split()]
    return Phrase(Node(label, list(leaves)), german)
