"""Complements and adjuncts of the verb: objects, prepositional phrases, adverbs."""

from pipeline.sample import lexicon
from pipeline.sample.chooser import Chooser
from pipeline.sample.derivation import (
    Agreement,
    Attachment,
    GermanWord,
    Leaf,
    Node,
    Phrase,
    Place,
    one_word,
)
from pipeline.sample.lexicon import HUMAN, Preposition, Verb, Word
from pipeline.sample.noun_phrases import (
    NounPhrase,
    argument,
    common,
    coordinated,
    governed,
    place,
    prepositional,
    proper,
)
from pipeline.sample.word_order import Middle, Predicate

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
CALENDAR = {
    Preposition("on", "am", "dat", False, "weekday", frozenset()): 2,
    Preposition("in", "im", "dat", False, "month", frozenset()): 1,
}
"""The prepositions of weekdays and months, with how often."""
SINGLE_WORD_DAYS = ("yesterday", "today", "tomorrow", "tonight")


def complements(
    choose: Chooser, verb: Verb, subject: Agreement, *, negated: bool, simple: bool
) -> Predicate:
    """The objects that a verb's frame asks for, `not` included; no clauses.

    Args:
        subject: of the verb; an object that is the same person would be reflexive.
    """
    predicate = Predicate()
    article = None
    if verb.frame == "ditransitive":
        receiver = argument(choose, HUMAN, "dat", simple=True, beside=subject)
        predicate.add(Middle.DATIVE, receiver)
    if verb.frame in ("transitive", "dative", "ditransitive"):
        thing = _object(choose, verb, subject, negated=negated, simple=simple)
        indefinite = thing.kind in INDEFINITE_KINDS
        predicate.add(Middle.INDEFINITE if indefinite else Middle.OBJECT, thing)
        article = thing.german[0] if thing.kind == "a" else None
    elif verb.frame == "prepositional":
        predicate.add(Middle.PLACE, prepositional(choose, verb.governed, simple=simple))
    elif verb.frame in ("motion", "position"):
        kind = "directional" if verb.frame == "motion" else "locative"
        predicate.add(Middle.PLACE, prepositional(choose, choose.one(lexicon.prepositions(kind))))
    if negated:
        predicate.negate(article)
    return predicate


def _object(
    choose: Chooser, verb: Verb, subject: Agreement, *, negated: bool, simple: bool
) -> NounPhrase:
    """The only object or the second of two; a pair now and then."""
    case = "dat" if verb.frame == "dative" else "acc"
    if negated:
        determiner = choose.weighted(NEGATED_DETERMINERS)
        return common(choose, verb.object, case, simple=True, determiner=determiner)
    first = argument(choose, verb.object, case, simple=simple, beside=subject)
    if first.kind == "pronoun" or not choose.chance(0.08):
        return first
    return coordinated(first, argument(choose, verb.object, case, pronouns=False, simple=True))


def add_adjuncts(
    choose: Chooser,
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
    quiet = negated or bool(predicate.negation)  # negation's scope stays plain
    if verb.frame != "position" and not quiet and choose.chance(0.12):
        manner = choose.one(lexicon.words("manner"))
        predicate.add(Middle.MANNER, one_word("ADVP", "RB", manner.english, manner.german))
    elif not quiet and construction in ("present", "past", "perfect") and choose.chance(0.13):
        adverb = choose.one(lexicon.words("frequency"))
        often = one_word("ADVP", "RB", adverb.english, adverb.german)
        predicate.frequency.append(often.english)
        predicate.middle.append((Middle.FREQUENCY, often.german))
    if verb.frame not in ("motion", "position"):
        add_setting(choose, predicate, simple=simple)
    if not (simple or predicate.negation):
        _mark_attachment(predicate)
    if not predicate.frequency and choose.chance(0.2):
        add_time(choose, predicate, construction)


def add_setting(choose: Chooser, predicate: Predicate, *, simple: bool) -> None:
    """Now and then where something happens, or in whose company."""
    if not choose.chance(0.2 if simple else 0.5):
        return
    if choose.chance(0.12):
        phrase = prepositional(choose, choose.one(lexicon.prepositions("accompaniment")))
    else:
        phrase = place(choose, "setting")
    # What is negated is that it happens there.
    predicate.add(Middle.PLACE if predicate.negation else Middle.SETTING, phrase)


def _mark_attachment(predicate: Predicate) -> None:
    """Mark a place after an object: the tree decides whether German has it before or after.

    The object is a common noun in the main clause of a statement, its verb neither negated nor
    coordinated; the place stands right behind it, and at most a time after that. Elsewhere the
    grammar has one reading: pronouns, names, pairs and objects of `simple` clauses take no
    attribute, an adverb of manner stands between object and setting, and of two phrases one is the
    noun's, the other the verb's.

    With an ambiguity of 1 the tree alone decides, and words tell what is frequent, no more: 59 % of
    the places are the verb's, 57 % after a thing and 70 % after a person, whose attribute need not
    be a place. With a time or a place in front, half of the clauses are `simple`, and nothing shows
    which; there the verb has more of all places than of the marked ones. With less ambiguity, the
    nouns of all other places tell too (in the park, on the table).
    """
    match predicate.phrases:
        case [*_, NounPhrase(attribute=Place() as place) as thing]:
            node, category, cut = thing.english, "noun", -len(place.german)
        case [*_, NounPhrase(attribute=None) as thing, Place() as place]:
            node, category, cut = place.english, "verb", len(place.german)
        case _:
            return
    if thing.kind not in ("pronoun", "name", "pair"):
        run = predicate.middle_field(Middle.SETTING, Middle.INDEFINITE)
        node.attachment = Attachment(category, (run[:cut], run[cut:]))


def add_time(choose: Chooser, predicate: Predicate, construction: str) -> None:
    """A time, if the tense goes with one."""
    phrase = time(choose, construction)
    if phrase is not None:
        predicate.add(Middle.TIME, phrase)


def time(choose: Chooser, construction: str) -> Phrase | None:
    """A time that goes with the tense: an adverb, a weekday or a month."""
    if construction not in TIME_OF_CONSTRUCTION:
        return None
    if choose.chance(0.6):
        return _time_adverb(choose.one(lexicon.words(TIME_OF_CONSTRUCTION[construction])))
    preposition = choose.weighted(CALENDAR)
    return governed(preposition, proper(choose.one(lexicon.words(preposition.kind))))


def _time_adverb(adverb: Word) -> Phrase:
    *modifiers, word = adverb.english.split()
    if not modifiers and word not in SINGLE_WORD_DAYS:
        return one_word("ADVP", "RB", word, adverb.german)
    leaves = [Leaf("JJ" if w in ("last", "next") else "DT", w) for w in modifiers]
    leaves.append(Leaf("NN", word))
    german = [GermanWord(german, tuple(leaves)) for german in adverb.german.split()]
    return Phrase(Node("NP", [*leaves]), german)
