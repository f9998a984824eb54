"""One alignment from the two directions of a statistical aligner (Koehn et al. 2005).

Precisely as Moses' `symal` does it: which link is added depends on which were before, so the order
of neighbours, of the scan and of the two last passes is part of the definition.
"""

from __future__ import annotations

from collections.abc import Callable, Set
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
    """One set of (source, target) links from two.

    `forward` and `reverse` are one direction alone. `intersection` has the links that are in
    both, `union` those in either. `grow-diag` starts from the intersection and adds, again and
    again, links of the union that neighbour one that is there, diagonally too, and of which a
    word has no link yet. `grow-diag-final` then adds any link, of the forward direction first,
    of which a word has none; `grow-diag-final-and` those of which neither word has one.

    Args:
        forward: links found for each target word.
        reverse: links found for each source word.
    """
    match how:
        case "forward":
            return set(forward)
        case "reverse":
            return set(reverse)
        case "intersection":
            return set(forward & reverse)
        case "union":
            return set(forward | reverse)
        case "grow-diag":
            return _grown(forward, reverse)
        case "grow-diag-final":
            return _final(_grown(forward, reverse), forward, reverse, any)
        case "grow-diag-final-and":
            return _final(_grown(forward, reverse), forward, reverse, all)


def _grown(forward: Set[Link], reverse: Set[Link]) -> set[Link]:
    links, union = set(forward & reverse), forward | reverse
    sources, targets = {source for source, _ in links}, {target for _, target in links}
    grew = len(links) < len(union)
    while grew:
        grew = False
        for source, target in sorted(union, key=_by_target):
            if (source, target) not in links:
                continue
            for right, down in _NEIGHBOURS:
                link = (source + right, target + down)
                if link in union and (link[0] not in sources or link[1] not in targets):
                    links.add(link)
                    sources.add(link[0])
                    targets.add(link[1])
                    grew = True
    return links


def _final(
    links: set[Link], forward: Set[Link], reverse: Set[Link], enough: Callable[[list[bool]], bool]
) -> set[Link]:
    """Add what is left of one direction, then of the other, if enough words have no link."""
    sources, targets = {source for source, _ in links}, {target for _, target in links}
    for source, target in (*sorted(forward, key=_by_target), *sorted(reverse, key=_by_target)):
        if enough([source not in sources, target not in targets]):
            links.add((source, target))
            sources.add(source)
            targets.add(target)
    return links


def _by_target(link: Link) -> Link:
    return link[1], link[0]
