"""Voice and tense of a sentence's main clause: two of the labels that probes predict.

Shi et al. 2016 ("Does String-Based Neural MT Learn Source Syntax?") ask an encoder for both.
`pipeline.probe_data.main_clause` finds the verbs; patterns of spaCy's matcher over their words and
tags, which need no model, decide. Definitions, for English:

- Passive: a form of `be` or `get` before a participle: `was sold`, `is being sold`, `got fired`,
  `has to be sold`. An adjective phrase (`was interested`) is no participle, and verbs without a
  passive are active (`is gone`). `'s` before a participle is `has` if an object follows (`'s sold
  it`), before `been`, `got` and the like, and before verbs like `decided` if a clause follows, else
  `is`. Known mistakes: the perfect of another verb without an object is passive (`he 's left
  early`, `what 's he done`), a passive with two objects active (`she 's given a watch`), and `be`
  before `to` always an auxiliary (`is to be sold`, but also `her dream is to be admired`).
- Past: a finite verb in the past tense (VBD): `sold`, `was`, `had sold`, `did he sell`. All else is
  nonpast: the present, the perfect (`has sold`), imperatives, and modals (MD), also `would`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pipeline.probe_data.main_clause import BE, GET, HAVE, VERB_TAGS, VerbGroup, main_verb_group

if TYPE_CHECKING:
    from nltk.tree import Tree

VOICES = ("active", "passive")
TENSES = ("nonpast", "past")

_BETWEEN_VERBS = {"TAG": {"NOT_IN": sorted(VERB_TAGS)}, "OP": "*"}
_WITHOUT_PASSIVE = (
    "appeared arisen arrived become been come departed died disappeared elapsed emerged existed",
    "expired fallen gone happened lasted occurred perished remained retreated risen vanished",
)
_INTRANSITIVE = [word for words in _WITHOUT_PASSIVE for word in words.split()]
"""Participles of verbs without a passive: a perfect after `be` (`is risen`) and after `'s`. Not
`grown`, `left` and `returned`: crops are grown."""
_PERFECTS = (
    "been become come cried gone got gotten had laughed lived slept smiled stayed waited",
    "agreed begun continued decided failed hoped learned learnt managed promised refused started "
    "threatened tried",
)
# Before them `'s` is `has`: always, or if a clause without `that` follows (`'s tried to go`).
_ONLY_AFTER_HAVE, _BEFORE_CLAUSE_AFTER_HAVE = (frozenset(words.split()) for words in _PERFECTS)

PATTERNS: dict[str, list[dict[str, Any]]] = {
    # At the end of a verb group.
    "passive": [
        {"LEMMA": {"IN": ["be", "get"]}},
        _BETWEEN_VERBS,
        # VBD is a tagger's mistake: no finite verb follows an auxiliary.
        {"TAG": {"IN": ["VBN", "VBD"]}, "LOWER": {"NOT_IN": [*_INTRANSITIVE, "rid"]}},
    ],
    # At its start; `had` may be a modal: `had better go`, `had far rather not go`.
    "past": [{"TAG": "VBD"}],
    "had better": [
        {"LEMMA": "have"},
        _BETWEEN_VERBS,
        {"LOWER": {"IN": ["best", "better", "rather", "sooner"]}},
        _BETWEEN_VERBS,
        {"TAG": "VB"},
    ],
}


class VerbPatterns:
    """`PATTERNS`, matched by spaCy."""

    def __init__(self) -> None:
        import spacy
        from spacy.matcher import Matcher

        self._vocab = spacy.blank("en").vocab
        self._matcher = Matcher(self._vocab)
        for name, pattern in PATTERNS.items():
            self._matcher.add(name, [pattern])

    def voice_and_tense(self, tree: Tree) -> tuple[str, str] | tuple[None, None]:
        """Voice and tense of an English main clause; both `None` without a finite verb."""
        from spacy.tokens import Doc

        group = main_verb_group(tree)
        if group is None:
            return None, None
        lemmas = [_auxiliary(group, place) for place in range(len(group.words))]
        verbs = Doc(self._vocab, words=list(group.words), tags=list(group.tags), lemmas=lemmas)
        found = [(self._vocab.strings[key], *bounds) for key, *bounds in self._matcher(verbs)]
        at_start = {name for name, start, _ in found if start == 0}
        at_end = {name for name, _, end in found if end == len(verbs)}
        past = "past" in at_start and "had better" not in at_start
        return "passive" if "passive" in at_end else "active", "past" if past else "nonpast"


def _auxiliary(group: VerbGroup, place: int) -> str:
    """The lemma of an auxiliary (`be`, `have`, `get`), or the word itself."""
    word = group.words[place].lower()
    if word in BE & HAVE:
        return "have" if _follows_have(group, place + 1) else "be"
    for lemma, forms in (("be", BE), ("have", HAVE), ("get", GET)):
        if word in forms:
            return lemma
    return word


def _follows_have(group: VerbGroup, start: int) -> bool:
    """Whether `'s` is `has` by the words after it: `'s been`, `'s sold it`."""
    verbs = [place for place in range(start, len(group.words)) if group.tags[place] in VERB_TAGS]
    if not verbs or group.tags[verbs[0]] != "VBN":
        return False
    word = group.words[verbs[0]].lower()
    before = group.followed_by if verbs[0] == len(group.words) - 1 else None
    return (
        word in _ONLY_AFTER_HAVE
        or before == "NP"
        or (before == "S" and word in _BEFORE_CLAUSE_AFTER_HAVE)
    )
