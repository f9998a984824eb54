"""One alignment from the two directions of a statistical aligner (Koehn et al. 2005).

Precisely as Moses' `symal` does it: which link is added depends on which were before, so the order
of neighbours, of the scan and of the two last passes is part of the definition.
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Callable, Set
from typing import Literal, get_args

from mgsa.word_links import Link

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
            return _Growing(forward, reverse).links
        case "grow-diag-final":
            growing = _Growing(forward, reverse)
            growing.add_final(forward, reverse, any)
            return growing.links
        case "grow-diag-final-and":
            growing = _Growing(forward, reverse)
            growing.add_final(forward, reverse, all)
            return growing.links


class _Growing:
    """An alignment that grew from the intersection, and which words have a link in it."""

    def __init__(self, forward: Set[Link], reverse: Set[Link]) -> None:
        self.links = set(forward & reverse)
        self._sources = {source for source, _ in self.links}
        self._targets = {target for _, target in self.links}
        candidates = set(forward | reverse) - self.links
        # Links are scanned by target, then source. One that is added in front of the present one
        # has its turn in the next round, one behind it in this round.
        scanned = sorted(self.links, key=_by_target)
        grew = bool(candidates)
        while grew:
            grew = False
            place = 0
            while place < len(scanned):
                source, target = scanned[place]
                for right, down in _NEIGHBOURS:
                    link = (source + right, target + down)
                    if link in candidates and any(self._free(link)):
                        self._add(link)
                        candidates.remove(link)
                        insort(scanned, link, key=_by_target)
                        place += _by_target(link) < (target, source)
                        grew = True
                place += 1

    def add_final(
        self, forward: Set[Link], reverse: Set[Link], enough: Callable[[tuple[bool, bool]], bool]
    ) -> None:
        """Add what is left of one direction, then of the other, if enough words have no link."""
        for direction in (forward, reverse):
            for link in sorted(direction - self.links, key=_by_target):
                if enough(self._free(link)):
                    self._add(link)

    def _free(self, link: Link) -> tuple[bool, bool]:
        """Whether the source word has no link yet, and whether the target word has none."""
        return link[0] not in self._sources, link[1] not in self._targets

    def _add(self, link: Link) -> None:
        self.links.add(link)
        self._sources.add(link[0])
        self._targets.add(link[1])


def _by_target(link: Link) -> Link:
    return link[1], link[0]
