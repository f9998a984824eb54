"""Kinds of sentences: statements, what may stand in front of them, coordination, questions."""

from pipeline.sample import lexicon
from pipeline.sample.chooser import Chooser
from pipeline.sample.clauses import (
    PLAIN_FRAMES,
    active,
    any_clause,
    clause_of,
    subject_of,
    without_object,
)
from pipeline.sample.derivation import GermanWord, Leaf, Node, Phrase, Sentence, one_word
from pipeline.sample.lexicon import HUMAN, Classes
from pipeline.sample.noun_phrases import NounPhrase, argument, common, prepositional
from pipeline.sample.predicates import complements, time
from pipeline.sample.verb_groups import CONSTRUCTIONS, VerbGroup
from pipeline.sample.word_order import Clause, Middle, Predicate

QUESTION_CONSTRUCTIONS = {"present": 3, "past": 4, "perfect": 2, "future": 1}
ADVERBIAL_QUESTIONS = {("where", "wo"): 3, ("when", "wann"): 2, ("why", "warum"): 3}
TIMED_QUESTION_CONSTRUCTIONS = {"present": 3, "past": 4, "future": 1}
"""Weights for `when`, which asks for a time that the English perfect doesn't go with."""
THERE: Classes = frozenset({"building", "furniture", "container", "readable", "vehicle", "animal"})
"""Classes of `there is`."""
THINGS: Classes = frozenset({"readable", "food", "drink", "vehicle", "tool"})
"""Classes that `what` asks for."""


def sentence(choose: Chooser) -> Sentence:
    """A sentence of any kind."""
    return choose.weighted(KINDS)(choose)


def _statement(choose: Chooser) -> Sentence:
    clause = any_clause(choose, simple=False)
    return _finished(clause.english_statement(), clause.verb_second(), clause)


def _fronted(choose: Chooser) -> Sentence:
    """A time or a place in front: German puts the subject behind the verb."""
    clause = any_clause(choose, simple=choose.chance(0.5))
    front = None if clause.predicate.timed else time(choose, clause.construction)
    if front is None:
        front = _place(choose)
    node = Node("S", [front.english, Leaf(",", ","), *clause.english_statement().children])
    return _finished(node, [*front.german, *clause.verb_first()], clause)


def _place(choose: Chooser) -> Phrase:
    return prepositional(choose, choose.one(lexicon.prepositions("locative")))


def _subordinate(choose: Chooser) -> Sentence:
    """A main clause and, in the innermost verb phrase, a clause with a conjunction."""
    main, clause = _main_and_subordinate(choose)
    statement = main.english_statement()
    verb_phrase = statement
    while inner := [c for c in verb_phrase.children if isinstance(c, Node) and c.label == "VP"]:
        verb_phrase = inner[-1]
    verb_phrase.children.append(clause.english)
    return _finished(statement, [*main.verb_second(), GermanWord(","), *clause.german], main)


def _subordinate_in_front(choose: Chooser) -> Sentence:
    main, clause = _main_and_subordinate(choose)
    mark = Leaf(",", ",")
    node = Node("S", [clause.english, mark, *main.english_statement().children])
    words = [*clause.german, GermanWord(",", (mark,)), *main.verb_first()]
    return _finished(node, words, main)


def _main_and_subordinate(choose: Chooser) -> tuple[Clause, Phrase]:
    main = any_clause(choose, simple=True)
    tense = main.group.tense
    conjunction = choose.one(lexicon.subordinators(tense))
    if tense == "nonpast" and "future" not in conjunction.tenses:
        tense = "present"
    clause = any_clause(choose, simple=True, tense=tense)
    leaf = Leaf("WRB" if conjunction.english == "when" else "IN", conjunction.english)
    head = Node("WHADVP", [leaf]) if leaf.tag == "WRB" else leaf
    node = Node("SBAR", [head, clause.english_statement()])
    return main, Phrase(node, [GermanWord(conjunction.german, (leaf,)), *clause.verb_final()])


def _coordinated(choose: Chooser) -> Sentence:
    """Two main clauses with `and` or `but`."""
    first = any_clause(choose, simple=True)
    second = any_clause(choose, simple=True, tense=first.group.tense)
    word, translation = choose.weighted({("and", "und"): 3, ("but", "aber"): 2})
    conjunction = Leaf("CC", word)
    # `and` may do without a comma: only what follows tells a clause from a second object.
    mark = [] if word == "and" and choose.chance(0.6) else [Leaf(",", ",")]
    if word == "but":
        joint = [GermanWord(",", tuple(mark)), GermanWord(translation, (conjunction,))]
    else:
        joint = [GermanWord(translation, (*mark, conjunction))]
    second_statement = second.english_statement()
    node = Node("S", [first.english_statement(), *mark, conjunction, second_statement])
    german = [*first.verb_second(), *joint, *second.verb_second()]
    return _finished(node, german, first)


