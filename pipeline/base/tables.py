"""Tables: rows with the same columns, as CSV for programs and as Markdown for people."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from mgsa.base.errors import InputError
from mgsa.base.io import open_to_write, read_lines

Row = dict[str, Any]
Columns = Mapping[str, Callable[[str], Any]]
"""Columns of a file, and what converts their values."""


def write_csv(
    rows: Sequence[Mapping[str, Any]], path: Path, columns: Sequence[str] | None = None
) -> None:
    """Write a table; the cell of `None` is empty.

    Args:
        columns: names; without them, the keys of the first row.
    """
    with open_to_write(path) as file:
        writer = csv.DictWriter(file, columns or list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def read_csv(path: Path, columns: Columns, *, delimiter: str = ",") -> list[Row]:
    """The rows of a table with a header: the named `columns`, each converted by its type.

    Raises:
        InputError: the file is missing or not UTF-8, lacks a column, or a value is of another type.
    """
    reader = csv.DictReader(read_lines(path), delimiter=delimiter)
    for column in columns:
        if column not in (reader.fieldnames or ()):
            raise InputError(f"expected a column {column}", path=path, line=1)
    rows = []
    for cells in reader:
        row = {}
        for column, convert in columns.items():
            try:
                row[column] = convert(cells[column])
            except (TypeError, ValueError):  # a short line has None at its end
                expected = "a whole number" if convert is int else "a number"
                message = f"{column}: expected {expected}, found {cells[column]!r}"
                raise InputError(message, path=path, line=reader.line_num) from None
        rows.append(row)
    return rows


def markdown(rows: Sequence[Mapping[str, Any]], columns: Sequence[str]) -> Iterator[str]:
    """The lines of a table; all columns but the first are aligned to the right."""
    yield f"| {' | '.join(columns)} |"
    yield f"| {' | '.join(['---'] + ['---:'] * (len(columns) - 1))} |"
    for row in rows:
        # A bar would end the cell.
        cells = [str(row[column]).replace("|", r"\|") for column in columns]
        yield f"| {' | '.join(cells)} |"
