"""Sentences of one side of a corpus in the formats that public corpora have.

A format is known by the first bytes of the (unpacked) file, never by its name: WMT's SGML and XML,
TMX, Parquet, JSON lines, tables with tabs or ` ||| ` between their columns, and plain text. A text
in a language is found by the file's own codes, `de` and `de-AT` alike; white space other than
blanks, such as a line's end within a segment, becomes a blank.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from html.parser import HTMLParser
from itertools import chain, islice
from pathlib import Path
from typing import Any, NamedTuple
from xml.etree import ElementTree

from mgsa.cli.errors import InputError
from mgsa.cli.files import open_to_read, read_lines
from mgsa.cli.languages import base_language
from pipeline.formats.text import PEEKED_LINES, SEPARATORS, read_sentences, table_separator

_XML_LANGUAGE = "{http://www.w3.org/XML/1998/namespace}lang"
_TMX_CODES = frozenset(("bpt", "ept", "it", "ph", "ut"))
"""Elements of a segment that hold native codes, not text."""
_SETS = {"srcset": "srclang", "refset": "trglang", "tstset": "trglang"}
_ROOT = re.compile(rb"<([a-z]\w*)", re.IGNORECASE)
_BREAKS = re.compile(r"\s*[\n\r\t]\s*")


class _Text(NamedTuple):
    """A side of a test set: source, or a reference, in a language if known; its segments."""

    kind: str
    language: str
    name: str
    segments: list[str]


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
    match _format(path):
        case "sgml" | "xml":
            texts = _texts(path, language, side)
            sentences: Iterable[str] = texts[reference - 1].segments
        case "tmx":
            sentences = _tmx_segments(path, language, other)
        case "parquet":
            sentences = _values(path, enumerate(_parquet_rows(path), 1), language, column)
        case "json":
            sentences = _values(path, _json_rows(path), language, column)
        case "table":
            sentences = _cells(path, language, other, side, column)
        case _ if column is not None:
            raise InputError(f"expected a table with column {column}, found text", path=path)
        case _:
            yield from read_sentences(path)
            return
    for sentence in sentences:
        yield _BREAKS.sub(" ", sentence)


def references_in(path: Path, language: str) -> int:
    """How many references a file has in a language: 1, but for test sets with several."""
    several = _format(path) in ("sgml", "xml")
    return len(_texts(path, language, "target")) if several else 1


def _format(path: Path) -> str:
    with open_to_read(path) as file:
        start = file.peek(4096)[:4096].removeprefix(b"\xef\xbb\xbf").lstrip()
    if start.startswith(b"PAR1"):
        return "parquet"
    if start.startswith(b"<"):
        root = _ROOT.search(start)
        known = {b"tmx": "tmx", b"dataset": "xml"}.get(root[1].lower() if root else b"")
        return known or ("sgml" if b"<seg" in start.lower() else "text")
    if start.startswith(b"{"):
        return "json"
    return "table" if table_separator([*islice(read_lines(path), PEEKED_LINES)]) else "text"


def _key(codes: Iterable[str], language: str) -> str | None:
    """The code among `codes` that is the language's, with its region if there is one so."""
    alike = [code for code in codes if _base(code) == base_language(language)]
    exact = [code for code in alike if _plain(code) == _plain(language)]
    return next(iter(exact or alike), None)


def _base(code: str) -> str:
    try:
        return "" if code == "any" else base_language(code)  # WMT's word, and a language's code
    except InputError:
        return ""  # such as `Chinese` in NIST's sets


def _plain(code: str) -> str:
    return code.replace("-", "_").lower()


def _without(path: Path, language: str, found: Iterable[str]) -> InputError:
    names = ", ".join(sorted({*found} - {""})) or "none"
    return InputError(f"expected text in {language}, found {names}", path=path)


class _SgmlReader(HTMLParser):
    """Gathers the texts of WMT's and NIST's SGML, whose tags are in any case."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.texts: dict[tuple[int, str], _Text] = {}
        self._set = 0, "", ""
        self._document: list[str] = []
        self._segment: list[str] | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        about = {name: value or "" for name, value in attrs}
        if tag in _SETS:
            language = about.get(_SETS[tag], "")
            self._set = self._set[0] + 1, tag, language
            self._use(about.get("refid") or about.get("sysid") or "")
        elif tag == "doc":
            self._use("" if self._set[1] == "srcset" else about.get("sysid", ""))
        elif tag == "seg":
            self._segment = []
        elif self._segment is not None:
            self._segment.append(self.get_starttag_text() or "")

    def handle_endtag(self, tag: str) -> None:
        if tag == "seg" and self._segment is not None:
            self._document.append("".join(self._segment).strip())
            self._segment = None
        elif self._segment is not None:
            self._segment.append(f"</{tag}>")

    def handle_data(self, data: str) -> None:
        if self._segment is not None:
            self._segment.append(data)

    def _use(self, name: str) -> None:
        number, kind, language = self._set
        text = _Text("source" if kind == "srcset" else "target", language, name, [])
        self._document = self.texts.setdefault((number, name), text).segments


def _sgml_texts(path: Path) -> list[_Text]:
    reader = _SgmlReader()
    for line in read_lines(path):
        reader.feed(f"{line}\n")
    reader.close()
    return [text for text in reader.texts.values() if text.segments]


def _xml_texts(path: Path) -> list[_Text]:
    """The texts of WMT's XML, whose documents all have the same."""
    texts: dict[tuple[str, str, str], _Text] = {}
    for _, document in _elements(path, "doc"):
        found: dict[tuple[str, str, str], list[str]] = {}
        for part in document:
            if part.tag in ("src", "ref"):
                kind = "source" if part.tag == "src" else "target"
                about = kind, part.get("lang", ""), part.get("translator", "")
                found[about] = ["".join(segment.itertext()) for segment in part.iter("seg")]
        if texts and found.keys() != texts.keys():
            expected = ", ".join(" ".join(filter(None, key)) for key in texts)
            message = f"document {document.get('id')}: expected the texts of the first: {expected}"
            raise InputError(message, path=path)
        for about, segments in found.items():
            texts.setdefault(about, _Text(*about, [])).segments.extend(segments)
    return [*texts.values()]


