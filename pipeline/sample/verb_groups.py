"""The verb of a clause with its auxiliaries, in both languages.

English builds a chain from left to right (`has been read`); German puts the finite verb where the
clause type wants it and the rest at the end (`ist … gelesen worden`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pipeline.sample import english, german
from pipeline.sample.derivation import GermanWord, Leaf, Node
from pipeline.sample.lexicon import Verb

CONSTRUCTIONS = {
    "present": 24,
    "past": 30,
    "progressive": 8,
    "perfect": 12,
    "future": 9,
    "can": 5,
    "must": 4,
    "may": 2,
    "should": 3,
    "had to": 3,
}
"""How the verb is used, with how often."""

MODALS = {"can": "können", "must": "müssen", "may": "dürfen", "should": "sollen"}


@dataclass(slots=True)
class VerbGroup:
    """The words of a verb group.

    Attributes:
        chain: English words from the finite one to the main verb.
        finite: the German finite verb; `prefix` is split off, `joined` is the form of a clause
            that ends in its verb.
        end: German words that close a main clause (participle, infinitive), prefix left out.
        tense: `past` or `nonpast`, of the finite verb.
    """

    chain: list[Leaf]
    finite: GermanWord
    joined: GermanWord
    prefix: list[GermanWord]
    end: list[GermanWord]
    tense: str


@dataclass(frozen=True, slots=True)
class Agreement:
    """What a finite verb agrees with."""

    person: int
    number: str


def active(
    verb: Verb, construction: str, agreement: Agreement, *, negated: bool, support: bool
) -> VerbGroup:
    """A verb in the active voice.

    Args:
        negated: whether it is denied, by `not` or the subject's `no`; `must he not` only asks.
        support: whether a simple tense or `had to` takes `do` (negation, questions).
    """
    person, number = agreement.person, agreement.number
    if construction in ("present", "past", "progressive"):
        tense = "past" if construction == "past" else "present"
        if construction == "progressive":
            main = Leaf("VBG", verb.english_gerund)
            chain = [_be("present", agreement), main]
        elif support:
            do = Leaf(_tag(tense, agreement), english.do(tense, person, number))
            chain = [do, Leaf("VB", verb.english)]
        else:
            chain = [Leaf(_tag(tense, agreement), _simple(verb, tense, agreement))]
        sources = tuple(chain)
        finite = german.finite(verb, tense, person, number)
        prefix = german.prefix(verb)
        return VerbGroup(
            chain=chain,
            finite=GermanWord(finite, sources),
            joined=GermanWord(prefix + finite, sources),
            prefix=[GermanWord(prefix, chain_end(chain))] if prefix else [],
            end=[],
            tense="past" if tense == "past" else "nonpast",
        )
    if construction == "perfect":
        have = Leaf(_tag("present", agreement), english.have("present", person, number))
        main = Leaf("VBN", verb.english_participle)
        auxiliary = german.finite_auxiliary(verb.auxiliary, "present", person, number)
        return _compound([have, main], have, auxiliary, [(verb.participle, main)])
    main = Leaf("VB", verb.english)
    outer, auxiliary = _outer(construction, agreement, negated=negated, support=support)
    return _compound([*outer, main], outer, auxiliary, [(german.infinitive(verb), main)])


def passive(
    verb: Verb, construction: str, agreement: Agreement, *, negated: bool, support: bool
) -> VerbGroup:
    """A verb in the passive voice: `be` and a participle, `werden` and a participle.

    Args:
        negated: whether it is denied, by `not` or the subject's `no`; `must he not` only asks.
        support: whether `had to` takes `do` (negation, questions).
    """
    person, number = agreement.person, agreement.number
    participle = verb.participle
    main = Leaf("VBN", verb.english_participle)
    if construction in ("present", "past", "progressive"):
        tense = "past" if construction == "past" else "present"
        be = _be(tense, agreement)
        chain = [be, main]
        outer = [be]
        if construction == "progressive":
            outer.append(Leaf("VBG", "being"))
            chain = [*outer, main]
        finite = german.finite_auxiliary("werden", tense, person, number)
        return _compound(chain, outer, finite, [(participle, main)])
    if construction == "perfect":
        have = Leaf(_tag("present", agreement), english.have("present", person, number))
        been = Leaf("VBN", "been")
        finite = german.finite_auxiliary("sein", "present", person, number)
        return _compound([have, been, main], have, finite, [(participle, main), ("worden", been)])
    be = Leaf("VB", "be")
    outer, finite = _outer(construction, agreement, negated=negated, support=support)
    return _compound([*outer, be, main], outer, finite, [(participle, main), ("werden", be)])


def copula(construction: str, agreement: Agreement) -> VerbGroup:
    """The verb `be` before an adjective or a noun; only simple tenses and `will`."""
    person, number = agreement.person, agreement.number
    if construction == "future":
        will, be = Leaf("MD", "will"), Leaf("VB", "be")
        finite = german.finite_auxiliary("werden", "present", person, number)
        return _compound([will, be], will, finite, [("sein", be)])
    tense = "past" if construction == "past" else "present"
    be = _be(tense, agreement)
    return _compound([be], be, german.finite_auxiliary("sein", tense, person, number), [])


def nested(chain: Sequence[Leaf], after_first: Sequence[Node | Leaf], rest: list[Node]) -> Node:
    """The English verb phrase of a chain: every auxiliary heads a VP around the next one.

    Args:
        after_first: what follows the first word: `not`, an adverb.
        rest: complements and adjuncts of the main verb.
    """
    first, *following = chain
    if not following:
        return Node("VP", [first, *after_first, *rest])
    inner = nested(following, [], rest)
    if first.tag == "TO":
        return Node("VP", [first, *after_first, inner])
    if following[0].tag == "TO":
        return Node("VP", [first, *after_first, Node("S", [inner])])
    return Node("VP", [first, *after_first, inner])


def chain_end(chain: Sequence[Leaf]) -> tuple[Leaf, ...]:
    """The main verb of a chain, as the source of a German word."""
    return (chain[-1],)


def _compound(
    chain: list[Leaf],
    outer: Leaf | Sequence[Leaf],
    finite: str,
    end: Sequence[tuple[str, Leaf]],
) -> VerbGroup:
    sources = (outer,) if isinstance(outer, Leaf) else tuple(outer)
    word = GermanWord(finite, sources)
    return VerbGroup(
        chain=chain,
        finite=word,
        joined=word,
        prefix=[],
        end=[GermanWord(form, (leaf,)) for form, leaf in end],
        tense="past" if chain[0].tag == "VBD" else "nonpast",
    )


def _outer(
    construction: str, agreement: Agreement, *, negated: bool, support: bool
) -> tuple[list[Leaf], str]:
    """The English modal or future auxiliary, and the German finite verb for it.

    `must not` forbids, which is `darf nicht`; `muss nicht` would say that there is no need.
    """
    person, number = agreement.person, agreement.number
    if construction == "future":
        finite = german.finite_auxiliary("werden", "present", person, number)
        return [Leaf("MD", "will")], finite
    if construction == "had to":
        finite = german.finite_auxiliary("müssen", "past", person, number)
        have = [Leaf("VBD", "did"), Leaf("VB", "have")] if support else [Leaf("VBD", "had")]
        return [*have, Leaf("TO", "to")], finite
    modal = MODALS["may" if (construction, negated) == ("must", True) else construction]
    finite = german.finite_auxiliary(modal, "present", person, number)
    return [Leaf("MD", construction)], finite


def _be(tense: str, agreement: Agreement) -> Leaf:
    return Leaf(_tag(tense, agreement), english.be(tense, agreement.person, agreement.number))


def _tag(tense: str, agreement: Agreement) -> str:
    if tense == "past":
        return "VBD"
    return "VBZ" if agreement == Agreement(3, "sg") else "VBP"


def _simple(verb: Verb, tense: str, agreement: Agreement) -> str:
    if tense == "past":
        return verb.english_past
    return verb.english_third if agreement == Agreement(3, "sg") else verb.english
