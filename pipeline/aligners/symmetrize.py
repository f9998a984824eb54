"""One alignment from the two directions of a statistical aligner (Koehn et al. 2005).

Precisely as Moses' `symal` does it: which link is added depends on which were before, so the order
of neighbours, of the scan and of the two last passes is part of the definition.
"""

from __future__ import annotations

from collections.abc import Set
from typing import Literal, get_args

from mgsa.base.word_links import Link

Symmetrization = Literal[
    "forward",
    "reverse",
    "intersection",
    "union",
    "grow-diag",
    "grow-diag-final",
    "grow-diag-final-and",
]
SYMMETRIZATIONS: tuple[Symmetrization, ...] = get_args(Symmetrization)

_NEIGHBOURS = ((0, -1), (-1, 0), (0, 1), (1, 0), (-1, -1), (1, -1), (-1, 1), (1, 1))
"""Steps in source and target, in symal's order."""


def symmetrize(forward: Set[Link], reverse: Set[Link], how: Symmetrization) -> set[Link]:
    """One set of (source, target) links from those of each target word and of each source word.

    `grow-diag` starts from the intersection and adds, again and again, links of the union that
    neighbour one that is there, diagonally too, and of which a word has no link yet.
    `grow-diag-final` then adds any link, of the forward direction first, of which a word has none;
    `grow-diag-final-and` those of which neither word has one.
    """
    alone: dict[str, Set[Link]] = {
        "forward": forward,
        "reverse": reverse,
        "intersection": forward & reverse,
        "union": forward | reverse,
    }
    if how in alone:
        return set(alone[how])
    links = set(alone["intersection"])
    sources, targets = {source for source, _ in links}, {target for _, target in links}
    union = sorted(alone["union"], key=_by_target)
    grew = len(links) < len(union)
    while grew:
        grew = False
        for source, target in union:
            if (source, target) not in links:
                continue
            for right, down in _NEIGHBOURS:
                link = (source + right, target + down)
                if link in alone["union"] and (link[0] not in sources or link[1] not in targets):
                    links.add(link)
                    sources.add(link[0])
                    targets.add(link[1])
                    grew = True
    if how != "grow-diag":
        enough = all if how == "grow-diag-final-and" else any
        for link in (*sorted(forward, key=_by_target), *sorted(reverse, key=_by_target)):
            if enough((link[0] not in sources, link[1] not in targets)):
                links.add(link)
                sources.add(link[0])
                targets.add(link[1])
    return links


def _by_target(link: Link) -> Link:
    return link[1], link[0]