def _two_predicates(choose: Chooser) -> Sentence:
    """One subject, two verbs in one simple tense."""
    construction = choose.weighted({"present": 1, "past": 1})
    verbs = lexicon.verbs(*PLAIN_FRAMES, subjects=HUMAN)
    verb = choose.one(verbs)
    subject = subject_of(choose, HUMAN, simple=False)
    first = active(choose, verb, subject, construction)
    second = active(choose, choose.one(verbs), subject, construction)
    conjunction = Leaf("CC", "and")
    predicates = [_verb_phrase(clause) for clause in (first, second)]
    pair = Node("VP", [predicates[0], conjunction, predicates[1]])
    words = [*first.verb_second(), GermanWord("und", (conjunction,)), *second.german_predicate()]
    return _finished(Node("S", [subject.english, pair]), words, first)


def _verb_phrase(clause: Clause) -> Node | Leaf:
    """A predicate as one constituent: an adverb of frequency goes inside the verb phrase."""
    *adverb, verb_phrase = clause.english_predicate()
    if adverb and isinstance(verb_phrase, Node):
        return Node("VP", [*adverb, *verb_phrase.children])
    return verb_phrase


def _existence(choose: Chooser) -> Sentence:
    """`There is` and `es gibt`, with an accusative."""
    thing = common(choose, THERE, "acc", simple=True, determiner="a")
    tag, english, german = ("VBD", "was", "gab") if choose.chance(0.4) else ("VBZ", "is", "gibt")
    there = NounPhrase.of(one_word("NP", "EX", "there", "es"), "there")
    be = Leaf(tag, english)
    predicate = Predicate()
    predicate.add(Middle.OBJECT, thing)
    predicate.add(Middle.PLACE, _place(choose))
    clause = Clause(there, VerbGroup([be], GermanWord(german, (be,)), []), predicate, "existence")
    return _finished(clause.english_statement(), clause.verb_second(), clause)


def _yes_or_no(choose: Chooser) -> Sentence:
    """A question with the verb first."""
    clause = any_clause(choose, simple=True, question=True)
    return _finished(Node("SQ", clause.english_inverted()), clause.verb_first(), clause, "?")


def _who(choose: Chooser) -> Sentence:
    """A question for the subject: no inversion in English."""
    pronoun = NounPhrase.of(one_word("WHNP", "WP", "who", "wer"), "who")
    verb = choose.one(lexicon.verbs(*PLAIN_FRAMES, subjects=HUMAN))
    clause = active(choose, verb, pronoun, choose.weighted(CONSTRUCTIONS))
    node = Node("SBARQ", [pronoun.english, Node("SQ", clause.english_predicate())])
    return _finished(node, clause.verb_second(), clause, "?")


def _what(choose: Chooser) -> Sentence:
    """A question for the object, a person or a thing."""
    person = choose.chance(0.3)
    verb = choose.one(lexicon.verbs("transitive", objects=HUMAN if person else THINGS))
    clause = without_object(choose, verb, QUESTION_CONSTRUCTIONS, question=True)
    english, german = ("whom", "wen") if person else ("what", "was")
    return _asked(one_word("WHNP", "WP", english, german), clause)


def _where(choose: Chooser) -> Sentence:
    """A question for a place, a time or a reason."""
    english, german = choose.weighted(ADVERBIAL_QUESTIONS)
    verb = choose.one(lexicon.verbs("transitive", "dative", "intransitive", subjects=HUMAN))
    subject = argument(choose, HUMAN, "nom", simple=True)
    construction = choose.weighted(
        TIMED_QUESTION_CONSTRUCTIONS if english == "when" else QUESTION_CONSTRUCTIONS
    )
    predicate = complements(choose, verb, subject.agreement, negated=False, simple=True)
    clause = clause_of(verb, construction, subject, predicate, question=True)
    return _asked(one_word("WHADVP", "WRB", english, german), clause)


def _asked(word: Phrase, clause: Clause) -> Sentence:
    """A question that begins with an interrogative and inverts verb and subject."""
    node = Node("SBARQ", [word.english, Node("SQ", clause.english_inverted())])
    return _finished(node, [*word.german, *clause.verb_first()], clause, "?")


def _finished(node: Node, words: list[GermanWord], clause: Clause, mark: str = ".") -> Sentence:
    """The sentence of a main clause, with the final mark that both sides share."""
    leaf = Leaf(".", mark)
    node = Node(node.label, [*node.children, leaf])
    return Sentence(node, [*words, GermanWord(mark, (leaf,))], clause.voice, clause.group.tense)


KINDS = {
    _statement: 52,
    _fronted: 14,
    _subordinate: 9,
    _subordinate_in_front: 5,
    _coordinated: 5,
    _two_predicates: 6,
    _existence: 4,
    _yes_or_no: 5,
    _who: 3,
    _what: 3,
    _where: 3,
}
"""Each kind of sentence with how often it comes."""
