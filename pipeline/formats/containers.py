"""Sentences of one side of a corpus in the formats that public corpora have.

A format is known by the first bytes of the (unpacked) file, never by its name: WMT's SGML and XML,
TMX, Parquet, JSON lines, tables with tabs or ` ||| ` between their columns, and plain text. A text
in a language is found by the file's own codes, `de` and `de-AT` alike, or by the language's name;
white space other than blanks, such as a line's end within a segment, becomes a blank.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import chain, islice
from pathlib import Path
from typing import Any

from mgsa.cli.errors import InputError
from mgsa.cli.files import open_to_read, read_lines
from mgsa.cli.languages import base_language, known_language, matching_code
from pipeline.formats.markup import test_set_segments, tmx_segments
from pipeline.formats.text import PARQUET, PEEKED_LINES, read_sentences, table_separator

_ROOT = re.compile(rb"<([a-z]\w*)", re.IGNORECASE)
_OBJECT = re.compile(rb'\{\s*"')
_BREAKS = re.compile(r"\s*[\n\r\t]\s*")
_QUOTED = re.compile(r'"(?:[^"]|"")*"')
Column = str | int | None
_OTHER = {"source": "target", "target": "source"}
_ROLES = {"source": ("source", "src"), "target": ("target", "tgt", "trg")}
_CODE = re.compile(r"[a-z]{2}([-_]\w+)?", re.IGNORECASE)


def read_column(
    path: Path,
    *,
    language: str,
    other: str,
    side: str,
    columns: tuple[Column, Column] = (None, None),
    reference: int = 1,
    source: Path | None = None,
) -> Iterator[str]:
    """Yield the sentences of one side of a corpus file.

    Args:
        language, other: codes of this side and of the pair's other one.
        side: source or target, where the file's codes do not tell.
        columns: this side's and the other's: of a table its number, from 1, or name, of JSON and
            Parquet its name (`a.b`: b within a); `None`: the language's, or of two columns that of
            the side.
        reference: of several of a segment of a test set, from 1; blank if it has fewer.
        source: the file of the source, whose order the segments of a test set get.

    Raises:
        InputError: the file is missing, damaged, of another format, or without the language.
    """
    kind, column = _format(path), columns[0]
    match kind:
        case "sgml" | "xml":
            sentences = _segments(path, language, other, side, reference, source)
        case "tmx":
            sentences = tmx_segments(path, language, other)
        case "parquet":
            sentences = _values(path, enumerate(_parquet_rows(path), 1), language, side, column)
        case "json":
            sentences = _values(path, _json_rows(path), language, side, column)
        case "table":
            languages = {side: language, _OTHER[side]: other}
            rows = _table_rows(path, languages, columns)
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
    segments = test_set_segments(path, language, "target", is_sgml=kind == "sgml")
    return max(map(len, segments.values()))


def _segments(
    path: Path, language: str, other: str, side: str, reference: int, source: Path | None
) -> Iterator[str]:
    """A reference of each segment of a test set, in the order of the source's."""
    segments = test_set_segments(path, language, side, is_sgml=_format(path) == "sgml")
    order = segments
    if source and (kind := _format(source)) in ("sgml", "xml"):
        order = test_set_segments(source, other, "source", is_sgml=kind == "sgml")
        for document, number in order | segments if order.keys() != segments.keys() else ():
            which = f"segment {number} of document {document!r}"
            if (document, number) not in segments:
                raise InputError(f"expected {which}, as in {source}, found none", path=path)
            if (document, number) not in order:
                raise InputError(f"found {which}, which {source} lacks", path=path)
    for key in order:
        yield "".join(segments[key][reference - 1 : reference])


