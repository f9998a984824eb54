"""What a stage reported, read strictly: a missing or odd number is one line that names it."""

from __future__ import annotations

import csv
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mgsa.base.errors import InputError
from mgsa.base.io import read_json, read_lines
from mgsa.base.settings import LONGEST_SHOWN


@dataclass(frozen=True)
class Report:
    """A JSON file that a stage wrote, or an object in it.

    Attributes:
        path: where the file lies: the page names it beside its numbers.
        inside: what stands before a key where a message names it: `cells[3].` in an object of a
            list; nothing in the file's own.
    """

    path: Path
    content: dict[str, Any]
    inside: str = ""

    @classmethod
    def read(cls, path: Path) -> Report:
        """Read a report.

        Raises:
            InputError: it is missing, malformed, or no object.
        """
        content = read_json(path)
        if not isinstance(content, dict):
            raise InputError("expected an object", path=path)
        return cls(path, content)

    def __contains__(self, key: str) -> bool:
        return key in self.content

    def number(self, key: str) -> float:
        """The number of a key.

        Raises:
            InputError: there is none, or something else, or one that is not finite.
        """
        value: Any = self.content.get(key)
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        if not (is_number and math.isfinite(value)):
            found = "found none" if key not in self.content else f"found {value!r}"
            raise InputError(f"{self.inside}{key}: expected a number, {found}", path=self.path)
        return value

    def get(self, key: str) -> float | None:
        """The number of a key that a report may lack."""
        return self.number(key) if key in self.content else None

    def text(self, key: str) -> str:
        """The text of a key.

        Raises:
            InputError: there is none, or something else.
        """
        value = self.content.get(key)
        if not isinstance(value, str):
            message = f"{self.inside}{key}: expected text, found {value!r}"
            raise InputError(message, path=self.path)
        return value

    def part(self, key: str) -> Report:
        """The object of a key.

        Raises:
            InputError: there is none, or something else.
        """
        return self._object(key, self.content.get(key))

    def parts(self, key: str) -> list[Report]:
        """The objects of the list of a key.

        Raises:
            InputError: there is none, or something else.
        """
        values = self.content.get(key)
        if not isinstance(values, list):
            raise InputError(f"{self.inside}{key}: expected a list", path=self.path)
        return [self._object(f"{key}[{place}]", value) for place, value in enumerate(values)]

    def _object(self, name: str, value: object) -> Report:
        if not isinstance(value, dict):
            raise InputError(f"{self.inside}{name}: expected an object", path=self.path)
        return Report(self.path, value, f"{self.inside}{name}.")


def read_table(
    path: Path,
    columns: Sequence[str],
    *,
    delimiter: str = ",",
) -> Iterator[tuple[int, dict[str, str]]]:
    """The lines of a table with a header line, by column, each with its number in the file.

    Raises:
        InputError: it is missing, not UTF-8, or lacks one of `columns`; a
            line has too few values, or a value that is endless or whose quotes don't fit.
    """
    rows = _rows(path, delimiter)
    _, header = next(rows, (1, []))
    for column in columns:
        if column not in header:
            raise InputError(f"expected a column {column}", path=path, line=1)
    for line, values in rows:
        if len(values) != len(header):
            raise InputError(
                f"expected {len(header)} values, found {len(values)}", path=path, line=line
            )
        yield line, dict(zip(header, values, strict=True))


def _rows(path: Path, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    lines = (f"{line}\n" for line in read_lines(path))
    # A quote that is never closed would make one value of all that follows.
    reader = csv.reader(lines, delimiter=delimiter, strict=True)
    while True:
        try:
            values = next(reader, None)
        except csv.Error as error:
            message = f"expected a line of a table: {error}"
            raise InputError(message, path=path, line=reader.line_num) from None
        if values is None:
            return
        yield reader.line_num, values


def read_count(row: Mapping[str, str], column: str, *, path: Path, line: int) -> int:
    """The whole number of a column.

    Raises:
        InputError: it is none, or larger than any count.
    """
    text = row[column]
    if text.isascii() and text.isdecimal():
        return int(text)
    message = f"{column}: expected a whole number, found {_short(text)!r}"
    raise InputError(message, path=path, line=line)


def read_number(text: str, *, path: Path, line: int) -> float:
    """A number as text; `nan` and `inf`, which a curve may have, are numbers too.

    Raises:
        InputError: it is none.
    """
    try:
        return float(text)
    except ValueError:
        message = f"expected a number, found {_short(text)!r}"
        raise InputError(message, path=path, line=line) from None


def _short(text: str) -> str:
    return text if len(text) <= LONGEST_SHOWN else f"{text[:LONGEST_SHOWN]}…"
