"""Labels of a sentence's tree, which probes predict from its encoding.

The five tasks of Shi et al. 2016 ("Does String-Based Neural MT Learn Source Syntax?"), as in Hao et
al. 2019 (section 4.4). A sentence has voice, tense, and a top-level syntactic sequence (TSS), the
labels of the top node's children with punctuation, `NP-VP-.`. A word has the smallest phrase
constituent above it (SPC) and its part of speech (POS). Labels are without functions and indices
(`NP-SBJ-1`).
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from nltk.tree import Tree

from mgsa.cli.languages import base_language
from pipeline.formats.probing import OTHER
from pipeline.formats.trees import ROOT, children, plain_label, preterminals, top_node
from pipeline.probe_data.voice_and_tense import voice_and_tense

VERBS_LANGUAGE = "en"
"""The language that the rules of voice and tense are of."""

Labels = dict[str, Any]
"""Labels by task: a sentence's (voice and tense are `None` without a main clause), or a list of its
words'."""


def label_tree(tree: Tree, language: str) -> Labels:
    """All labels of a sentence; voice and tense are `None` unless it is in `VERBS_LANGUAGE`."""
    has_rules = base_language(language) == VERBS_LANGUAGE
    voice, tense = voice_and_tense(tree) if has_rules else (None, None)
    return {
        "voice": voice,
        "tense": tense,
        "tss": top_level_sequence(tree),
        "spc": smallest_phrases(tree),
        "pos": [plain_label(leaf.label()) for leaf in preterminals(tree)],
    }


def top_level_sequence(tree: Tree) -> str:
    """The labels of the top node's children, or of the top node if it is a preterminal."""
    top = top_node(tree)
    return "-".join(plain_label(node.label()) for node in children(top) or [top])


def smallest_phrases(tree: Tree) -> list[str]:
    """For each word the label of the node above its part of speech; `ROOT` without any."""
    leaves = tree.treepositions("leaves")
    above = [plain_label(tree[place[:-2]].label()) if place[1:] else ROOT for place in leaves]
    return [label or ROOT for label in above]


def frequent_classes(counts: Counter[str], most: int | None = None) -> tuple[str, ...]:
    """The `most` frequent labels (`None`: all), equals in alphabetical order, then `OTHER`."""
    ranking = sorted(counts.keys() - {OTHER}, key=lambda label: (-counts[label], label))
    return (*ranking[:most], OTHER)
