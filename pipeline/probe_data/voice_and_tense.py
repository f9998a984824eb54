"""Voice and tense of a sentence's main clause: two of the labels that probes predict.

Shi et al. 2016 ("Does String-Based Neural MT Learn Source Syntax?") ask an encoder for both.
Definitions, for English:

- Passive: a form of `be` or `get` before a participle: `was sold`, `is being sold`, `got fired`,
  `has to be sold`. An adjective phrase (`was interested`) is no participle, and verbs without a
  passive are active (`is gone`). `'s` before a participle is `has` if an object follows (`'s sold
  it`), before `been`, `got` and the like, and before verbs like `decided` if `to` follows, else
  `is`. Known mistakes: the perfect of another verb without an object is passive (`he 's left
  early`, `what 's he done`), a passive with two objects active (`she 's given a watch`), a fronted
  participle active (`attached is a copy`), and `be` before `to` always an auxiliary (`is to be
  sold`, but also `her dream is to be admired`).
- Past: a finite verb in the past tense (VBD): `sold`, `was`, `had sold`, `did he sell`. All else is
  nonpast: the present, the perfect (`has sold`), imperatives, modals (MD, also `would`), and `had
  better go`.

The main clause of a quotation is its speaker's; of coordinated clauses and verb phrases the first
one counts. Verbs are told by their Penn tags, auxiliaries also by their words, in any spelling of
`isn't`: `is n't` of the Penn Treebank, `isn 't` of Moses, or one token.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from pipeline.formats.trees import WRAPPERS, children, plain_label, top_node

if TYPE_CHECKING:
    from nltk.tree import Tree

VOICES = ("active", "passive")
TENSES = ("nonpast", "past")

_CLAUSES = frozenset({"S", "SINV", "SQ", "SBARQ"})
_AROUND_CLAUSES = _CLAUSES | WRAPPERS | {"FRAG", "PRN", "VP"}

_BE = "am are be been being is was were 'm 're 's ai"
_BE_OR_GET = f"{_BE} get gets getting got gotten"
_AUXILIARIES = f"{_BE_OR_GET} had has have having 'd 've did do does going gon use used"
_IS_OR_HAS, _HAD = "'s ai", "had 'd"
_WITHOUT_PASSIVE = (  # not `grown`, `left`, `returned`: crops are grown
    "appeared arisen arrived become been come departed died disappeared elapsed emerged existed "
    "expired fallen gone happened lasted occurred perished remained retreated rid risen vanished"
)
_AFTER_HAS = "been become come cried gone got gotten had laughed lived slept smiled stayed waited"
_AFTER_HAS_BEFORE_TO = (
    "agreed begun continued decided failed hoped learned learnt managed promised refused started "
    "threatened tried"
)


def _any(words: str, tag: str) -> str:
    """A pattern of an item with the tag and one of the words, negated or not."""
    return f"(?:{'|'.join(words.split())})(?:n|n't)?/{tag} "


# A clause is matched as a string of items, `word/TAG ` or `words_of_it/PHRASE `.
_ANY, _TAG, _VERB = "[^ ]*", "[^ /]*", "V[^ /]*"
_ADVERBIAL = _any("all both each today tonight tomorrow yesterday", "NP")
_BETWEEN = f"(?:{_ANY}/(?!ADJP|NP|VB){_TAG} |{_ADVERBIAL})*"
_HAS = (
    f"{_any(_IS_OR_HAS, _VERB)}{_BETWEEN}(?:{_any(_AFTER_HAS, 'VBN')}"
    f"|{_any(_AFTER_HAS_BEFORE_TO, 'VBN')}{_BETWEEN}to/TO "
    f"|{_ANY}/VBN (?:{_ANY}/(?:ADVP|PRT|RB) )*(?!{_ADVERBIAL}){_ANY}/NP )"
)
_PASSIVE = re.compile(
    f"(?:(?:{_ANY}/MD |{_any(_AUXILIARIES, _VERB)}){_BETWEEN})*"
    f"(?!{_HAS}){_any(_BE_OR_GET, _VERB)}{_BETWEEN}"
    # VBD is a tagger's mistake: no finite verb follows an auxiliary.
    f"(?!{_any(_WITHOUT_PASSIVE, 'VB[DN]')}){_ANY}/VB[DN] "
)
_HAD_BETTER = f"{_any(_HAD, 'VBD')}{_BETWEEN}(?:best|better|rather|sooner)/{_TAG} "
_PAST = re.compile(f"(?!{_HAD_BETTER}{_BETWEEN}{_ANY}/VB ){_ANY}/VB[DN] ")
# VBN before an object is a tagger's mistake: `Sales hit a low`.
_FINITE = re.compile(
    f"(?:{_ANY}/(?!TO|VB){_TAG} )*?({_ANY}/(?:MD|VB[DPZ]?) |{_ANY}/VBN {_ANY}/(?:NP|SBAR) )"
)
_BEFORE_CLAUSE = re.compile(f"/(?!PP){_TAG} $")


def voice_and_tense(tree: Tree) -> tuple[str, str] | tuple[None, None]:
    """Voice and tense of an English main clause; both `None` without a finite verb."""
    top = top_node(tree)
    clauses = _clauses(top) if plain_label(top.label()) in _AROUND_CLAUSES else ()
    items = next(filter(None, map(_from_finite_verb, clauses)), None)
    if items is None:
        return None, None
    return VOICES[bool(_PASSIVE.match(items))], TENSES[bool(_PAST.match(items))]


def _clauses(node: Tree) -> Iterator[Tree]:
    """A node and the main clauses in it, outer ones first."""
    yield node
    for child in children(node):
        if plain_label(child.label()) in _CLAUSES:
            yield from _clauses(child)


def _from_finite_verb(clause: Tree) -> str | None:
    """The items of a clause from its finite verb on, without the subject; `None` if it has none."""
    below = children(clause)
    for place, child in enumerate(below):
        found = _FINITE.match(_items([child]))
        if found:
            rest = below[place + 1 :]
            labels = [plain_label(node.label()) for node in rest]
            if "NP" in labels:  # inverted
                del rest[labels.index("NP")]
            return _items([child, *rest])[found.start(1) :]
    return None


def _items(nodes: Iterable[Tree]) -> str:
    """Items of nodes: of what is in verb phrases, and of other phrases as wholes."""
    items = ""
    phrases = False
    for node in nodes:
        label, below = plain_label(node.label()), children(node)
        if phrases and label == "CC":
            break
        # A clause may continue the verbs before it: `has (S to be sold)`.
        if below and (label in ("UCP", "VP") or (label == "S" and _BEFORE_CLAUSE.search(items))):
            items += _items(below)
            phrases = True
        else:
            words = "_".join(node.leaves()).lower()
            items += f"{words}/{label} ".replace("’", "'").replace("&apos;", "'")
    return items
