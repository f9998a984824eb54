"""Kinds of sentences: statements, what may stand in front of them, coordination, questions."""

from __future__ import annotations

from pipeline.sample import german
from pipeline.sample.clauses import PLAIN_FRAMES, Clauses
from pipeline.sample.derivation import GermanWord, Leaf, Node, Sentence, comma
from pipeline.sample.noun_phrases import NounPhrase
from pipeline.sample.predicates import Predicate
from pipeline.sample.verb_groups import Agreement, active
from pipeline.sample.word_order import Clause

KINDS = {
    "statement": 52,
    "fronted": 14,
    "subordinate": 9,
    "clause in front": 5,
    "coordinated": 5,
    "two predicates": 6,
    "existence": 4,
    "yes or no": 5,
    "who": 3,
    "what": 3,
    "where": 3,
}
"""Each kind of sentence with how often it comes."""

QUESTION_CONSTRUCTIONS = {"present": 3, "past": 4, "perfect": 2, "future": 1}
ADVERBIAL_QUESTIONS = {"where": "wo", "when": "wann", "why": "warum"}
TIMED_QUESTION_CONSTRUCTIONS = {"present": 3, "past": 4, "future": 1}
"""Of `when`, which asks for a time that the English perfect doesn't go with."""


class Sentences:
    """Builds sentences of all kinds from clauses."""

    def __init__(self, clauses: Clauses) -> None:
        self.clauses = clauses
        self.nouns = clauses.nouns
        self.lexicon = clauses.lexicon
        self.choose = clauses.choose

    def sentence(self) -> Sentence:
        """A sentence of any kind."""
        match self.choose.weighted(KINDS):
            case "fronted":
                return self.fronted()
            case "subordinate":
                return self.subordinate(in_front=False)
            case "clause in front":
                return self.subordinate(in_front=True)
            case "coordinated":
                return self.coordinated()
            case "two predicates":
                return self.two_predicates()
            case "existence":
                return self.existence()
            case "yes or no":
                return self.yes_or_no()
            case "who":
                return self.who()
            case "what":
                return self.what()
            case "where":
                return self.adverbial_question()
        clause = self.clauses.clause(simple=False)
        return _statement(clause, clause.english_statement(), clause.verb_second())

    def fronted(self) -> Sentence:
        """A time or a place in front: German puts the subject behind the verb."""
        clause = self.clauses.clause(simple=self.choose.chance(0.5))
        predicates = self.clauses.predicates
        front = None if clause.predicate.timed else predicates.time(clause.construction)
        if front is None:
            front = predicates.place()
        mark = Leaf(",", ",")
        node = Node("S", [front.english, mark, *clause.english_statement().children])
        return _statement(clause, node, clause.verb_second(front.german))

    def subordinate(self, *, in_front: bool) -> Sentence:
        """A main clause and a clause with a conjunction, whose German verb is final."""
        main = self.clauses.clause(simple=True)
        conjunction = self.choose.one(self.lexicon.subordinators_for(main.group.tense))
        tense = conjunction.tense_beside(main.group.tense)
        other = self.clauses.clause(simple=True, tense=tense)
        leaf = Leaf("IN" if conjunction.english != "when" else "WRB", conjunction.english)
        head: list[Node | Leaf] = [leaf] if leaf.tag == "IN" else [Node("WHADVP", [leaf])]
        clause = Node("SBAR", [*head, other.english_statement()])
        words = [GermanWord(conjunction.german, (leaf,)), *other.verb_final()]
        if in_front:
            mark = Leaf(",", ",")
            node = Node("S", [clause, mark, *main.english_statement().children])
            return _statement(main, node, main.verb_second([*words, GermanWord(",", (mark,))]))
        statement = main.english_statement()
        verb_phrase = statement.children[-1]
        assert isinstance(verb_phrase, Node)
        _innermost(verb_phrase).children.append(clause)
        return _statement(main, statement, [*main.verb_second(), comma(), *words])

    def coordinated(self) -> Sentence:
        """Two main clauses with `and` or `but`."""
        first = self.clauses.clause(simple=True)
        second = self.clauses.clause(simple=True, tense=first.group.tense)
        word, translation = self.choose.weighted({("and", "und"): 3, ("but", "aber"): 2})
        conjunction = Leaf("CC", word)
        # `and` may do without a comma: only what follows tells a clause from a second object.
        mark = [] if word == "and" and self.choose.chance(0.6) else [Leaf(",", ",")]
        node = Node(
            "S", [first.english_statement(), *mark, conjunction, second.english_statement()]
        )
        separator = [GermanWord(",", tuple(mark))] if word == "but" else []
        joint = GermanWord(translation, (conjunction,) if separator else (*mark, conjunction))
        return _statement(
            first, node, [*first.verb_second(), *separator, joint, *second.verb_second()]
        )

    def two_predicates(self) -> Sentence:
        """One subject, two verbs in one simple tense."""
        construction = self.choose.weighted({"present": 1, "past": 1})
        first_verb = self.clauses.verb(PLAIN_FRAMES, subjects={"human"})
        subject = self.clauses.subject({"human"}, simple=False)
        build = self.clauses.active
        first = build(first_verb, subject, simple=True, construction=construction)
        second_verb = self.clauses.verb(PLAIN_FRAMES, subjects={"human"})
        second = build(second_verb, subject, simple=True, construction=construction)
        conjunction = Leaf("CC", "and")
        pair = Node(
            "VP",
            [_one(first.english_predicate()), conjunction, _one(second.english_predicate())],
        )
        behind = [second.group.finite, *second.predicate.middle_field(), *second.group.prefix]
        words = [*first.verb_second(), GermanWord("und", (conjunction,)), *behind]
        return _statement(first, Node("S", [subject.english, pair]), words)

    def existence(self) -> Sentence:
        """`There is` and `es gibt`, with an accusative."""
        thing = self.nouns.common(THERE, "acc", simple=True, determiner="a")
        past = self.choose.chance(0.4)
        there = Leaf("EX", "there")
        be = Leaf("VBD", "was") if past else Leaf("VBZ", "is")
        place = self.clauses.predicates.place()
        node = Node(
            "S",
            [Node("NP", [there]), Node("VP", [be, thing.english, place.english])],
        )
        finite = GermanWord("gab" if past else "gibt", (be,))
        words = [GermanWord("es", (there,)), finite, *thing.german, *place.german]
        return _finished(node, words, ".", "active", "past" if past else "nonpast")

    def yes_or_no(self) -> Sentence:
        """A question with the verb first."""
        clause = self.clauses.clause(simple=True, question=True)
        return _question(clause, Node("SQ", clause.english_inverted()), clause.verb_first())

    def who(self) -> Sentence:
        """A question for the subject: no inversion in English."""
        leaf = Leaf("WP", "who")
        pronoun = Node("WHNP", [leaf])
        subject = NounPhrase(
            pronoun,
            [GermanWord(german.interrogative("nom"), (leaf,))],
            Agreement(3, "sg"),
            "m",
            "who",
            frozenset({"human"}),
        )
        verb = self.clauses.verb(PLAIN_FRAMES, subjects={"human"})
        clause = self.clauses.active(verb, subject, simple=True)
        node = Node("SBARQ", [pronoun, Node("SQ", clause.english_predicate())])
        return _question(clause, node, clause.verb_second())

    def what(self) -> Sentence:
        """A question for the object, a person or a thing."""
        person = self.choose.chance(0.3)
        classes = {"human"} if person else {"readable", "food", "drink", "vehicle", "tool"}
        verb = self.clauses.verb(("transitive",), objects=classes)
        subject = self.nouns.argument(verb.subject, "nom", simple=True)
        construction = self.choose.weighted(QUESTION_CONSTRUCTIONS)
        predicate = Predicate()
        self.clauses.predicates.adjuncts(predicate, verb, construction)
        group = active(verb, construction, subject.agreement, negated=False, support=True)
        clause = Clause(subject, group, predicate, "active", construction)
        leaf = Leaf("WP", "whom" if person else "what")
        word = german.interrogative("acc") if person else "was"
        node = Node("SBARQ", [Node("WHNP", [leaf]), Node("SQ", clause.english_inverted())])
        return _question(clause, node, clause.verb_second([GermanWord(word, (leaf,))]))

    def adverbial_question(self) -> Sentence:
        """A question for a place, a time or a reason."""
        word = self.choose.weighted({"where": 3, "when": 2, "why": 3})
        verb = self.clauses.verb(("transitive", "dative", "intransitive"), subjects={"human"})
        subject = self.nouns.argument({"human"}, "nom", simple=True)
        construction = self.choose.weighted(
            TIMED_QUESTION_CONSTRUCTIONS if word == "when" else QUESTION_CONSTRUCTIONS
        )
        predicate = self.clauses.predicates.complements(
            verb, subject.agreement, negated=False, simple=True
        )
        group = active(verb, construction, subject.agreement, negated=False, support=True)
        clause = Clause(subject, group, predicate, "active", construction)
        leaf = Leaf("WRB", word)
        node = Node("SBARQ", [Node("WHADVP", [leaf]), Node("SQ", clause.english_inverted())])
        front = [GermanWord(ADVERBIAL_QUESTIONS[word], (leaf,))]
        return _question(clause, node, clause.verb_second(front))


