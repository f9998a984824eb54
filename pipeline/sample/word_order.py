"""A clause, laid out in English and in the three orders of German.

A German main clause has its finite verb second (or first, in a question) and the rest of the verb
at its end; a subordinate or relative clause ends in its finite verb.
"""

from __future__ import annotations

from dataclasses import dataclass

from pipeline.sample.derivation import GermanWord, Leaf, Node
from pipeline.sample.noun_phrases import NounPhrase
from pipeline.sample.predicates import Middle, Predicate
from pipeline.sample.verb_groups import VerbGroup, nested


@dataclass(slots=True)
class Clause:
    """A clause before it is laid out.

    Attributes:
        construction: how the verb is used, for the times that fit it.
    """

    subject: NounPhrase
    group: VerbGroup
    predicate: Predicate
    voice: str
    construction: str

    def english_predicate(self) -> list[Node | Leaf]:
        """The verb phrase, an adverb of frequency before it where there is no auxiliary."""
        predicate = self.predicate
        if predicate.frequency is None:
            return [nested(self.group.chain, predicate.before, predicate.rest)]
        if len(self.group.chain) == 1:
            return [predicate.frequency, nested(self.group.chain, [], predicate.rest)]
        return [nested(self.group.chain, [predicate.frequency], predicate.rest)]

    def english_statement(self) -> Node:
        """Subject and verb phrase."""
        return Node("S", [self.subject.english, *self.english_predicate()])

    def english_inverted(self) -> list[Node | Leaf]:
        """Auxiliary, subject, and what is left of the verb phrase: a question."""
        first, *chain = self.group.chain
        start: list[Node | Leaf] = [first, self.subject.english, *self.predicate.before]
        if self.predicate.frequency is not None:
            start.append(self.predicate.frequency)
        if not chain:
            return [*start, *self.predicate.rest]
        return [*start, nested(chain, [], self.predicate.rest)]

    def verb_second(self, front: list[GermanWord] | None = None) -> list[GermanWord]:
        """A main clause; what stands in front, if not the subject, puts the subject behind."""
        if front is None:
            middle = self.predicate.middle_field()
            return [*self.subject.german, self.group.finite, *middle, *self._end()]
        return [*front, *self.verb_first()]

    def verb_first(self) -> list[GermanWord]:
        """The finite verb and its subject; a pronoun object comes before a subject that is none."""
        last = Middle.PRONOUN if self.subject.kind != "pronoun" else None
        early, late = self.predicate.middle_field_after(last)
        return [self.group.finite, *early, *self.subject.german, *late, *self._end()]

    def verb_final(self) -> list[GermanWord]:
        """A subordinate clause, its subject or relative pronoun first."""
        last = [*self.group.end, self.group.finite] if self.group.end else [self.group.joined]
        middle = self.predicate.middle_field()
        return [*self.subject.german, *middle, *last, *self.predicate.after]

    def _end(self) -> list[GermanWord]:
        return [*self.group.prefix, *self.group.end, *self.predicate.after]
