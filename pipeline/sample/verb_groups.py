"""The verb of a clause with its auxiliaries, in both languages.

English builds a chain from left to right (`has been read`); German puts the finite verb where the
clause type wants it and the rest at the end (`ist … gelesen worden`).
"""

from collections.abc import Sequence
from dataclasses import dataclass

from pipeline.sample import german
from pipeline.sample.derivation import THIRD, Agreement, GermanWord, Leaf, Node
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

MODALS = {
    "future": "werden",
    "can": "können",
    "must": "müssen",
    "may": "dürfen",
    "should": "sollen",
}
ENGLISH_AUXILIARIES = {
    "be": ("am", "is", "are", "was", "were"),
    "have": ("have", "has", "have", "had", "had"),
    "do": ("do", "does", "do", "did", "did"),
}
"""The five forms of `Agreement.form`."""


@dataclass(slots=True)
class VerbGroup:
    """The words of a verb group."""

    chain: list[Leaf]  #: English words from the finite one to the main verb.
    finite: GermanWord  #: the German finite verb, without its prefix.
    #: German words that close a main clause: participles and infinitives, or a prefix.
    end: list[GermanWord]
    separable: bool = False  #: whether `end` is the prefix of the finite verb.

    @property
    def tense(self) -> str:
        """`past` or `nonpast`, of the finite verb."""
        return "past" if self.chain[0].tag == "VBD" else "nonpast"

    def final(self) -> list[GermanWord]:
        """The German words of a clause that ends in its finite verb."""
        if self.separable:
            (prefix,) = self.end
            return [GermanWord(prefix.word + self.finite.word, self.finite.sources)]
        return [*self.end, self.finite]


def active(
    verb: Verb, construction: str, agreement: Agreement, *, negated: bool, support: bool
) -> VerbGroup:
    """A verb in the active voice.

    Args:
        negated: whether it is denied, by `not` or the subject's `no`; `must he not` only asks.
        support: whether a simple tense or `had to` takes `do` (negation, questions).
    """
    if construction in ("present", "past", "progressive"):
        tense = "past" if construction == "past" else "present"
        if construction == "progressive":
            chain = [_finite("be", tense, agreement), Leaf("VBG", verb.english_gerund)]
        elif support:
            chain = [_finite("do", tense, agreement), Leaf("VB", verb.english)]
        else:
            base, past = verb.english, verb.english_past
            form = agreement.form((base, verb.english_third, base, past, past), tense)
            chain = [Leaf(_tag(tense, agreement), form)]
        finite = GermanWord(german.finite(verb, tense, agreement), tuple(chain))
        prefix = german.prefix(verb)
        end = [GermanWord(prefix, (chain[-1],))] if prefix else []
        return VerbGroup(chain, finite, end, separable=bool(prefix))
    if construction == "perfect":
        outer, finite = _perfect(verb.auxiliary, agreement)
        main, word = Leaf("VBN", verb.english_participle), verb.participle
    else:
        outer, finite = _modal(construction, agreement, negated=negated, support=support)
        main, word = Leaf("VB", verb.english), verb.german.replace("|", "")
    return VerbGroup([*outer, main], finite, [GermanWord(word, (main,))])


def passive(
    verb: Verb, construction: str, agreement: Agreement, *, negated: bool, support: bool
) -> VerbGroup:
    """A verb in the passive voice: `be` or `werden` and a participle; arguments as of `active`."""
    main = Leaf("VBN", verb.english_participle)
    participle = GermanWord(verb.participle, (main,))
    if construction in ("present", "past", "progressive"):
        tense = "past" if construction == "past" else "present"
        outer = [_finite("be", tense, agreement)]
        if construction == "progressive":
            outer.append(Leaf("VBG", "being"))
        finite = GermanWord(german.auxiliary("werden", tense, agreement), tuple(outer))
        return VerbGroup([*outer, main], finite, [participle])
    if construction == "perfect":
        outer, finite = _perfect("sein", agreement)
        be, word = Leaf("VBN", "been"), "worden"
    else:
        outer, finite = _modal(construction, agreement, negated=negated, support=support)
        be, word = Leaf("VB", "be"), "werden"
    return VerbGroup([*outer, be, main], finite, [participle, GermanWord(word, (be,))])


def copula(construction: str, agreement: Agreement) -> VerbGroup:
    """The verb `be` before an adjective: `present`, `past` or `future`."""
    if construction == "future":
        outer, finite = _modal(construction, agreement, negated=False, support=False)
        be = Leaf("VB", "be")
        return VerbGroup([*outer, be], finite, [GermanWord("sein", (be,))])
    be = _finite("be", construction, agreement)
    return VerbGroup([be], GermanWord(german.auxiliary("sein", construction, agreement), (be,)), [])


def nested(chain: Sequence[Leaf], after_first: Sequence[Node | Leaf], rest: Sequence[Node]) -> Node:
    """The English verb phrase of a chain: every auxiliary heads a VP around the next one.

    Args:
        after_first: what follows the first word: `not`, an adverb.
        rest: complements and adjuncts of the main verb.
    """
    first, *following = chain
    if not following:
        return Node("VP", [first, *after_first, *rest])
    inner = nested(following, [], rest)
    if following[0].tag == "TO":
        inner = Node("S", [inner])
    return Node("VP", [first, *after_first, inner])


def _perfect(auxiliary: str, agreement: Agreement) -> tuple[list[Leaf], GermanWord]:
    """English `have`, and the German finite verb for it."""
    have = _finite("have", "present", agreement)
    return [have], GermanWord(german.auxiliary(auxiliary, "present", agreement), (have,))


def _modal(
    construction: str, agreement: Agreement, *, negated: bool, support: bool
) -> tuple[list[Leaf], GermanWord]:
    """The English modal or future auxiliary, and the German finite verb for it.

    `must not` forbids, which is `darf nicht`; `muss nicht` would say that there is no need.
    """
    if construction == "had to":
        have = [Leaf("VBD", "did"), Leaf("VB", "have")] if support else [Leaf("VBD", "had")]
        chain = [*have, Leaf("TO", "to")]
        return chain, GermanWord(german.auxiliary("müssen", "past", agreement), tuple(chain))
    leaf = Leaf("MD", "will" if construction == "future" else construction)
    modal = MODALS["may" if negated and construction == "must" else construction]
    return [leaf], GermanWord(german.auxiliary(modal, "present", agreement), (leaf,))


def _finite(auxiliary: str, tense: str, agreement: Agreement) -> Leaf:
    return Leaf(_tag(tense, agreement), agreement.form(ENGLISH_AUXILIARIES[auxiliary], tense))


def _tag(tense: str, agreement: Agreement) -> str:
    if tense == "past":
        return "VBD"
    return "VBZ" if agreement == THIRD else "VBP"
