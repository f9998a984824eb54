"""What a stage reported, read strictly: a missing or odd number is one line that names it."""

from __future__ import annotations

import csv
import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mgsa.base.errors import InputError
from mgsa.base.io import read_json, read_lines
from mgsa.base.settings import LONGEST_SHOWN

MOST_DIGITS = 18
"""Of a count."""


@dataclass(frozen=True)
class Report:
    """A JSON file that a stage wrote, or an object in it.

    Attributes:
        inside: the key of the object within the file, as errors name it: `cells[3].`.
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
        if not _is_finite(value):
            raise self._error(key, "a number")
        return value

    def get(self, key: str) -> float | None:
        """The number of a key that may be missing or `null`."""
        return None if self.content.get(key) is None else self.number(key)

    def numbers(self) -> dict[str, float]:
        """All keys with a finite number."""
        return {key: value for key, value in self.content.items() if _is_finite(value)}

    def text(self, key: str) -> str:
        """The text of a key.

        Raises:
            InputError: there is none, or something else.
        """
        value = self.content.get(key)
        if not isinstance(value, str):
            raise self._error(key, "text")
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
            raise self._error(key, "a list")
        return [self._object(f"{key}[{place}]", value) for place, value in enumerate(values)]

    def _object(self, name: str, value: object) -> Report:
        if not isinstance(value, dict):
            raise self._error(name, "an object")
        return Report(self.path, value, f"{self.inside}{name}.")

    def _error(self, key: str, expected: str) -> InputError:
        found = _short(repr(self.content[key])) if key in self.content else "none"
        return InputError(f"{self.inside}{key}: expected {expected}, found {found}", path=self.path)


def _is_finite(value: object) -> bool:
    try:
        return (
            isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
        )
    except OverflowError:  # an integer of hundreds of digits
        return False


def read_table(
    path: Path, columns: Sequence[str], *, delimiter: str = ","
) -> Iterator[tuple[int, dict[str, str]]]:
    """The lines of a table with a header line, by column, each with its number in the file.

    Raises:
        InputError: it is missing or not UTF-8, lacks one of `columns`, or a line has other values.
    """
    reader = csv.reader(
        (f"{line}\n" for line in read_lines(path)), delimiter=delimiter, strict=True
    )
    try:
        header = next(reader, [])
        for column in columns:
            if column not in header:
                raise InputError(f"expected a column {column}", path=path, line=1)
        for values in reader:
            if len(values) != len(header):
                message = f"expected {len(header)} values, found {len(values)}"
                raise InputError(message, path=path, line=reader.line_num)
            yield reader.line_num, dict(zip(header, values, strict=True))
    except csv.Error as error:
        message = f"expected a line of a table: {error}"
        raise InputError(message, path=path, line=reader.line_num) from None


def read_count(row: Mapping[str, str], column: str, *, path: Path, line: int) -> int:
    """The whole number of a column.

    Raises:
        InputError: it is none, or larger than any count.
    """
    text = row[column]
    if text.isascii() and text.isdecimal() and len(text) <= MOST_DIGITS:
        return int(text)
    message = f"{column}: expected a whole number, found {_short(text)!r}"
    raise InputError(message, path=path, line=line)


def read_number(
    row: Mapping[str, str], column: str, *, path: Path, line: int, finite: bool = True
) -> float:
    """The number of a column; `nan` and `inf` too, unless it is to be `finite`.

    Raises:
        InputError: it is none.
    """
    with suppress(ValueError):
        if math.isfinite(number := float(row[column])) or not finite:
            return number
    message = f"{column}: expected a number, found {_short(row[column])!r}"
    raise InputError(message, path=path, line=line)


def _short(text: str) -> str:
    return text if len(text) <= LONGEST_SHOWN else f"{text[:LONGEST_SHOWN]}…"
