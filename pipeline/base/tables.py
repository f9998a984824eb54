"""Tables as CSV and Markdown."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from mgsa.base.errors import InputError
from mgsa.base.io import open_to_write, read_lines

Row = dict[str, Any]


class _FileRow(Row):
    """A column that the file lacks is an error naming both."""

    path: Path

    def __missing__(self, column: str) -> Any:
        raise InputError(f"expected a column {column}", path=self.path)


def write_csv(
    rows: Sequence[Mapping[str, Any]], path: Path, columns: Sequence[str] | None = None
) -> None:
    """Write rows as CSV, `None` as an empty cell; default columns are the first row's keys."""
    with open_to_write(path) as file:
        writer = csv.DictWriter(file, columns or list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def read_csv(path: Path, *texts: str, delimiter: str = ",") -> list[Row]:
    """Read CSV with a header: numbers, `None` for empty cells, and text in the columns `texts`.

    Raises:
        InputError: the file is missing or not UTF-8, or a cell is no number.
    """
    reader = csv.DictReader(read_lines(path), delimiter=delimiter)
    rows: list[Row] = []
    for cells in reader:
        try:
            row = _FileRow({n: cell if n in texts else _number(cell) for n, cell in cells.items()})
        except ValueError as error:
            raise InputError(str(error), path=path, line=reader.line_num) from None
        row.path = path
        rows.append(row)
    return rows


def _number(cell: str) -> float | None:
    if not cell:
        return None
    return int(cell) if cell.isdecimal() else float(cell)


def markdown(rows: Sequence[Mapping[str, Any]], columns: Sequence[str]) -> Iterator[str]:
    """The lines of a table; all columns but the first are right-aligned."""
    yield f"| {' | '.join(columns)} |"
    yield f"| {' | '.join(['---'] + ['---:'] * (len(columns) - 1))} |"
    for row in rows:
        # A bar would end the cell.
        cells = [str(row[column]).replace("|", r"\|") for column in columns]
        yield f"| {' | '.join(cells)} |"