def _format(path: Path) -> str:
    with open_to_read(path) as file:
        start = file.peek(4096)[:4096].removeprefix(b"\xef\xbb\xbf").lstrip()
    if start.startswith((b"\xff\xfe", b"\xfe\xff")):
        start = start.decode("utf-16", "ignore").encode()
    if start.startswith(PARQUET):
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
    path: Path, languages: Mapping[str, str], columns: Sequence[Column]
) -> Iterator[tuple[int, dict[str, str]]]:
    """Cells by the number of their column, and by its name if the first line is one of names.

    An `InputError` is raised if it names one language of the pair and, it seems, text.
    """
    lines = read_lines(path)
    peeked = [*islice(lines, PEEKED_LINES)]
    separator = table_separator(peeked)
    all_quoted = all(
        _QUOTED.fullmatch(cell) for line in peeked if line for cell in line.split(separator)
    )

    def text_of(cell: str) -> str:
        """A cell's text; only cells that spreadsheets quote have doubled quotes within."""
        cell = cell.strip()
        quoted = _QUOTED.fullmatch(cell) and (all_quoted or '""' in cell[1:-1])
        return cell[1:-1].replace('""', '"') if quoted else cell

    names: list[str] = []
    width = 0
    for number, line in enumerate(chain(peeked, lines), start=1):
        cells = [text_of(cell) for cell in line.split(separator)] if line.strip() else []
        if not width:
            width = len(cells)
            named = [column in cells for column in columns if isinstance(column, str)]
            if any(named) or _are_names(cells, languages):
                names = [cell if cells.count(cell) == 1 else "" for cell in cells]
                continue
            if any(_column_of(cells, language, side) for side, language in languages.items()):
                message = f"expected text, or a name for both languages, found {', '.join(cells)}"
                raise InputError(f"{message}; `columns` may name others", path=path, line=number)
        if cells and len(cells) != width:
            message = f"expected {width} columns as in the first line, found {len(cells)}"
            raise InputError(message, path=path, line=number)
        if cells:
            by_name = {name: cell for name, cell in zip(names, cells, strict=False) if name}
            yield number, {str(n): cell for n, cell in enumerate(cells, start=1)} | by_name


def _are_names(cells: Sequence[str], languages: Mapping[str, str]) -> bool:
    """Whether cells name columns: those of the pair are among them, or all are languages'."""
    if all(_column_of(cells, language, side) for side, language in languages.items()):
        return True
    named = [
        any(cell.lower() in names for names in _ROLES.values()) or _language_of(cell)
        for cell in cells
    ]
    return len({*map(str.lower, cells)}) > 1 and all(named)


def _column_of(names: Collection[str], language: str, side: str) -> str | None:
    """The column in a language, by code or name, or else of a side: `de`, `text_de`, `German`."""
    if code := matching_code(names, language):
        return code
    base = base_language(language)
    parts = {name: re.split("[_.-]", name) for name in names if re.fullmatch(r"[\w.-]+", name)}
    of_side = (
        name for name in parts if not {*map(str.lower, parts[name])}.isdisjoint(_ROLES[side])
    )
    named = (name for name in parts if base in map(_language_of, (name, *parts[name])))
    return next(chain(of_side, named), None)


@cache
def _language_of(name: str) -> str:
    """The language of a code of two letters, with a region perhaps, or of an English name."""
    from stanza.models.common.constant import lang2lcode

    is_code = _CODE.fullmatch(name)
    return known_language(name if is_code else lang2lcode.get(name.capitalize(), "any"))


def _values(
    path: Path,
    rows: Iterable[tuple[int, Any]],
    language: str,
    side: str,
    column: Column,
) -> Iterator[str]:
    """The text of each row in a column, or in the language, as `datasets` has them.

    Failing these, the side decides: the first or the second of two columns.
    """
    for number, row in rows:
        value = row.get("translation", row) if isinstance(row, Mapping) and not column else row
        keys = str(column).split(".")
        if column is None and isinstance(value, Mapping):
            numbered = value.keys() == {"1", "2"}
            place = "1" if side == "source" else "2"
            keys = [place if numbered else _column_of(value, language, side) or side]
        for key in keys:
            within = value if isinstance(value, Mapping) else {}
            value = within.get(key)
        if not isinstance(value, str):
            found = json.dumps(value if key in within else row, default=str)[:40]
            if within and key not in within:
                found = ", ".join(within)
            expected = f"column {column}" if column is not None else f"text in {language}"
            message = f"expected {expected}, found {found}; `columns` may choose others"
            raise InputError(message, path=path, line=number)
        yield value
