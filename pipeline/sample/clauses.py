"""Builds clauses: active, passive, copular, with a relative clause or a clause as complement."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from pipeline.sample import german
from pipeline.sample.derivation import GermanWord, Leaf, Node, Phrase, comma
from pipeline.sample.lexicon import Verb
from pipeline.sample.noun_phrases import NounPhrase, NounPhrases, coordinated
from pipeline.sample.predicates import Middle, Predicate, Predicates
from pipeline.sample.verb_groups import CONSTRUCTIONS, active, copula, nested, passive
from pipeline.sample.word_order import Clause

PLAIN_FRAMES = ("intransitive", "transitive", "dative", "ditransitive", "prepositional")
PLACED_FRAMES = ("motion", "position")
COPULA_CONSTRUCTIONS = {"present": 5, "past": 4, "future": 1}
WITH_CLAUSE_CONSTRUCTIONS = {"present": 4, "past": 5, "perfect": 2, "future": 1}
RELATIVE_CONSTRUCTIONS = {"present": 3, "past": 4, "perfect": 2}
PAST = ("past", "had to")
"""Constructions whose finite verb is past."""
INANIMATE = frozenset(
    {"food", "drink", "readable", "vehicle", "building", "container", "clothing", "furniture"}
)


class Clauses:
    """Builds clauses from a lexicon by the choices of a chooser."""

    def __init__(self, nouns: NounPhrases) -> None:
        self.nouns = nouns
        self.lexicon = nouns.lexicon
        self.choose = nouns.choose
        self.predicates = Predicates(nouns)

    def clause(self, *, simple: bool, question: bool = False, tense: str | None = None) -> Clause:
        """A clause of any kind that has a subject.

        Args:
            simple: no clause inside it and no phrase inside its phrases.
            question: it will be laid out as a question: simple tenses and `had to` take `do`.
            tense: `past`, `nonpast` or `present` (nonpast without `will`), if not any.
        """
        kind = self.choose.weighted(
            {"active": 58, "passive": 14, "copula": 11, "placed": 11, "clausal": 0 if simple else 9}
        )
        match kind:
            case "passive":
                return self.passive(simple=simple, question=question, tense=tense)
            case "copula":
                return self.copula(tense=tense)
            case "clausal":
                return self._with_clause(question=question, tense=tense)
        verb = self.verb(PLACED_FRAMES if kind == "placed" else PLAIN_FRAMES)
        subject = self.subject(verb.subject, simple=simple)
        construction = self._construction(CONSTRUCTIONS, tense)
        return self.active(
            verb, subject, simple=simple, question=question, construction=construction
        )

    def _construction(self, options: Mapping[str, float], tense: str | None) -> str:
        """One of these constructions, of this tense if one is given."""
        if tense is None:
            return self.choose.weighted(options)
        left_out = ("future",) if tense == "present" else ()
        fitting = {
            option: weight
            for option, weight in options.items()
            if (option in PAST) == (tense == "past") and option not in left_out
        }
        return self.choose.weighted(fitting)

    def active(
        self,
        verb: Verb,
        subject: NounPhrase,
        *,
        simple: bool,
        question: bool = False,
        construction: str | None = None,
    ) -> Clause:
        """An active clause around a verb and its subject."""
        construction = construction or self.choose.weighted(CONSTRUCTIONS)
        if construction == "progressive" and not verb.dynamic:
            construction = "present"
        nobody = subject.kind == "no"
        negated = not nobody and self.choose.chance(0.1)
        predicate = self.predicates.complements(
            verb, subject.agreement, negated=negated, simple=simple
        )
        self.predicates.adjuncts(predicate, verb, construction, negated=nobody, simple=simple)
        group = active(
            verb,
            construction,
            subject.agreement,
            negated=(negated or nobody) and not question,
            support=negated or question,
        )
        return Clause(subject, group, predicate, "active", construction)

    def passive(self, *, simple: bool, question: bool = False, tense: str | None = None) -> Clause:
        """A passive clause: what would be the object is the subject, the doer may be named."""
        verb = self.verb(("transitive",), passive=True)
        subject = self.subject(verb.object, simple=simple)
        construction = self._construction(CONSTRUCTIONS, tense)
        predicate = Predicate()
        negated = subject.kind != "no" and self.choose.chance(0.1)
        if negated:
            negation = Leaf("RB", "not")
            predicate.before.append(negation)
            predicate.middle.append((Middle.NEGATION, [GermanWord("nicht", (negation,))]))
        if self.choose.chance(0.45):
            predicate.add(Middle.AGENT, *self.predicates.agent(simple=simple))
            self.predicates.add_setting(predicate, simple=simple)
        if self.choose.chance(0.25):
            self.predicates.add_time(predicate, construction)
        group = passive(
            verb,
            construction,
            subject.agreement,
            negated=(negated or subject.kind == "no") and not question,
            support=negated or question,
        )
        return Clause(subject, group, predicate, "passive", construction)

    def copula(self, *, tense: str | None = None) -> Clause:
        """A subject that is, was or will be of some quality."""
        subject = self.subject(INANIMATE | {"human", "animal"}, simple=True)
        construction = self._construction(COPULA_CONSTRUCTIONS, tense)
        adjective = self.choose.one(self.lexicon.adjectives_for(subject.classes))
        quality = Leaf("JJ", adjective.english)
        words = [GermanWord(adjective.german, (quality,))]
        leaves: list[Node | Leaf] = [quality]
        if self.choose.chance(0.35):
            degree = self.choose.one(self.lexicon.adverbs_of("degree"))
            leaf = Leaf("RB", degree.english)
            leaves.insert(0, leaf)
            words.insert(0, GermanWord(degree.german, (leaf,)))
        predicate = Predicate()
        if subject.kind != "no" and len(leaves) == 1 and self.choose.chance(0.15):
            negation = Leaf("RB", "not")
            predicate.before.append(negation)
            predicate.middle.append((Middle.NEGATION, [GermanWord("nicht", (negation,))]))
        predicate.add(Middle.PLACE, Node("ADJP", leaves), words)
        group = copula(construction, subject.agreement)
        return Clause(subject, group, predicate, "active", construction)

    def subject(self, classes: Collection[str], *, simple: bool) -> NounPhrase:
        """A subject; a common noun may carry a relative clause, persons may come in pairs."""
        if self.choose.chance(0.02):
            return self.nouns.common(frozenset(classes), "nom", simple=True, determiner="no")
        subject = self.nouns.argument(classes, "nom", simple=simple)
        if subject.kind == "pronoun" or simple:
            return subject
        if subject.kind != "name" and self.choose.chance(0.15):
            return self.with_relative_clause(subject)
        if "human" in subject.classes and self.choose.chance(0.1):
            other = self.nouns.argument({"human"}, "nom", pronouns=False, simple=True)
            return coordinated(subject, other)
        return subject

    def with_relative_clause(self, head: NounPhrase) -> NounPhrase:
        """`head` with a clause about it, in which it is the subject or the object."""
        by_object = self.verbs(("transitive",), objects=head.classes)
        by_subject = self.verbs(PLAIN_FRAMES, subjects=head.classes)
        if by_object and (not by_subject or self.choose.chance(0.35)):
            clause, pronoun = self._relative_object(head, self.choose.one(by_object))
        elif by_subject:
            clause, pronoun = self._relative_subject(head, self.choose.one(by_subject))
        else:
            return head
        node = Node("SBAR", [*pronoun, clause.english])
        return NounPhrase(
            english=Node("NP", [head.english, node]),
            german=[*head.german, comma(), *clause.german, comma()],
            agreement=head.agreement,
            gender=head.gender,
            kind=head.kind,
            classes=head.classes,
        )

    def _relative_subject(self, head: NounPhrase, verb: Verb) -> tuple[Phrase, list[Node]]:
        leaf = Leaf("WP", "who") if "human" in head.classes else Leaf("WDT", "that")
        number = head.agreement.number
        word = german.relative_pronoun("nom", head.gender, number)
        pronoun = Node("WHNP", [leaf])
        subject = NounPhrase(
            pronoun, [GermanWord(word, (leaf,))], head.agreement, head.gender, "who", head.classes
        )
        clause = self.active(verb, subject, simple=True)
        english = Node("S", clause.english_predicate())
        return Phrase(english, clause.verb_final()), [pronoun]

    def _relative_object(self, head: NounPhrase, verb: Verb) -> tuple[Phrase, list[Node]]:
        """The clause and its pronoun, which English may leave out: `the dog the boys chased`."""
        leaf = Leaf("WP", "whom") if "human" in head.classes else Leaf("WDT", "that")
        pronoun = [] if self.choose.chance(0.5) else [leaf]
        word = german.relative_pronoun("acc", head.gender, head.agreement.number)
        subject = self.nouns.argument(verb.subject, "nom", simple=True)
        construction = self.choose.weighted(RELATIVE_CONSTRUCTIONS)
        predicate = Predicate()
        self.predicates.adjuncts(predicate, verb, construction)
        group = active(verb, construction, subject.agreement, negated=False, support=False)
        clause = Clause(subject, group, predicate, "active", construction)
        german_words = [GermanWord(word, tuple(pronoun)), *clause.verb_final()]
        english = clause.english_statement()
        return Phrase(english, german_words), [Node("WHNP", [leaf]) for leaf in pronoun]

    def _with_clause(self, *, question: bool, tense: str | None) -> Clause:
        """`says that …` or `tries to …`: the clause comes after the German verb."""
        verb = self.verb(("clausal", "infinitive"))
        subject = self.nouns.argument(verb.subject, "nom", simple=True)
        construction = self._construction(WITH_CLAUSE_CONSTRUCTIONS, tense)
        group = active(verb, construction, subject.agreement, negated=False, support=question)
        predicate = Predicate()
        if verb.frame == "clausal":
            inner = self.clause(simple=True)
            # English may leave it out.
            that = [] if self.choose.chance(0.4) else [Leaf("IN", "that")]
            predicate.rest.append(Node("SBAR", [*that, inner.english_statement()]))
            introduced = GermanWord("dass", tuple(that))
            predicate.after = [comma(), introduced, *inner.verb_final(), comma()]
        else:
            self._add_infinitive(predicate, subject)
        return Clause(subject, group, predicate, "active", construction)

    def _add_infinitive(self, predicate: Predicate, subject: NounPhrase) -> None:
        verb = self.verb(("transitive", "ditransitive", "prepositional"), subjects={"human"})
        inner = self.predicates.complements(verb, subject.agreement, negated=False, simple=True)
        to, main = Leaf("TO", "to"), Leaf("VB", verb.english)
        predicate.rest.append(Node("S", [nested([to, main], [], inner.rest)]))
        words = german.zu_infinitive(verb).split()
        if len(words) == 2:
            ending = [GermanWord(words[0], (to,)), GermanWord(words[1], (main,))]
        else:
            ending = [GermanWord(words[0], (to, main))]
        predicate.after = [comma(), *inner.middle_field(), *ending, comma()]

    def verb(
        self,
        frames: tuple[str, ...],
        *,
        passive: bool = False,
        subjects: Collection[str] | None = None,
        objects: Collection[str] | None = None,
    ) -> Verb:
        """A verb of one of these frames, for such subjects and objects."""
        found = self.verbs(frames, subjects=subjects, objects=objects)
        return self.choose.one(tuple(v for v in found if v.passive) if passive else found)

    def verbs(
        self,
        frames: tuple[str, ...],
        *,
        subjects: Collection[str] | None = None,
        objects: Collection[str] | None = None,
    ) -> tuple[Verb, ...]:
        """The verbs of these frames, for such subjects and objects."""
        return self.lexicon.verbs_of(
            frames,
            None if subjects is None else frozenset(subjects),
            None if objects is None else frozenset(objects),
        )
