"""Voice and tense of a sentence's main clause: two of the labels that probes predict.

Shi et al. 2016 ("Does String-Based Neural MT Learn Source Syntax?") ask an encoder for both.
`pipeline.probing.main_clause` finds the verbs; patterns over their words and tags tell the rest, by
spaCy's matcher, which needs no model for it. What they take for what, of English:

- Passive is a form of `be` or `get` before a participle: `was sold`, `is being sold`, `got fired`,
  `has to be sold`. What the tree has as an adjective phrase (`was interested`) is no participle,
  and verbs that have no passive are active (`is gone`). `'s` before a participle may be `is` or
  `has`: it is taken for `has` where a noun phrase follows, an object (`'s sold it`), before `been`,
  `got` and the like, and before verbs like `decided` if a clause follows, else for `is`. So the
  perfect of another verb without an object comes out passive (`he 's left early`, `what 's he
  done`, `he 's said that it rains`), unless that verb has no passive, and a passive with two
  objects active (`she 's given a watch`). `be` before `to` is taken for an auxiliary (`is to be
  sold`), though it may tell what something is (`her dream is to be admired`).
- Past is a finite verb in the past tense (VBD): `sold`, `was`, `had sold`, `did he sell`. All else
  is nonpast: the present, the perfect (`has sold`), imperatives, and modals (MD), `would` and
  `could` too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from pipeline.probing.main_clause import BE, GET, HAVE, VERB_TAGS, VerbGroup, main_verb_group

if TYPE_CHECKING:
    from nltk.tree import Tree
    from spacy.tokens import Doc

VOICES = ("active", "passive")
TENSES = ("nonpast", "past")

_BETWEEN_VERBS = {"TAG": {"NOT_IN": sorted(VERB_TAGS)}, "OP": "*"}
_WITHOUT_PASSIVE = (
    "appeared arisen arrived become been come departed died disappeared elapsed emerged existed",
    "expired fallen gone happened lasted occurred perished remained retreated risen vanished",
)
_INTRANSITIVE = [word for words in _WITHOUT_PASSIVE for word in words.split()]
"""Participles of verbs that have no passive: behind `be` they are a perfect (`is risen`), behind
`'s` mostly that of `has` (`'s happened`). `grown` is none of them, nor are `left` and `returned`:
crops are grown."""
_PERFECTS = (
    "been become come cried gone got gotten had laughed lived slept smiled stayed waited",
    "agreed begun continued decided failed hoped learned learnt managed promised refused started "
    "threatened tried",
)
# What `'s` before them is: `has` in any case, or if a clause without `that` follows: `'s tried to
# go`, but not `'s tried today`.
_ONLY_AFTER_HAVE, _BEFORE_CLAUSE_AFTER_HAVE = (frozenset(words.split()) for words in _PERFECTS)

PASSIVE: list[list[dict[str, Any]]] = [
    [
        {"LEMMA": {"IN": ["be", "get"]}},
        _BETWEEN_VERBS,
        # VBD is what a tagger took for one: no tense stands behind an auxiliary.
        {"TAG": {"IN": ["VBN", "VBD"]}, "LOWER": {"NOT_IN": [*_INTRANSITIVE, "rid"]}},
    ]
]
"""How the verbs of a passive clause end."""

PAST: list[list[dict[str, Any]]] = [[{"TAG": "VBD"}]]
"""How the verbs of a clause in the past tense start."""

HAD_BETTER: list[list[dict[str, Any]]] = [
    [
        {"LEMMA": "have"},
        _BETWEEN_VERBS,
        {"LOWER": {"IN": ["best", "better", "rather", "sooner"]}},
        _BETWEEN_VERBS,
        {"TAG": "VB"},
    ]
]
"""How they start where `had` is a modal: `had better go`, `had far rather not go`."""


class VoiceAndTense(NamedTuple):
    """One of `VOICES` and one of `TENSES`; `None` without a main clause that has a finite verb."""

    voice: str | None
    tense: str | None


class VerbPatterns:
    """The patterns, ready to be matched."""

    def __init__(self) -> None:
        import spacy
        from spacy.matcher import Matcher

        self._vocab = spacy.blank("en").vocab
        self._at_start, self._at_end = Matcher(self._vocab), Matcher(self._vocab)
        self._at_start.add("past", PAST)
        self._at_start.add("had better", HAD_BETTER)
        self._at_end.add("passive", PASSIVE)

    def voice_and_tense(self, tree: Tree) -> VoiceAndTense:
        """Voice and tense of the main clause of an English sentence."""
        group = main_verb_group(tree)
        if group is None:
            return VoiceAndTense(None, None)
        verbs = self._as_doc(group)
        starts = {self._vocab.strings[n] for n, start, _ in self._at_start(verbs) if start == 0}
        passive = any(end == len(verbs) for _, _, end in self._at_end(verbs))
        return VoiceAndTense(
            voice="passive" if passive else "active",
            tense="past" if starts == {"past"} else "nonpast",
        )

    def _as_doc(self, group: VerbGroup) -> Doc:
        from spacy.tokens import Doc

        lemmas = [_auxiliary(group, place) for place in range(len(group.words))]
        return Doc(self._vocab, words=list(group.words), tags=list(group.tags), lemmas=lemmas)


def _auxiliary(group: VerbGroup, place: int) -> str:
    """Which auxiliary a word of the group is: `be`, `have`, `get`, or the word as it is."""
    word = group.words[place].lower()
    if word in BE & HAVE:
        return "have" if _follows_have(group, place + 1) else "be"
    for lemma, forms in (("be", BE), ("have", HAVE), ("get", GET)):
        if word in forms:
            return lemma
    return word


def _follows_have(group: VerbGroup, start: int) -> bool:
    """Whether what follows `'s` shows that it is `has`, and not `is`: `'s been`, `'s sold it`."""
    for place in range(start, len(group.words)):
        if group.tags[place] in VERB_TAGS:
            word = group.words[place].lower()
            before = group.followed_by if place == len(group.words) - 1 else None
            return group.tags[place] == "VBN" and (
                word in _ONLY_AFTER_HAVE
                or before == "NP"
                or (before == "S" and word in _BEFORE_CLAUSE_AFTER_HAVE)
            )
    return False
