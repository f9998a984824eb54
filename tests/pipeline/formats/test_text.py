"""Reading parallel text: what ends a line, and the one line that says what is wrong where."""

from __future__ import annotations

import bz2
import gzip
import lzma
import re
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pytest

from mgsa.cli.errors import InputError
from mgsa.cli.files import write_json
from mgsa.cli.outputs import write_manifest
from pipeline.formats.text import read_languages, read_pairs, read_parallel, read_sentences


@pytest.mark.parametrize(
    ("content", "lines"),
    [
        (b"a b\nc\n", ["a b", "c"]),
        (b"a b\nc", ["a b", "c"]),
        (b"a\r\nb\r\n", ["a", "b"]),
        (b"a\rb\n", ["a\rb"]),
        (b"\n\na\n", ["", "", "a"]),
        ("a\u2028b\x0bc\x85d\x1ce\n".encode(), ["a\u2028b\x0bc\x85d\x1ce"]),
        (b"\xef\xbb\xbfa\n\xef\xbb\xbfb\n", ["a", "\ufeffb"]),
        (b"a\tb\x00c \nd\ne\n", ["a\tb\x00c ", "d", "e"]),
        (b"\n", [""]),
    ],
)
def test_only_a_line_feed_ends_a_line(tmp_path: Path, content: bytes, lines: list[str]) -> None:
    path = tmp_path / "text"
    path.write_bytes(content)
    assert list(read_sentences(path)) == lines
    packed = tmp_path / "text.gz"
    packed.write_bytes(gzip.compress(content))
    assert list(read_sentences(packed)) == lines


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"a\nb\xff\n", "text:2: expected UTF-8 text: invalid start byte at byte 2"),
        (b"a\n\xed\xa0\x80\n", "text:2: expected UTF-8 text: invalid continuation byte at byte 1"),
        (b"a\n\xc3", "text:2: expected UTF-8 text: unexpected end of data at byte 1"),
    ],
    ids=["byte", "surrogate", "cut"],
)
def test_an_unreadable_file_is_named_with_its_line(
    tmp_path: Path, content: bytes, message: str
) -> None:
    path = tmp_path / "text"
    path.write_bytes(content)
    with pytest.raises(InputError, match=re.escape(message) + "$"):
        list(read_sentences(path))


PACKERS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "xz": lzma.compress,
    "bzip2": bz2.compress,
    "zstd": lambda content: pa.compress(content, codec="zstd", asbytes=True),
}


@pytest.mark.parametrize("name", PACKERS)
def test_a_packed_file_is_known_by_its_bytes(tmp_path: Path, name: str) -> None:
    pack = PACKERS[name]
    path = tmp_path / "text"
    path.write_bytes(pack(b"\xef\xbb\xbfa\r\n") + pack("ü\n".encode() * 1000))
    assert list(read_sentences(path)) == ["a", *["ü"] * 1000]
    path.write_bytes(pack(b"a\n" * 1000)[:-10])
    with pytest.raises(InputError, match=f"text: damaged {name} file: "):
        list(read_sentences(path))


def test_a_suffix_says_nothing(tmp_path: Path) -> None:
    (tmp_path / "text.gz").write_bytes(b"a\n")
    assert list(read_sentences(tmp_path / "text.gz")) == ["a"]


@pytest.mark.parametrize(
    ("content", "found"),
    [
        ('\ufeff<?xml version="1.0"?>\n<tmx>\n', 'markup: <?xml version="1.0"?>'),
        ('\n  <SRCSET setid="x">\n', 'markup: <SRCSET setid="x">'),
        ("<!DOCTYPE html>\n", "markup: <!DOCTYPE html>"),
        ('{"translation": {"de": "a"}}\n', "JSON"),
        ('[\n  {"de": "a"}\n]\n', "JSON"),
        ("<xliff version='1.2'>\n<file>\n", "markup: <xliff version='1.2'>"),
        ("<CHAPTER ID=1>\nText.\n", "markup: <CHAPTER ID=1>"),
        ("<url>http://x.y</url>\nText.\n", "markup: <url>http://x.y</url>"),
        ("en,de\na,b\n", "columns with commas between them"),
        ('"a","b"\n"c","d, e"\n', "columns with commas between them"),
        ("a man\tein Mann\na dog\tein Hund\n", "columns with tabs between them"),
        ("PK\x03\x04\n", "a binary file"),
        ("a\0\0b\n", "a binary file"),
        ("train.en\0\0\0ustar  \0\0\nA dog.\n", "a tar archive"),
    ],
)
def test_what_is_no_text_is_refused(tmp_path: Path, content: str, found: str) -> None:
    path = tmp_path / "text"
    path.write_bytes(gzip.compress(content.encode()))
    message = f"text:1: expected text, a line for each sentence, found {found}"
    with pytest.raises(InputError, match=re.escape(message) + "$"):
        list(read_sentences(path))


