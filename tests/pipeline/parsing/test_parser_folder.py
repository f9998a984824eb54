"""What a parser is, and that it is still the same."""

from __future__ import annotations

from pathlib import Path

import pytest

from mgsa.errors import InputError
from mgsa.files import read_json, write_json
from pipeline.parsing.parser_folder import read_parser_folder, write_parser_folder


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "en").mkdir()
    (tmp_path / "en" / "model.pt").write_bytes(b"weights")
    write_parser_folder(tmp_path, kind="stanza", language="en", package="name")
    return tmp_path


def test_a_folder_is_read_as_written(folder: Path) -> None:
    parser = read_parser_folder(folder)
    assert (parser.kind, parser.language, parser.package) == ("stanza", "en", "name")
    assert list(parser.files) == ["en/model.pt"]


def test_other_weights_are_another_parser(folder: Path) -> None:
    before = read_parser_folder(folder).identity
    (folder / "en" / "model.pt").write_bytes(b"other weights")
    after = write_parser_folder(folder, kind="stanza", language="en", package="name").identity
    assert before != after


def test_a_changed_file_is_named(folder: Path) -> None:
    (folder / "en" / "model.pt").write_bytes(b"tampered")
    with pytest.raises(InputError, match=r"model\.pt: its SHA-256 is not the one"):
        read_parser_folder(folder)


def test_a_missing_file_is_named(folder: Path) -> None:
    (folder / "en" / "model.pt").unlink()
    with pytest.raises(InputError, match=r"model\.pt: no such file"):
        read_parser_folder(folder)


def test_a_changed_record_is_named(folder: Path) -> None:
    content = read_json(folder / "parser.json")
    write_json(folder / "parser.json", {**content, "package": "another"})
    with pytest.raises(InputError, match=r"parser\.json: the identity does not fit"):
        read_parser_folder(folder)


@pytest.mark.parametrize("name", ["../model.pt", "en/../../model.pt", "/etc/hostname"])
def test_a_file_outside_of_the_folder_is_refused(folder: Path, name: str) -> None:
    content = read_json(folder / "parser.json")
    write_json(folder / "parser.json", {**content, "files": {name: "0" * 64}})
    with pytest.raises(InputError, match=r"parser\.json: expected what the parser stage writes"):
        read_parser_folder(folder)


@pytest.mark.parametrize("content", [{}, [], {"kind": "stanza"}, {"kind": 3, "files": {}}])
def test_something_else_is_named(tmp_path: Path, content: object) -> None:
    write_json(tmp_path / "parser.json", content)
    with pytest.raises(InputError, match=r"parser\.json: expected what the parser stage writes"):
        read_parser_folder(tmp_path)
