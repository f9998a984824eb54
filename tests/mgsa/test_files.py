"""Reading and writing files: lines as every tool counts them."""

from __future__ import annotations

from pathlib import Path

import pytest

from mgsa.errors import InputError
from mgsa.files import read_lines


@pytest.mark.parametrize(
    ("content", "lines"),
    [
        (b"", []),
        (b"a\nb\n", ["a", "b"]),
        (b"a\n\nb", ["a", "", "b"]),
        (b"a\r\n", ["a\r"]),
        ("a\u2028b\x0bc\x85d\n".encode(), ["a\u2028b\x0bc\x85d"]),
    ],
)
def test_only_a_line_feed_ends_a_line(tmp_path: Path, content: bytes, lines: list[str]) -> None:
    path = tmp_path / "text"
    path.write_bytes(content)
    assert list(read_lines(path)) == lines


def test_a_line_that_is_not_utf_8_is_named(tmp_path: Path) -> None:
    path = tmp_path / "text"
    path.write_bytes("gut\nü".encode() + b"\xff\n")
    lines = read_lines(path)
    assert next(lines) == "gut"
    with pytest.raises(InputError, match=r"text:2: expected UTF-8 text, byte 3 of the line"):
        next(lines)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="nothing: no such file"):
        next(read_lines(tmp_path / "nothing"))