@pytest.mark.parametrize(
    ("content", "found"),
    [
        (b"PK\x03\x04\x14\0", "packed by gzip, xz, bzip2 or zstd, or by none, found zip"),
        (b"\x04\x22\x4d\x18d@", "packed by gzip, xz, bzip2 or zstd, or by none, found lz4"),
        (b"\xff\xfea\0\n\0", "UTF-8 text: found UTF-16"),
    ],
)
def test_other_packings_and_encodings_are_named(tmp_path: Path, content: bytes, found: str) -> None:
    (tmp_path / "text").write_bytes(content)
    with pytest.raises(InputError, match=f"{found}$"):
        list(read_sentences(tmp_path / "text"))


@pytest.mark.parametrize("start", ["BZh", "PAR1"])
def test_text_may_begin_like_a_magic_number(tmp_path: Path, start: str) -> None:
    (tmp_path / "text").write_text(f"{start} is a magic number.\n")
    assert list(read_sentences(tmp_path / "text")) == [f"{start} is a magic number."]


LIKE_MARKUP = ["<b> a", "<b>a</b>", "<h1>a</h1>", "<unk>", "</p></p>", "a < b", "<2de> a"]
LIKE_DATA = ["yes,no", "{ a", "[1] a", '"a"', "a ||| b"]


@pytest.mark.parametrize("line", LIKE_MARKUP + LIKE_DATA)
def test_what_looks_like_markup_is_text(tmp_path: Path, line: str) -> None:
    (tmp_path / "text").write_text(f"{line}\nb\tc\nd\n")
    assert list(read_sentences(tmp_path / "text")) == [line, "b\tc", "d"]


@pytest.mark.parametrize("line", ["<p>a</p>", '{"a": "b"}', "a\tb", "<?php"])
def test_an_output_of_a_command_is_text(tmp_path: Path, line: str) -> None:
    """Segments of the formats that a corpus is read from may look like any format."""
    (tmp_path / "text").write_text(f"{line}\n")
    with pytest.raises(InputError, match="expected text"):
        list(read_sentences(tmp_path / "text"))
    write_manifest(tmp_path, {"kind": "mgsa corpus"})
    assert list(read_sentences(tmp_path / "text")) == [line]


@pytest.mark.parametrize(
    ("counts", "message"),
    [
        ((3, 3, 3), None),
        ((3, 5), r"/a:3: ends after 3 lines; expected as many as in \S+/b \(5 lines\)$"),
        ((5, 3), r"/b:3: ends after 3 lines; expected as many as in \S+/a \(5 lines\)$"),
        ((4, 4, 2), r"/c:2: ends after 2 lines; expected as many as in \S+/a \(4 lines\)$"),
    ],
)
def test_files_are_read_side_by_side(
    tmp_path: Path, counts: tuple[int, ...], message: str | None
) -> None:
    paths = [tmp_path / name for name in "abc"[: len(counts)]]
    for path, count in zip(paths, counts, strict=True):
        path.write_text("".join(f"{path.name}{number}\n" for number in range(count)))
    if message is None:
        rows = list(read_parallel(paths))
        assert rows == [("a0", "b0", "c0"), ("a1", "b1", "c1"), ("a2", "b2", "c2")]
        return
    with pytest.raises(InputError, match=message):
        list(read_parallel(paths))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "expected tokens with one space between them, found an empty line"),
        (" a", "expected tokens with one space between them"),
        ("a\tb c", "expected tokens without tabs and carriage returns"),
    ],
)
def test_pairs_are_of_tokens(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "valid.source").write_text("a b\nc\ne\n")
    (tmp_path / "valid.target").write_text(f"d\n{text}\nf\n")
    pairs = read_pairs(tmp_path, "valid")
    assert next(pairs) == ("a b", "d")
    with pytest.raises(InputError, match=rf"valid\.target:2: {message}$"):
        next(pairs)


def test_languages_are_read(tmp_path: Path) -> None:
    content = {"source_language": "en", "target_language": "de", "name": "x"}
    write_json(tmp_path / "corpus.json", content)
    assert read_languages(tmp_path) == {"source": "en", "target": "de"}

    write_json(tmp_path / "corpus.json", {"source_language": "../x", "target_language": "de"})
    with pytest.raises(InputError, match=r"corpus\.json: corpus\.source_language: "):
        read_languages(tmp_path)
