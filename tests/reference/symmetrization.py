"""Symmetrisation as Moses' `symal` is said to do it, with a matrix and no shortcut.

Rows are target words, columns source words, as in the papers' figures. A cell of the matrix is
scanned whenever the scan of all cells, row by row, comes to it and it is set by then.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

Links = set[tuple[int, int]]

NEIGHBOURS = [(-1, 0), (0, -1), (1, 0), (0, 1), (-1, -1), (-1, 1), (1, -1), (1, 1)]
"""In rows and columns."""


def grow_diag(sources: int, targets: int, forward: Links, reverse: Links) -> list[list[bool]]:
    """The matrix that has grown from the intersection."""
    cells = list(product(range(targets), range(sources)))
    union = [
        [(s, t) in forward or (s, t) in reverse for s in range(sources)] for t in range(targets)
    ]
    matrix = [
        [(s, t) in forward and (s, t) in reverse for s in range(sources)] for t in range(targets)
    ]
    added = True
    while added:
        added = False
        for row, column in cells:
            if not matrix[row][column]:
                continue
            for down, right in NEIGHBOURS:
                new_row, new_column = row + down, column + right
                inside = 0 <= new_row < targets and 0 <= new_column < sources
                if (
                    inside
                    and union[new_row][new_column]
                    and not covered(matrix, new_row, new_column)
                ):
                    matrix[new_row][new_column] = True
                    added = True
    return matrix


def covered(matrix: list[list[bool]], row: int, column: int) -> bool:
    """Whether both words of a cell have a link."""
    return row_has(matrix, row) and column_has(matrix, column)


def row_has(matrix: list[list[bool]], row: int) -> bool:
    return any(matrix[row])


def column_has(matrix: list[list[bool]], column: int) -> bool:
    return any(cells[column] for cells in matrix)


def final(matrix: list[list[bool]], direction: Links, enough: Callable[[bool, bool], bool]) -> None:
    """Add links of one direction, row by row, if enough words of them have none."""
    for row, cells in enumerate(matrix):
        for column in range(len(cells)):
            if (column, row) in direction and not cells[column]:
                free = not row_has(matrix, row), not column_has(matrix, column)
                if enough(*free):
                    cells[column] = True


def symmetrize(sources: int, targets: int, forward: Links, reverse: Links, how: str) -> Links:
    """The links of all kinds but intersection and union."""
    matrix = grow_diag(sources, targets, forward, reverse)
    if how == "grow-diag-final":
        for direction in (forward, reverse):
            final(matrix, direction, lambda row, column: row or column)
    if how == "grow-diag-final-and":
        for direction in (forward, reverse):
            final(matrix, direction, lambda row, column: row and column)
    return {(s, t) for t, cells in enumerate(matrix) for s, there in enumerate(cells) if there}
