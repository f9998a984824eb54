"""What a stage reported, read strictly: a missing or odd number is one line that names it."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mgsa.errors import InputError
from mgsa.files import read_json, read_lines


@dataclass(frozen=True)
class Report:
    """A JSON file that a stage wrote, and where it lies: the page names it beside its numbers."""

    path: Path
    content: dict[str, Any]

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
            InputError: there is none, or something else.
        """
        value = self.content.get(key)
        if isinstance(value, bool) or not isinstance(value, int | float):
            found = "found none" if key not in self.content else f"found {value!r}"
            raise InputError(f"{key}: expected a number, {found}", path=self.path)
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
            raise InputError(f"{key}: expected text, found {value!r}", path=self.path)
        return value


def read_table(
    path: Path, columns: Sequence[str], *, delimiter: str = ","
) -> Iterator[tuple[int, dict[str, str]]]:
    """The lines of a table with a header line, by column, each with its number in the file.

    Raises:
        InputError: it is missing, not UTF-8, or lacks one of `columns`; a line has too few values.
    """
    reader = csv.reader((f"{line}\n" for line in read_lines(path)), delimiter=delimiter)
    header = next(reader, [])
    for column in columns:
        if column not in header:
            raise InputError(f"expected a column {column}", path=path, line=1)
    for values in reader:
        if len(values) != len(header):
            raise InputError(
                f"expected {len(header)} values, found {len(values)}",
                path=path,
                line=reader.line_num,
            )
        yield reader.line_num, dict(zip(header, values, strict=True))


def read_number(text: str, *, path: Path, line: int) -> float:
    """A number as text; `nan` and `inf`, which a curve may have, are numbers too.

    Raises:
        InputError: it is none.
    """
    try:
        return float(text)
    except ValueError:
        raise InputError(f"expected a number, found {text!r}", path=path, line=line) from None
