"""Symmetrisation of the two directions of a statistical aligner (Koehn et al. 2005).

Exactly Moses' `symal`: results depend on the order of neighbours, scan and final passes.
"""

from collections.abc import Set
from typing import Literal, get_args

from mgsa.data.word_links import Link

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
    """Combine forward and reverse (source, target) links.

    `grow-diag` starts from the intersection and repeatedly adds links of the union that neighbour
    an added one (also diagonally) and have an unlinked word. `grow-diag-final` then adds links,
    forward first, with an unlinked word; `grow-diag-final-and` those with two unlinked words.
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
