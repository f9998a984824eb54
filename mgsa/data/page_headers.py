"""What the pages of a Parquet column say of themselves, held against its file's footer.

A row group is bounded by what the footer promises of it, but Arrow decodes as many values, and
unfolds as many bytes, as the header of each page says: 600 bytes may become gigabytes of zeros. So
the headers are read first.

Source: Apache Parquet, parquet.thrift (PageHeader); Apache Thrift, thrift-compact-protocol.md.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, BinaryIO

import pyarrow.parquet as pq

_MAX_HEADER_BYTES = 1 << 20
"""It holds a few numbers, and the least and the greatest value of the page."""
_USUAL_HEADER_BYTES = 1 << 10
_MAX_DEPTH = 4
"""Structures within each other: a page's statistics are the third."""
_MAX_VARINT_BYTES = 10

# Types of the compact protocol, and the fields of a header that count here.
_TRUE, _FALSE, _BYTE, _DOUBLE, _BINARY, _STRUCT = 1, 2, 3, 7, 8, 12
_INTEGERS = (4, 5, 6)
_UNFOLDED, _STORED, _DATA, _DICTIONARY, _DATA_V2 = 2, 3, 5, 7, 8
_COUNT = 1


class DamagedPageError(ValueError):
    """A page's header can't be read, or promises more than the footer."""


@dataclass(frozen=True)
class _Page:
    """A page.

    Attributes:
        header: its bytes.
        stored: bytes that follow in the file.
        unfolded: what they unfold to.
        values: of rows.
        entries: of the dictionary for all pages behind it.
    """

    header: int
    stored: int
    unfolded: int
    values: int
    entries: int


def check_pages(file: BinaryIO, column: pq.ColumnChunkMetaData) -> None:
    """Check that the pages of a column of a row group promise no more than the footer does.

    Args:
        file: open to be read anywhere.
        column: what the footer says.

    Raises:
        DamagedPageError: they hold more values or bytes, or a header is none.
    """
    values = size = 0
    for page in _pages(file, column):
        values += page.values
        size += page.header + page.unfolded
        if max(values, page.entries) > column.num_values or size > column.total_uncompressed_size:
            raise DamagedPageError(
                f"the pages of {column.path_in_schema} hold more than the {column.num_values} "
                f"values and {column.total_uncompressed_size} bytes of its footer"
            )


def _pages(file: BinaryIO, column: pq.ColumnChunkMetaData) -> Iterator[_Page]:
    """The pages that Arrow would read: until there are values enough, or the column ends."""
    place = column.data_page_offset
    if column.has_dictionary_page and 0 < (column.dictionary_page_offset or 0) < place:
        place = column.dictionary_page_offset
    end = place + column.total_compressed_size
    values = 0
    while place < end and values < column.num_values:
        page = _page(file, place)
        yield page
        place += page.header + page.stored
        values += page.values


def _page(file: BinaryIO, place: int) -> _Page:
    """The page whose header stands at a place of a file."""
    fields, size = _header(file, place)
    data, dictionary = fields.get(_DATA, fields.get(_DATA_V2)), fields.get(_DICTIONARY)
    return _Page(
        header=size,
        stored=_count(fields, _STORED),
        unfolded=_count(fields, _UNFOLDED),
        values=0 if data is None else _count(data, _COUNT),
        entries=0 if dictionary is None else _count(dictionary, _COUNT),
    )


def _count(fields: object, number: int) -> int:
    """The field of this number, of what is to be a structure that has it."""
    count = fields.get(number) if isinstance(fields, dict) else None
    if type(count) is not int or count < 0:
        raise DamagedPageError("a page whose header does not say how large it is")
    return count


def _header(file: BinaryIO, place: int) -> tuple[dict[int, Any], int]:
    """The fields of the structure at a place of a file, and how many bytes it takes."""
    for most in (_USUAL_HEADER_BYTES, _MAX_HEADER_BYTES):
        try:
            file.seek(place)
            stream = io.BytesIO(file.read(most))
        except (OSError, OverflowError, ValueError):  # no place of any file
            break
        try:
            return _struct(stream), stream.tell()
        except EOFError:
            continue
    raise DamagedPageError(f"no header of a page at byte {place}")


def _struct(stream: io.BytesIO, depth: int = 1) -> dict[int, Any]:
    """A structure's fields by their numbers.

    Raises:
        EOFError: it doesn't end here.
        DamagedPageError: it has fields of types that no header has.
    """
    if depth > _MAX_DEPTH:
        raise DamagedPageError("structures within each other in the header of a page")
    fields: dict[int, Any] = {}
    number = 0
    while head := _bytes(stream, 1)[0]:
        number = number + (head >> 4) if head >> 4 else _integer(stream)
        fields[number] = _value(stream, head & 0xF, depth)
    return fields


def _value(stream: io.BytesIO, kind: int, depth: int) -> Any:
    if kind in (_TRUE, _FALSE):  # which their type says
        return kind == _TRUE
    if kind in _INTEGERS:
        return _integer(stream)
    if kind in (_BYTE, _DOUBLE):
        return _bytes(stream, 1 if kind == _BYTE else 8)
    if kind == _BINARY:
        return _bytes(stream, _varint(stream))
    if kind == _STRUCT:
        return _struct(stream, depth + 1)
    raise DamagedPageError(f"a field of type {kind} in the header of a page")


def _integer(stream: io.BytesIO) -> int:
    number = _varint(stream)
    return (number >> 1) ^ -(number & 1)


def _varint(stream: io.BytesIO) -> int:
    value = 0
    for place in range(_MAX_VARINT_BYTES):
        byte = _bytes(stream, 1)[0]
        value |= (byte & 0x7F) << (7 * place)
        if byte < 0x80:
            return value
    raise DamagedPageError("a number without end in the header of a page")


def _bytes(stream: io.BytesIO, size: int) -> bytes:
    data = stream.read(size)
    if len(data) < size:
        raise EOFError
    return data
