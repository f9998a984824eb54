"""Sentences of one side of a corpus in the formats that public corpora have.

A format is known by the first bytes of the (unpacked) file, never by its name: WMT's SGML and XML,
TMX, Parquet, JSON lines, tables with tabs or ` ||| ` between their columns, and plain text. A text
in a language is found by the file's own codes, `de` and `de-AT` alike; white space other than
blanks, such as a line's end within a segment, becomes a blank.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice
from pathlib import Path
from typing import Any

from mgsa.cli.errors import InputError
from mgsa.cli.files import open_to_read, read_lines
from mgsa.cli.languages import matching_code
from pipeline.formats.markup import test_set_texts, tmx_segments
from pipeline.formats.text import PEEKED_LINES, read_sentences, table_separator

_ROOT = re.compile(rb"<([a-z]\w*)", re.IGNORECASE)
_OBJECT = re.compile(rb'\{\s*"')
_BREAKS = re.compile(r"\s*[\n\r\t]\s*")


def read_column(
    path: Path,
    *,
    language: str,
    other: str,
    side: str,
    column: str | int | None = None,
    reference: int = 1,
) -> Iterator[str]:
    """Yield the sentences of one side of a corpus file.

    Args:
        language, other: codes of this side and of the pair's other one.
        side: source or target, where the file's codes do not tell.
        column: of a table its number, from 1, or name, of JSON and Parquet its name (`a.b`: b
            within a); `None`: the language's, or of two columns that of the side.
        reference: of several of the language in a test set, from 1.

    Raises:
        InputError: the file is missing, damaged, of another format, or without the language.
    """
    kind = _format(path)
    match kind:
        case "sgml" | "xml":
            texts = test_set_texts(path, language, side, is_sgml=kind == "sgml")
            sentences: Iterable[str] = texts[reference - 1].segments
        case "tmx":
            sentences = tmx_segments(path, language, other)
        case "parquet":
            sentences = _values(path, enumerate(_parquet_rows(path), 1), language, side, column)
        case "json":
            sentences = _values(path, _json_rows(path), language, side, column)
        case "table":
            rows = _table_rows(path, (language, other), column)
            sentences = _values(path, rows, language, side, column)
        case _ if column is not None:
            raise InputError(f"expected a table with column {column}, found text", path=path)
        case _:
            yield from read_sentences(path)
            return
    for sentence in sentences:
        yield _BREAKS.sub(" ", sentence)


def references_in(path: Path, language: str) -> int:
    """How many references a file has in a language: 1, but for test sets with several."""
    kind = _format(path)
    if kind not in ("sgml", "xml"):
        return 1
    return len(test_set_texts(path, language, "target", is_sgml=kind == "sgml"))


def _format(path: Path) -> str:
    with open_to_read(path) as file:
        start = file.peek(4096)[:4096].removeprefix(b"\xef\xbb\xbf").lstrip()
    if start.startswith((b"\xff\xfe", b"\xfe\xff")):
        start = start.decode("utf-16", "ignore").encode()
    if start.startswith(b"PAR1"):
        return "parquet"
    if start.startswith(b"<"):
        root = _ROOT.search(start)
        known = {b"tmx": "tmx", b"dataset": "xml"}.get(root[1].lower() if root else b"")
        return known or ("sgml" if b"<seg" in start.lower() else "text")
    if _OBJECT.match(start):
        return "json"
    return "table" if table_separator([*islice(read_lines(path), PEEKED_LINES)]) else "text"


def _json_rows(path: Path) -> Iterator[tuple[int, Any]]:
    for number, line in enumerate(read_lines(path), start=1):
        if line.strip():
            try:
                yield number, json.loads(line)
            except json.JSONDecodeError as error:
                message = f"expected a JSON object a line: {error.msg} at column {error.colno}"
                raise InputError(message, path=path, line=number) from None


def _parquet_rows(path: Path) -> Iterator[Any]:
    import pyarrow as pa
    from pyarrow.parquet import ParquetFile

    try:
        with ParquetFile(path) as file:
            for batch in file.iter_batches(batch_size=10_000):
                yield from batch.to_pylist()
    except pa.ArrowException as error:
        raise InputError(f"damaged Parquet file: {error}", path=path) from None


def _table_rows(
    path: Path, languages: Sequence[str], column: str | int | None
) -> Iterator[tuple[int, dict[str, str]]]:
    """Cells by the number of their column, and by its name if the first line is one of names."""
    lines = read_lines(path)
    peeked = [*islice(lines, PEEKED_LINES)]
    separator = table_separator(peeked)
    names: list[str] = []
    width = 0
    for number, line in enumerate(chain(peeked, lines), start=1):
        cells = [cell.strip() for cell in line.split(separator)] if line.strip() else []
        if not width:
            width = len(cells)
            codes = all(matching_code(cells, language) for language in languages)
            if codes or {"source", "target"} <= {*cells} or column in cells:
                names = cells
                continue
        if cells and len(cells) != width:
            message = f"expected {width} columns as in the first line, found {len(cells)}"
            raise InputError(message, path=path, line=number)
        if cells:
            numbers = map(str, range(1, width + 1))
            yield (
                number,
                dict(zip(numbers, cells, strict=True)) | dict(zip(names, cells, strict=False)),
            )


def _values(
    path: Path,
    rows: Iterable[tuple[int, Any]],
    language: str,
    side: str,
    column: str | int | None,
) -> Iterator[str]:
    """Of each row the text of a column, or that in the language, as `datasets` has them.

    Else it is that of the side: the first or the second of two columns.
    """
    for number, row in rows:
        value = row
        if column is not None:
            for name in str(column).split("."):
                value = value.get(name) if isinstance(value, Mapping) else None
        elif isinstance(row, Mapping):
            texts = row.get("translation", row)
            texts = texts if isinstance(texts, Mapping) else {}
            key = matching_code(texts, language) or side
            if texts.keys() == {"1", "2"}:
                key = "1" if side == "source" else "2"
            value = texts.get(key)
        if not isinstance(value, str):
            names = ", ".join(row) if isinstance(row, Mapping) else type(row).__name__
            expected = f"column {column}" if column is not None else f"text in {language}"
            message = f"expected {expected}, found {names}; `columns` may choose others"
            raise InputError(message, path=path, line=number)
        yield value
