"""Builds clauses: active, passive, copular, with a relative clause or a clause as complement."""

from collections.abc import Mapping
from dataclasses import replace

from pipeline.sample import german, lexicon, verb_groups
from pipeline.sample.chooser import Chooser
from pipeline.sample.derivation import GermanWord, Leaf, Node, Phrase, one_word
from pipeline.sample.lexicon import HUMAN, Classes, Verb
from pipeline.sample.noun_phrases import NounPhrase, argument, common, coordinated, governed
from pipeline.sample.predicates import add_adjuncts, add_setting, add_time, complements
from pipeline.sample.verb_groups import CONSTRUCTIONS, nested
from pipeline.sample.word_order import Clause, Middle, Predicate

PLAIN_FRAMES = ("intransitive", "transitive", "dative", "ditransitive", "prepositional")
PLACED_FRAMES = ("motion", "position")
COPULA_CONSTRUCTIONS = {"present": 5, "past": 4, "future": 1}
WITH_CLAUSE_CONSTRUCTIONS = {"present": 4, "past": 5, "perfect": 2, "future": 1}
RELATIVE_CONSTRUCTIONS = {"present": 3, "past": 4, "perfect": 2}
PAST = ("past", "had to")
"""Constructions whose finite verb is past."""
WITH_QUALITIES: Classes = frozenset(
    {"human", "animal", "food", "drink", "readable", "vehicle", "building", "container"}
    | {"clothing", "furniture"}
)


def any_clause(
    choose: Chooser, *, simple: bool, question: bool = False, tense: str | None = None
) -> Clause:
    """A clause of any kind that has a subject.

    Args:
        simple: no clause inside it and no phrase inside its phrases.
        question: it will be laid out as a question: simple tenses and `had to` take `do`.
        tense: `past`, `nonpast` or `present` (nonpast without `will`), if not any.
    """
    kind = choose.weighted(
        {"active": 58, "passive": 14, "copula": 11, "placed": 11, "clausal": 0 if simple else 9}
    )
    match kind:
        case "passive":
            return _passive(choose, simple=simple, question=question, tense=tense)
        case "copula":
            return _copula(choose, tense=tense)
        case "clausal":
            return _with_clause(choose, question=question, tense=tense)
    verb = choose.one(lexicon.verbs(*(PLACED_FRAMES if kind == "placed" else PLAIN_FRAMES)))
    subject = subject_of(choose, verb.subject, simple=simple)
    construction = _construction(choose, CONSTRUCTIONS, tense)
    return active(choose, verb, subject, construction, simple=simple, question=question)


def clause_of(
    verb: Verb,
    construction: str,
    subject: NounPhrase,
    predicate: Predicate,
    *,
    question: bool,
    voice: str = "active",
) -> Clause:
    """The clause of these parts, its verb in the form that they ask for."""
    negated = bool(predicate.negation)
    group = (verb_groups.passive if voice == "passive" else verb_groups.active)(
        verb,
        construction,
        subject.agreement,
        negated=(negated or subject.kind == "no") and not question,
        support=negated or question,
    )
    return Clause(subject, group, predicate, construction, voice)


def active(
    choose: Chooser,
    verb: Verb,
    subject: NounPhrase,
    construction: str,
    *,
    simple: bool = True,
    question: bool = False,
) -> Clause:
    """An active clause around a verb and its subject."""
    if construction == "progressive" and verb.aspect == "static":
        construction = "present"
    nobody = subject.kind == "no"
    negated = not nobody and choose.chance(0.1)
    predicate = complements(choose, verb, subject.agreement, negated=negated, simple=simple)
    add_adjuncts(choose, predicate, verb, construction, negated=nobody, simple=simple)
    return clause_of(verb, construction, subject, predicate, question=question)


def without_object(
    choose: Chooser, verb: Verb, constructions: Mapping[str, float], *, question: bool
) -> Clause:
    """A clause whose object is asked for, or is what the clause is about."""
    subject = argument(choose, verb.subject, "nom", simple=True)
    construction = choose.weighted(constructions)
    predicate = Predicate()
    add_adjuncts(choose, predicate, verb, construction)
    return clause_of(verb, construction, subject, predicate, question=question)


def _construction(choose: Chooser, options: Mapping[str, float], tense: str | None) -> str:
    """One of these constructions, of this tense if one is given."""
    if tense is not None:
        options = {
            option: weight
            for option, weight in options.items()
            if (option in PAST) == (tense == "past") and (option, tense) != ("future", "present")
        }
    return choose.weighted(options)


def _passive(choose: Chooser, *, simple: bool, question: bool, tense: str | None) -> Clause:
    """A passive clause: what would be the object is the subject, the doer may be named."""
    transitive = lexicon.verbs("transitive")
    verb = choose.one([verb for verb in transitive if verb.aspect == "dynamic"])
    subject = subject_of(choose, verb.object, simple=simple)
    construction = _construction(choose, CONSTRUCTIONS, tense)
    predicate = Predicate()
    if subject.kind != "no" and choose.chance(0.1):
        predicate.negate()
    if choose.chance(0.45):
        doer = argument(choose, HUMAN, "dat", pronouns=False, simple=simple)
        predicate.add(Middle.AGENT, governed(lexicon.prepositions("agent")[0], doer))
        add_setting(choose, predicate, simple=simple)
    if choose.chance(0.25):
        add_time(choose, predicate, construction)
    return clause_of(verb, construction, subject, predicate, question=question, voice="passive")