THERE = frozenset({"building", "furniture", "container", "readable", "vehicle", "animal"})
"""What there may be somewhere."""


def _statement(clause: Clause, node: Node, words: list[GermanWord]) -> Sentence:
    return _finished(node, words, ".", clause.voice, clause.group.tense)


def _question(clause: Clause, node: Node, words: list[GermanWord]) -> Sentence:
    return _finished(node, words, "?", clause.voice, clause.group.tense)


def _finished(node: Node, words: list[GermanWord], mark: str, voice: str, tense: str) -> Sentence:
    """The sentence with its final mark, which the two sides share."""
    leaf = Leaf(".", mark)
    closed = Node(node.label, [*node.children, leaf])
    return Sentence(closed, [*words, GermanWord(mark, (leaf,))], voice, tense)


def _innermost(verb_phrase: Node) -> Node:
    """The verb phrase of the main verb, where an adverbial clause is attached."""
    for child in reversed(verb_phrase.children):
        if isinstance(child, Node) and child.label == "VP":
            return _innermost(child)
    return verb_phrase


def _one(children: list[Node | Leaf]) -> Node | Leaf:
    """A predicate as one constituent: an adverb of frequency goes inside the verb phrase."""
    if len(children) == 1:
        return children[0]
    adverb, verb_phrase = children
    assert isinstance(verb_phrase, Node)
    return Node("VP", [adverb, *verb_phrase.children])
