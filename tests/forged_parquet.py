"""Parquet files whose footers, page headers or texts lie: what a writer would never write.

Parquet describes itself in Thrift's compact protocol. A structure is read as a dictionary by field
number, of pairs of a type and a value, changed, and written back.

Source: Apache Thrift, thrift-compact-protocol.md; Apache Parquet, parquet.thrift.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

MAGIC = b"PAR1"

# Numbers of fields, from parquet.thrift.
FILE_ROWS, FILE_ROW_GROUPS = 3, 4
GROUP_COLUMNS, GROUP_BYTES, GROUP_ROWS = 1, 2, 3
CHUNK_METADATA = 3
COLUMN_VALUES, COLUMN_UNCOMPRESSED, COLUMN_COMPRESSED, COLUMN_DATA_PAGE = 5, 6, 7, 9
PAGE_UNCOMPRESSED, PAGE_COMPRESSED, PAGE_DATA = 2, 3, 5
DATA_VALUES = 1

_TRUE, _FALSE, _BYTE, _DOUBLE, _BINARY, _STRUCT = 1, 2, 3, 7, 8, 12
_INTEGERS, _LISTS = (4, 5, 6), (9, 10)

Struct = dict[int, list[Any]]
"""For each field its type and its value."""


class _Reader:
    def __init__(self, data: bytes, place: int = 0) -> None:
        self.data = data
        self.place = place

    def byte(self) -> int:
        self.place += 1
        return self.data[self.place - 1]

    def varint(self) -> int:
        value = shift = 0
        while True:
            byte = self.byte()
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    def value(self, kind: int) -> Any:
        if kind in (_TRUE, _FALSE):
            return None
        if kind == _BYTE:
            return self.byte()
        if kind in _INTEGERS:
            number = self.varint()
            return (number >> 1) ^ -(number & 1)
        if kind in (_DOUBLE, _BINARY):
            size = 8 if kind == _DOUBLE else self.varint()
            self.place += size
            return self.data[self.place - size : self.place]
        if kind in _LISTS:
            head = self.byte()
            size, inner = head >> 4, head & 0xF
            if size == 15:
                size = self.varint()
            # Truths of a list are a byte each, not a type of their own.
            of = _BYTE if inner in (_TRUE, _FALSE) else inner
            return [inner, [self.value(of) for _ in range(size)]]
        assert kind == _STRUCT, kind
        return self.struct()

    def struct(self) -> Struct:
        fields: Struct = {}
        number = 0
        while head := self.byte():
            if delta := head >> 4:
                number += delta
            else:
                zigzag = self.varint()
                number = (zigzag >> 1) ^ -(zigzag & 1)
            fields[number] = [head & 0xF, self.value(head & 0xF)]
        return fields


def _varint(number: int) -> bytes:
    written = bytearray()
    while number >= 0x80:
        written.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*written, number])


def _zigzag(number: int) -> bytes:
    return _varint(number << 1 if number >= 0 else (-number << 1) - 1)


def _value(kind: int, value: Any) -> bytes:
    if kind in (_TRUE, _FALSE):
        return b""
    if kind == _BYTE:
        return bytes([value])
    if kind in _INTEGERS:
        return _zigzag(value)
    if kind == _DOUBLE:
        return bytes(value)
    if kind == _BINARY:
        return _varint(len(value)) + bytes(value)
    if kind in _LISTS:
        inner, items = value
        of = _BYTE if inner in (_TRUE, _FALSE) else inner
        return b"".join(
            [bytes([0xF0 | inner]), _varint(len(items)), *(_value(of, i) for i in items)]
        )
    return _struct(value)


def _struct(fields: Struct) -> bytes:
    written = bytearray()
    for number, (kind, value) in fields.items():
        written += bytes([kind]) + _zigzag(number) + _value(kind, value)
    return bytes([*written, 0])


def forge_footer(path: Path, lie: Callable[[Struct], None]) -> None:
    """Let `lie` change what a file says of itself."""
    pages, footer = _halves(path)
    lie(footer)
    _write(path, pages, footer)


def forge_page(path: Path, column: int, lie: Callable[[Struct], None]) -> None:
    """Let `lie` change what the first page of a column of the first row group says of itself.

    The page, which is to be the only one of its column, is written again behind all others.
    """
    pages, footer = _halves(path)
    described = columns(row_groups(footer)[0])[column]
    start = described[COLUMN_DATA_PAGE][1]
    reader = _Reader(pages, start)
    header = reader.struct()
    content = pages[reader.place : reader.place + header[PAGE_COMPRESSED][1]]
    lie(header)
    page = _struct(header) + content
    described[COLUMN_DATA_PAGE][1] = len(pages)
    described[COLUMN_COMPRESSED][1] = len(page)
    _write(path, pages + page, footer)


def forge_text(path: Path, column: str, row: int, text: bytes) -> None:
    """Write a file again with `text`, which may be no UTF-8, in a row of a column of texts."""
    table = pq.read_table(path)
    texts = table[column].cast(pa.binary()).to_pylist()
    texts[row] = text
    place = table.schema.get_field_index(column)
    forged = pa.array(texts, pa.binary()).view(pa.string())
    pq.write_table(table.set_column(place, table.schema.field(place), forged), path)


def row_groups(footer: Struct) -> list[Struct]:
    """The row groups of a footer."""
    return footer[FILE_ROW_GROUPS][1][1]


def columns(group: Struct) -> list[Struct]:
    """What a row group says of each of its columns."""
    return [chunk[CHUNK_METADATA][1] for chunk in group[GROUP_COLUMNS][1][1]]


def _halves(path: Path) -> tuple[bytes, Struct]:
    """The pages of a file, and its footer."""
    data = path.read_bytes()
    end = len(data) - 8 - int.from_bytes(data[-8:-4], "little")
    return data[:end], _Reader(data, end).struct()


def _write(path: Path, pages: bytes, footer: Struct) -> None:
    written = _struct(footer)
    path.write_bytes(pages + written + len(written).to_bytes(4, "little") + MAGIC)