def _copula(choose: Chooser, *, tense: str | None) -> Clause:
    """A subject that is, was or will be of some quality."""
    subject = subject_of(choose, WITH_QUALITIES, simple=True)
    construction = _construction(choose, COPULA_CONSTRUCTIONS, tense)
    adjective = choose.one(lexicon.adjectives(subject.classes))
    quality = one_word("ADJP", "JJ", adjective.english, adjective.german)
    predicate = Predicate()
    if choose.chance(0.35):
        adverb = choose.one(lexicon.words("degree"))
        degree = Leaf("RB", adverb.english)
        quality.english.children.insert(0, degree)
        quality.german.insert(0, GermanWord(adverb.german, (degree,)))
    elif subject.kind != "no" and choose.chance(0.15):
        predicate.negate()
    predicate.add(Middle.PLACE, quality)
    group = verb_groups.copula(construction, subject.agreement)
    return Clause(subject, group, predicate, construction)


def _with_clause(choose: Chooser, *, question: bool, tense: str | None) -> Clause:
    """`says that …` or `tries to …`: the clause comes after the German verb."""
    verb = choose.one(lexicon.verbs("clausal", "infinitive"))
    subject = argument(choose, verb.subject, "nom", simple=True)
    construction = _construction(choose, WITH_CLAUSE_CONSTRUCTIONS, tense)
    content = _that(choose) if verb.frame == "clausal" else _infinitive(choose, subject)
    after = [GermanWord(","), *content.german, GermanWord(",")]
    predicate = Predicate(phrases=[content], after=after)
    return clause_of(verb, construction, subject, predicate, question=question)


def _that(choose: Chooser) -> Phrase:
    """A clause with `dass`; English may leave `that` out."""
    inner = any_clause(choose, simple=True)
    that = [] if choose.chance(0.4) else [Leaf("IN", "that")]
    return Phrase(
        Node("SBAR", [*that, inner.english_statement()]),
        [GermanWord("dass", tuple(that)), *inner.verb_final()],
    )


def _infinitive(choose: Chooser, subject: NounPhrase) -> Phrase:
    verb = choose.one(lexicon.verbs("transitive", "ditransitive", "prepositional", subjects=HUMAN))
    inner = complements(choose, verb, subject.agreement, negated=False, simple=True)
    chain = [Leaf("TO", "to"), Leaf("VB", verb.english)]
    words = german.zu_infinitive(verb).split()
    sources = [tuple(chain)] if len(words) == 1 else [(leaf,) for leaf in chain]
    ending = [GermanWord(*word) for word in zip(words, sources, strict=True)]
    english = Node("S", [nested(chain, [], inner.rest)])
    return Phrase(english, [*inner.middle_field(), *ending])


def subject_of(choose: Chooser, classes: Classes, *, simple: bool) -> NounPhrase:
    """A subject; a common noun may carry a relative clause, persons may come in pairs."""
    if choose.chance(0.02):
        return common(choose, classes, "nom", simple=True, determiner="no")
    subject = argument(choose, classes, "nom", simple=simple)
    if subject.kind == "pronoun" or simple:
        return subject
    if subject.kind != "name" and choose.chance(0.15):
        return _with_relative_clause(choose, subject)
    if "human" in subject.classes and choose.chance(0.1):
        other = argument(choose, HUMAN, "nom", pronouns=False, simple=True)
        return coordinated(subject, other)
    return subject


def _with_relative_clause(choose: Chooser, head: NounPhrase) -> NounPhrase:
    """`head` with a clause about it, in which it is the subject or the object."""
    by_object = lexicon.verbs("transitive", objects=head.classes)
    by_subject = lexicon.verbs(*PLAIN_FRAMES, subjects=head.classes)
    if by_object and (not by_subject or choose.chance(0.35)):
        relative = _relative_object(choose, head, choose.one(by_object))
    elif by_subject:
        relative = _relative_subject(choose, head, choose.one(by_subject))
    else:
        return head
    return replace(
        head,
        english=Node("NP", [head.english, relative.english]),
        german=[*head.german, GermanWord(","), *relative.german, GermanWord(",")],
    )


def _relative_subject(choose: Chooser, head: NounPhrase, verb: Verb) -> Phrase:
    pronoun = NounPhrase.of(_relative_pronoun(head, "nom"), "who", head.agreement)
    clause = active(choose, verb, pronoun, choose.weighted(CONSTRUCTIONS))
    english = Node("S", clause.english_predicate())
    return Phrase(Node("SBAR", [pronoun.english, english]), clause.verb_final())


def _relative_object(choose: Chooser, head: NounPhrase, verb: Verb) -> Phrase:
    """English may leave the pronoun out: `the dog the boys chased`."""
    pronoun = _relative_pronoun(head, "acc")
    left_out = choose.chance(0.5)
    clause = without_object(choose, verb, RELATIVE_CONSTRUCTIONS, question=False)
    statement, words = clause.english_statement(), clause.verb_final()
    if left_out:
        (word,) = pronoun.german
        return Phrase(Node("SBAR", [statement]), [GermanWord(word.word), *words])
    return Phrase(Node("SBAR", [pronoun.english, statement]), [*pronoun.german, *words])


def _relative_pronoun(head: NounPhrase, case: str) -> Phrase:
    human = {"nom": "who", "acc": "whom"}[case]
    tag, english = ("WP", human) if "human" in head.classes else ("WDT", "that")
    word = german.determiner("the", case, head.gender, head.agreement.number)
    return one_word("WHNP", tag, english, word)
