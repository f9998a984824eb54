"""Families of tags: what a phrase is coloured by.

A treebank has dozens of tags, and colours that stay apart for everybody are few. So a colour stands
for a family (nouns and their phrases, verbs and theirs, …), and the tag stands beside it.
"""

from __future__ import annotations

import re

FAMILIES: dict[str, tuple[str, ...]] = {
    "clause": ("S", "SBAR", "SBARQ", "SINV", "SQ", "FRAG", "ROOT", "TOP", "PRN", "RRC", "CS"),
    "noun": (
        *("NP", "NN", "NNS", "NNP", "NNPS", "PRP", "EX", "CD", "QP", "NX", "NAC", "NML"),
        *("WHNP", "WP", "PN", "MPN", "NOUN", "PROPN", "PRON", "NUM", "FW"),
    ),
    "verb": ("VP", "VB", "VBD", "VBG", "VBN", "VBP", "VBZ", "MD", "VZ", "VERB", "AUX"),
    "preposition": ("PP", "IN", "TO", "RP", "PRT", "WHPP", "AC", "ADP", "PART"),
    "modifier": (
        *("ADJP", "JJ", "JJR", "JJS", "ADVP", "RB", "RBR", "RBS"),
        *("WRB", "WHADVP", "WHADJP", "AP", "AVP", "ADJ", "ADV"),
    ),
    "function": (
        *("DT", "PDT", "WDT", "PRP$", "WP$", "POS", "CC", "CONJP", "UCP", "UH", "INTJ"),
        *("DET", "CCONJ", "SCONJ"),
    ),
}
"""The tags of each family, of the Penn treebank and of some others; the rest are `other`."""

OTHER = "other"

_FAMILY = {tag: family for family, tags in FAMILIES.items() for tag in tags}
_FUNCTION = re.compile(r"(?<=.)[-=|+].*", re.DOTALL)


def family(tag: str) -> str:
    """The family of a tag; `NP-SBJ` is as `NP`."""
    return _FAMILY.get(tag) or _FAMILY.get(_FUNCTION.sub("", tag), OTHER)
