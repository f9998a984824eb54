"""Symmetrisation as Moses' `symal` is said to do it, with a matrix and no shortcut.

Rows are target words, columns source words, as in the papers' figures. A cell of the matrix is
scanned whenever the scan of all cells, row by row, comes to it and it is set by then.
"""

from __future__ import annotations

import numpy as np

Links = set[tuple[int, int]]

NEIGHBOURS = [(-1, 0), (0, -1), (1, 0), (0, 1), (-1, -1), (-1, 1), (1, -1), (1, 1)]
"""In rows and columns."""


def symmetrize(size: int, forward: Links, reverse: Links, how: str) -> Links:
    """The links of all kinds but intersection and union, of `size` source and target words."""
    directions = [np.zeros((size, size), dtype=bool) for _ in range(2)]
    for direction, links in zip(directions, (forward, reverse), strict=True):
        for source, target in links:
            direction[target, source] = True
    matrix, union = directions[0] & directions[1], directions[0] | directions[1]
    added = True
    while added:
        added = False
        for row, column in np.ndindex(size, size):
            for down, right in NEIGHBOURS if matrix[row, column] else ():
                i, j = row + down, column + right
                if not (0 <= i < size and 0 <= j < size and union[i, j]):
                    continue
                if not (matrix[i].any() and matrix[:, j].any()):
                    matrix[i, j] = added = True
    if how != "grow-diag":
        for direction in directions:
            for row, column in zip(*direction.nonzero(), strict=True):
                free = [not matrix[row].any(), not matrix[:, column].any()]
                if all(free) if how == "grow-diag-final-and" else any(free):
                    matrix[row, column] = True
    return {(int(source), int(target)) for target, source in zip(*matrix.nonzero(), strict=True)}
