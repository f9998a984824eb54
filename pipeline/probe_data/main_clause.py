"""The verb group of a sentence's main clause, found in its tree: `had not yet been sold`.

In the Penn Treebank (Bies et al. 1995), each auxiliary heads a VP around that of the next verb; in
questions and inversions it is a child of the clause. Of coordinated clauses, verb phrases and verbs
the first one counts. A quotation is a clause beside the subject and the verb of its speaker, whose
clause is the main one. A comment in a clause (PRN) is ignored unless it is the whole sentence.
Whatever the parser's mistake, the result is a group or none, never an error.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from pipeline.formats.trees import (
    WRAPPERS,
    children,
    is_preterminal,
    plain_label,
    preterminals,
    top_node,
)

if TYPE_CHECKING:
    from nltk.tree import Tree

CLAUSES = frozenset({"S", "SINV", "SQ", "SBARQ"})
"""Labels of main clauses; SBAR is a subordinate clause with its conjunction."""

AROUND_CLAUSES = CLAUSES | WRAPPERS | {"FRAG", "INTJ", "X"}
"""Labels of parents of main clauses."""

FINITE_TAGS = frozenset({"MD", "VB", "VBD", "VBP", "VBZ"})
"""Tags of the first verb of a main clause; `VB`: imperative, subjunctive."""

VERB_TAGS = FINITE_TAGS | {"TO", "VBG", "VBN"}
ADVERBS = frozenset({"ADVP", "RB", "RBR", "RBS"})

# The tokeniser of sacremoses makes `isn 't` of `isn't`, where the PTB has `is n't`.
_FORMS = (
    "am are be been being is was were 'm 're 's ’m ’re ’s ai ain aren isn wasn weren",
    "had has have having 'd 's 've ’d ’s ’ve ai ain hadn hasn haven",
    "did do does didn doesn don",
    "get gets getting got gotten",
)
BE, HAVE, DO, GET = (frozenset(forms.split()) for forms in _FORMS)

BEFORE_TO = frozenset(
    {
        *(("going", "VBG"), ("gon", "VBG"), ("got", "VBN")),
        *(("ought", "MD"), ("used", "VBD"), ("use", "VB")),
    }
)
"""Verbs with their tags that are auxiliaries before `to`, like `be` and `have` (Quirk et al. 1985,
sections 3.40 to 3.47)."""

_NOUN_PHRASES = (
    "all both each myself yourself himself herself itself ourselves yourselves themselves",
    "today tonight tomorrow yesterday monday tuesday wednesday thursday friday saturday sunday",
    "last next same this that each every late early",
    "day night morning afternoon evening week weekend month quarter year decade century spring "
    "summer autumn fall winter time",
)
# Floating quantifiers belong to the subject, though they follow `be`: `they were all sold`. Days
# and periods are adverbials: `last year`, `the same day`, `late Tuesday night`.
_FLOATING, _DAYS, _WHICH, _PERIODS = (frozenset(words.split()) for words in _NOUN_PHRASES)

_PUNCTUATION = frozenset({",", ":", "``", "''", "-LRB-", "-RRB-", "PRN"})
"""Labels of punctuation and comments, which may stand anywhere in a clause."""

_FUNCTIONS = re.compile("[-=|]")
_ADVERBIAL_FUNCTIONS = frozenset({"ADV", "DIR", "EXT", "LOC", "MNR", "TMP", "VOC"})


@dataclass(frozen=True)
class VerbGroup:
    """The verbs of a clause from the finite verb to the main verb, and the adverbs between them.

    Attributes:
        words: as they stand in the tree.
        tags: the part of speech of each.
        followed_by: the label of the first constituent after the main verb that is no adverb.
    """

    words: tuple[str, ...]
    tags: tuple[str, ...]
    followed_by: str | None


def main_verb_group(tree: Tree) -> VerbGroup | None:
    """The verb group of the main clause; `None` if no clause has a finite verb."""
    return _search(top_node(tree), top=True)


def _search(node: Tree, *, top: bool = False) -> VerbGroup | None:
    """The verb group of the first main clause that is this node or lies in it."""
    label = _label(node)
    group = None
    if label in CLAUSES or (top and label == "VP"):
        group = _finite_verb_group(node)
    if group is None and (label in AROUND_CLAUSES or (top and label == "PRN")):
        groups = (_search(child) for child in children(node) if _label(child) in CLAUSES)
        group = next(filter(None, groups), None)
    return group


def _label(node: Tree) -> str:
    return plain_label(node.label())


def _finite_verb_group(clause: Tree) -> VerbGroup | None:
    """The verb group of this clause, not of one inside it; `None` if it has no finite verb."""
    group = _verb_group(clause)
    if group is None or group.tags[0] in FINITE_TAGS:
        return group
    # `Sales hit a low` where the tagger saw a participle. One with nothing to govern stays
    # a participle: headlines leave out the auxiliary (`Ruling upheld`).
    has_subject = any(_label(child) == "NP" for child in children(clause))
    if group.tags == ("VBN",) and has_subject and group.followed_by in ("NP", "SBAR"):
        return replace(group, tags=("VBD",))
    return None


def _verb_group(clause: Tree) -> VerbGroup | None:
    """The verbs of a clause from the first one on, finite or not; `None` if it has none."""
    leaves: list[Tree] = []
    after: Sequence[Tree] = ()
    below = children(clause)
    constituents, place = _start(clause, below)
    inverted = constituents is below
    while place is not None:
        head, rest = constituents[place], constituents[place + 1 :]
        if not is_preterminal(head):
            constituents = children(head)
            inverted = False
        else:
            leaves.append(head)
            after = rest
            next_place = _place_of_complement(head, rest, inverted=inverted)
            if next_place is None:
                break
            adverbs = [child for child in rest[:next_place] if _label(child) in ADVERBS]
            between = [leaf for adverb in adverbs for leaf in preterminals(adverb)]
            leaves += [leaf for leaf in between if _label(leaf) not in VERB_TAGS]
            # In a tree that is too flat, the next verb stands beside this one.
            constituents = children(rest[next_place]) or rest[next_place:]
            inverted = False
        place = _place_of_verb(constituents)
    if not leaves:
        return None
    labels = [_label(child) for child in after if not _is_adverbial(child)]
    return VerbGroup(
        words=tuple(leaf[0] for leaf in leaves),
        tags=tuple(_label(leaf) for leaf in leaves),
        followed_by=next((label for label in labels if label not in ADVERBS | {"PRT"}), None),
    )


def _start(clause: Tree, below: Sequence[Tree]) -> tuple[Sequence[Tree], int | None]:
    """The constituents that a clause's verb group starts in, and the index of the first verb.

    A finite verb that is a child of the clause precedes its subject. A fronted participle is moved
    behind the auxiliary: `(VP Attached) is a letter`.
    """
    if _label(clause) != "VP":
        for place, head in enumerate(below):
            verb = is_preterminal(head) or _label(head) == "VP"
            if verb and _tag_of_first_verb(head) in FINITE_TAGS:
                fronted = [child for child in below[:place] if _label(child) == "VP"]
                if not fronted:
                    return below, place
                constituents = [*(children(head) or [head]), fronted[-1]]
                return constituents, _place_of_verb(constituents)
    return below, _place_of_verb(below)


def _tag_of_first_verb(node: Tree) -> str | None:
    """The tag of a verb, or of the first one of a verb phrase."""
    while not is_preterminal(node):
        place = _place_of_verb(node)
        if place is None:
            return None
        node = node[place]
    return _label(node)


def _place_of_verb(constituents: Sequence[Tree]) -> int | None:
    """Index of the first verb or verb phrase."""
    for place, child in enumerate(constituents):
        label = _label(child)
        if label in VERB_TAGS if is_preterminal(child) else label == "VP":
            return place
    return None


def _place_of_complement(head: Tree, rest: Sequence[Tree], *, inverted: bool) -> int | None:
    """Index in `rest`, the constituents after a verb, of the next verb of its group, if any.

    Args:
        inverted: whether the first noun phrase after the verb may be its subject.
    """
    word, tag = head[0].lower(), _label(head)
    if not (tag in ("MD", "TO") or word in BE | HAVE | DO | GET or (word, tag) in BEFORE_TO):
        return None
    coordinated = False
    alone = True  # whether only subject, adverbs and other verbs came so far
    for place, child in enumerate(rest):
        label = _label(child)
        if label == "VP" and coordinated and _tag_of_first_verb(child) in FINITE_TAGS - {"VB"}:
            return None  # `did and was fired`
        if label == "VP" or (label == "S" and alone and _goes_on(child, word, tag)):
            return place
        if label == "UCP" and children(child) and _label(child[0]) == "VP":
            return place
        if label in VERB_TAGS and is_preterminal(child) and not coordinated:
            return place
        if label == "CC":
            if not alone:
                return None  # the conjunction is not between verbs
            coordinated = True
        elif inverted and label == "NP" and not _is_adverbial(child):
            inverted = False  # the subject
        elif label == "ADJP" or (not inverted and _is_complement(child, word)):
            return None  # `was free`, `got the car fixed`
        elif not (
            label in ADVERBS | VERB_TAGS | _PUNCTUATION
            or _is_adverbial(child)
            or (label == "PP" and word in HAVE - BE)  # `had at last to go`, not `was in it to win`
        ):
            alone = False
    return None


def _is_complement(node: Tree, verb: str) -> bool:
    """Whether a node after `be` or `get` is its predicate or object: a noun phrase."""
    if _label(node) != "NP" or verb not in BE | GET or _is_adverbial(node):
        return False
    article, *words = [leaf.lower() for leaf in node.leaves()]
    if article == "the" and _is_time(words):  # behind other verbs an object: `spent the last day`
        return False
    floats = node.height() == 3 and len(node) == 1 and article in _FLOATING
    return not (floats and verb in BE)  # `got themselves fired` has an object


def _is_adverbial(node: Tree) -> bool:
    """Whether a noun phrase is an adverbial, by its label (`NP-TMP`) or its words."""
    functions = set(_FUNCTIONS.split(node.label())[1:])
    if _label(node) != "NP" or "PRD" in functions:
        return False
    words = [leaf.lower() for leaf in node.leaves()]
    return (
        bool(functions & _ADVERBIAL_FUNCTIONS)
        or (len(words) == 1 and words[0] in _DAYS)
        or _is_time(words)
    )


def _is_time(words: Sequence[str]) -> bool:
    """Whether words name a day or period: `last year`, `Tuesday night`, `late Tuesday`."""
    *before, last = words or [""]
    return last in _PERIODS | _DAYS and bool(before) and all(w in _WHICH | _DAYS for w in before)


def _goes_on(clause: Tree, word: str, tag: str) -> bool:
    """Whether a clause without a subject continues the verb group: `has (S to be sold)`."""
    labels = [_label(child) for child in children(clause)]
    if "VP" not in labels or not ADVERBS | {"VP"} >= set(labels):
        return False
    first = _tag_of_first_verb(clause[labels.index("VP")])
    if first == "TO":
        return word in BE | HAVE or (word, tag) in BEFORE_TO
    return first == "VBN" and word in GET