def _texts(path: Path, language: str, side: str) -> list[_Text]:
    """The texts of a test set in the language, or else of the side: one, or the references."""
    texts = _sgml_texts(path) if _format(path) == "sgml" else _xml_texts(path)
    code = _key([text.language for text in texts], language)
    chosen = [text for text in texts if code and text.language == code]
    if not chosen:
        unknown = [text for text in texts if not _base(text.language)]
        chosen = [text for text in unknown if text.kind == side]
        # A file of one text may be either side's.
        chosen = chosen or (unknown if len(unknown) == len(texts) else [])
    if not chosen:
        raise _without(path, language, (text.language for text in texts))
    return chosen


def _elements(path: Path, *tags: str) -> Iterator[tuple[int, Any]]:
    """Yield the elements of an XML file with one of these tags, numbered, and forget them."""
    above: list[Any] = []
    number = 0
    with open_to_read(path) as file:
        try:
            for event, element in ElementTree.iterparse(file, ("start", "end")):
                if event == "start":
                    above.append(element)
                    continue
                above.pop()
                if element.tag in tags:
                    number += 1
                    yield number, element
                    if above:
                        above[-1].remove(element)
        except ElementTree.ParseError as error:
            message = f"expected XML: {error.msg.partition(':')[0]}"
            raise InputError(message, path=path, line=error.position[0]) from None


def _tmx_segments(path: Path, language: str, other: str) -> Iterator[str]:
    """Units that lack a language of the pair are left out."""
    found: set[str] = set()
    both = False
    for _, unit in _elements(path, "tu"):
        texts: dict[str, str] = {}
        for variant in unit.iter("tuv"):
            segment = variant.find("seg")
            code = variant.get(_XML_LANGUAGE) or variant.get("lang", "")
            texts.setdefault(code, "" if segment is None else "".join(_tmx_text(segment)))
        keys = [_key(texts, one) for one in (language, other)]
        found |= {*texts}
        if keys[0] is not None and keys[1] is not None:
            both = True
            yield texts[keys[0]]
    if not both:
        raise _without(path, f"{language} and {other}", found)


def _tmx_text(element: Any) -> Iterator[str]:
    yield element.text or ""
    for child in element:
        if child.tag not in _TMX_CODES:
            yield from _tmx_text(child)
        yield child.tail or ""


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


def _values(
    path: Path, rows: Iterable[tuple[int, Any]], language: str, column: str | int | None
) -> Iterator[str]:
    """Of each row the text in the language, as in the columns of `datasets`, or in a column."""
    for number, row in rows:
        value = row
        if column is not None:
            for name in str(column).split("."):
                value = value.get(name) if isinstance(value, Mapping) else None
        elif isinstance(row, Mapping):
            texts = row.get("translation", row)
            texts = texts if isinstance(texts, Mapping) else {}
            key = _key(texts, language)
            value = None if key is None else texts[key]
        if not isinstance(value, str):
            names = ", ".join(row) if isinstance(row, Mapping) else type(row).__name__
            expected = f"text in column {column}" if column else f"text in {language}"
            raise InputError(f"expected {expected}, found {names}", path=path, line=number)
        yield value


def _cells(
    path: Path, language: str, other: str, side: str, column: str | int | None
) -> Iterator[str]:
    lines = read_lines(path)
    peeked = [*islice(lines, PEEKED_LINES)]
    separator = table_separator(peeked) or SEPARATORS[0]
    cut: Callable[[str], Sequence[str]] = lambda line: [  # noqa: E731
        cell.strip() for cell in line.split(separator)
    ]
    first = cut(peeked[0])
    keys = [_key(first, one) for one in (language, other)]
    named = None not in keys or column in first
    place = None
    if column is None:
        place = first.index(keys[0]) if named and keys[0] else ("source", "target").index(side)
        place = place if named or len(first) == 2 else None
    elif isinstance(column, int):
        place = column - 1
    elif column in first:
        place = first.index(column)
    if place is None or not 0 <= place < len(first):
        expected = f"column {column}" if column is not None else "two columns, or columns chosen"
        message = f"expected {expected} by `columns`, found {len(first)}: {', '.join(first)[:80]}"
        raise InputError(message, path=path, line=1)
    for number, line in enumerate(chain(peeked, lines), start=1):
        cells = cut(line)
        if number == 1 and named:
            continue
        if len(cells) != len(first):
            message = f"expected {len(first)} columns as in the first line, found {len(cells)}"
            raise InputError(message, path=path, line=number)
        yield cells[place]
