"""Labels that probes predict from a sentence's encoding, read off its tree.

The five tasks of Shi et al. 2016 ("Does String-Based Neural MT Learn Source Syntax?"), as Hao et
al. 2019 (section 4.4) use them. Of a sentence: voice, tense, and the top-level syntactic sequence
(TSS), the labels of the constituents below the top node, punctuation too: `NP-VP-.`. Of a word: the
smallest phrase constituent above it (SPC), and its part of speech (POS). Functions and indices of
labels (`NP-SBJ-1`) are left out.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mgsa.probing.schema import OTHER
from pipeline.trees import ROOT, children, is_preterminal, plain_label, preterminals, top_node

if TYPE_CHECKING:
    from nltk.tree import Tree

    from pipeline.probing.voice_and_tense import VerbPatterns


@dataclass(frozen=True)
class TreeLabels:
    """The labels of a sentence: one for itself, or one for each word; `None`: it has none."""

    voice: str | None
    tense: str | None
    tss: str
    spc: tuple[str, ...]
    pos: tuple[str, ...]


def label_tree(tree: Tree, verbs: VerbPatterns | None) -> TreeLabels:
    """All labels of a sentence.

    Args:
        verbs: what tells voice and tense; `None`: of another language, whose have no label.
    """
    voice, tense = (None, None) if verbs is None else verbs.voice_and_tense(tree)
    return TreeLabels(
        voice=voice,
        tense=tense,
        tss=top_level_sequence(tree),
        spc=tuple(smallest_phrases(tree)),
        pos=tuple(plain_label(leaf.label()) for leaf in preterminals(tree)),
    )


def top_level_sequence(tree: Tree) -> str:
    """The labels of the top node's children; of a top node that is a preterminal, its own."""
    top = top_node(tree)
    return "-".join(plain_label(node.label()) for node in children(top) or [top])


def smallest_phrases(tree: Tree) -> list[str]:
    """For each word the label of the node above its part of speech, `ROOT` if that is no phrase."""
    labels = []
    waiting = [(tree, ROOT)]
    while waiting:
        node, above = waiting.pop()
        if is_preterminal(node):
            labels.append(above)
        else:
            label = plain_label(node.label()) or ROOT
            waiting.extend((child, label) for child in reversed(node))
    return labels


def frequent_classes(counts: Counter[str], most: int | None = None) -> tuple[str, ...]:
    """The `most` frequent labels (`None`: all), equals by the alphabet; then that of all others."""
    ranking = sorted(counts.keys() - {OTHER}, key=lambda label: (-counts[label], label))
    return (*ranking[:most], OTHER)
