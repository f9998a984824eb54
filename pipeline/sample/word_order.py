"""A clause, laid out in English and in the three orders of German.

A German main clause has its finite verb second (or first, in a question) and the rest of the verb
at its end; a subordinate or relative clause ends in its finite verb.

English complements come in a row; German ones go to the middle field, which has an order of its
own: pronouns, time, frequency, setting, dative, object, negation, manner, indefinite object, agent,
place (`liest das Buch schnell`, `liest schnell ein Buch`).

Where something happens comes before the object (`liest im Park das Buch`), what tells one object
from another after it (`liest das Buch auf dem Tisch`). English has both after the object: which it
is the place tells most of the time, and the tree always.
"""

from dataclasses import dataclass, field
from enum import IntEnum

from pipeline.sample.derivation import GermanWord, Leaf, Node, Phrase
from pipeline.sample.noun_phrases import NounPhrase
from pipeline.sample.verb_groups import VerbGroup, nested


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


@dataclass(slots=True)
class Predicate:
    """Complements and adjuncts of a verb."""

    #: `not`, after the first word of the English verb chain.
    negation: list[Leaf] = field(default_factory=list)
    #: an English adverb that stands before the main verb.
    frequency: list[Node] = field(default_factory=list)
    phrases: list[Phrase] = field(default_factory=list)  #: in the order of English, after the verb.
    #: German middle field, each with its place.
    middle: list[tuple[Middle, list[GermanWord]]] = field(default_factory=list)
    #: German words after the end of the clause (extraposed clauses).
    after: list[GermanWord] = field(default_factory=list)

    def add(self, place: Middle, phrase: Phrase) -> None:
        """A constituent at the end of the English row and at its place in German."""
        if isinstance(phrase, NounPhrase) and phrase.kind == "pronoun":
            place = Middle.PRONOUN
        self.phrases.append(phrase)
        self.middle.append((place, phrase.german))

    def negate(self, article: GermanWord | None = None) -> None:
        """Add `not` and `nicht`; with an indefinite object's article, `not … a` is `kein`."""
        negation = Leaf("RB", "not")
        self.negation.append(negation)
        if article is None:
            self.middle.append((Middle.NEGATION, [GermanWord("nicht", (negation,))]))
        else:
            article.word = f"k{article.word}"
            article.sources = (negation, *article.sources)

    @property
    def rest(self) -> list[Node]:
        """English constituents after the verb."""
        return [phrase.english for phrase in self.phrases]

    @property
    def timed(self) -> bool:
        """Whether a time is among them."""
        return any(place is Middle.TIME for place, _ in self.middle)

    def middle_field(
        self, first: Middle = Middle.PRONOUN, last: Middle = Middle.PLACE
    ) -> list[GermanWord]:
        """The German middle field in order, or a closed range of its places."""
        ordered = sorted(self.middle, key=lambda item: item[0])
        return [word for place, words in ordered if first <= place <= last for word in words]


@dataclass(slots=True)
class Clause:
    """A clause before it is laid out."""

    subject: NounPhrase
    group: VerbGroup
    predicate: Predicate
    construction: str  #: how the verb is used, for the times that fit it.
    voice: str = "active"

    def english_predicate(self) -> list[Node | Leaf]:
        """The verb phrase, an adverb of frequency before it where there is no auxiliary."""
        chain, predicate = self.group.chain, self.predicate
        if len(chain) == 1:
            return [*predicate.frequency, nested(chain, predicate.negation, predicate.rest)]
        return [nested(chain, [*predicate.negation, *predicate.frequency], predicate.rest)]

    def english_statement(self) -> Node:
        """Subject and verb phrase."""
        return Node("S", [self.subject.english, *self.english_predicate()])

    def english_inverted(self) -> list[Node | Leaf]:
        """Auxiliary, subject, and what is left of the verb phrase: a question."""
        (first, *chain), predicate = self.group.chain, self.predicate
        rest = [nested(chain, [], predicate.rest)] if chain else predicate.rest
        return [first, self.subject.english, *predicate.negation, *predicate.frequency, *rest]

    def german_predicate(self) -> list[GermanWord]:
        """A main clause without what stands in front of its finite verb."""
        return [self.group.finite, *self.predicate.middle_field(), *self._end()]

    def verb_second(self) -> list[GermanWord]:
        """A main clause with its subject in front."""
        return [*self.subject.german, *self.german_predicate()]

    def verb_first(self) -> list[GermanWord]:
        """The finite verb and its subject; a pronoun object comes before a subject that is none."""
        early: list[GermanWord] = []
        late = self.predicate.middle_field()
        if self.subject.kind != "pronoun":
            early = self.predicate.middle_field(last=Middle.PRONOUN)
            late = self.predicate.middle_field(first=Middle.TIME)
        return [self.group.finite, *early, *self.subject.german, *late, *self._end()]

    def verb_final(self) -> list[GermanWord]:
        """A subordinate clause, its subject or relative pronoun first."""
        middle = self.predicate.middle_field()
        return [*self.subject.german, *middle, *self.group.final(), *self.predicate.after]

    def _end(self) -> list[GermanWord]:
        return [*self.group.end, *self.predicate.after]
