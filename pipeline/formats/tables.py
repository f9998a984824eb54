"""Objects of JSON files, and tables as CSV and Markdown."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from mgsa.cli.errors import InputError
from mgsa.cli.files import open_to_write, read_json, read_lines
from mgsa.cli.outputs import WRITTEN_BY, digest

Row = dict[str, Any]


class Record(Row):
    """A JSON object or a row of a file; a missing key is an error naming both."""

    path: Path
    origin: str | None = None  #: of a report (`mgsa.cli.outputs.origin_of`).

    @classmethod
    def of(cls, values: Mapping[str, Any], path: Path) -> Record:
        """Values with the path that messages name."""
        record = cls(values)
        record.path = path
        return record

    @classmethod
    def read(cls, path: Path, *of: str) -> Record:
        """Read a JSON file of one object, the objects in it too; of a report, its metrics.

        An `InputError` is raised if it is a report that was edited, or of none of the commands
        `of`.
        """
        content = read_json(path, object_hook=lambda values: cls.of(values, path), finite=True)
        if not isinstance(content, cls):
            raise InputError("expected an object of JSON", path=path)
        written_by = content.pop(WRITTEN_BY, None)
        if isinstance(written_by, list) and digest(content) not in written_by:
            raise InputError("expected a report as a command wrote it, found it edited", path=path)
        if of and isinstance(written_by, list) and written_by[0] not in of:
            expected = f"expected a report of {' or '.join(of)}"
            raise InputError(f"{expected}, found one of {written_by[0]}", path=path)
        if isinstance(written_by, list):
            content.origin = written_by[-1]
        return content

    def __missing__(self, key: str) -> Any:
        raise InputError(f"{key}: expected a value, found none", path=self.path)


def flatten(values: Any, prefix: str = "") -> dict[str, Any]:
    """The values of nested mappings by dotted keys; an empty mapping is a value."""
    if not isinstance(values, Mapping) or not values:
        return {prefix: values}
    pairs = ((f"{prefix}.{key}" if prefix else str(key), value) for key, value in values.items())
    return {key: value for pair in pairs for key, value in flatten(pair[1], pair[0]).items()}


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
        InputError: the file is missing or not UTF-8, a column is there twice, a row has more or
            fewer cells, or a cell is no number.
    """
    reader = csv.DictReader(read_lines(path), delimiter=delimiter)
    columns = reader.fieldnames or ()
    if len(columns) == 1 and {*columns[0]} & {*";\t"} - {delimiter}:
        raise InputError(f"expected columns with {delimiter!r} between them", path=path, line=1)
    if len({*columns}) < len(columns):
        raise InputError("expected each column once", path=path, line=1)
    rows: list[Row] = []
    for cells in _readable(reader, path):
        if None in cells or None in cells.values():
            message = f"expected {len(columns)} cells: {', '.join(columns)}"
            raise InputError(message, path=path, line=reader.line_num)
        try:
            row = {n: cell if n in texts else _number(cell) for n, cell in cells.items()}
        except ValueError as error:
            raise InputError(str(error), path=path, line=reader.line_num) from None
        rows.append(Record.of(row, path))
    return rows


def _readable(reader: csv.DictReader[str], path: Path) -> Iterator[dict[str, str]]:
    try:
        yield from reader
    except csv.Error as error:
        line = reader.line_num + 1
        raise InputError(f"expected CSV: {error}", path=path, line=line) from None


def _number(cell: str) -> float | None:
    if not cell:
        return None
    return int(cell) if cell.isdecimal() else float(cell)


def markdown(
    heads: Sequence[str], rows: Iterable[Iterable[Any]], ruler: str = "---:"
) -> Iterator[str]:
    """The lines of a table; `ruler` aligns all columns but the first, by default to the right."""
    for row in [heads, ["---", *[ruler] * (len(heads) - 1)], *rows]:
        cells = (str(cell).replace("|", r"\|") for cell in row)  # a bar would end the cell
        yield f"| {' | '.join(cells)} |"
