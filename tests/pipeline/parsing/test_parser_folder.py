"""What a parser is, and that it is still the same."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mgsa.base.errors import InputError
from mgsa.base.io import read_json, write_json
from pipeline.parsing.parser_folder import read_parser_folder, write_parser_folder
from tests.mutations import mutated_json, refusal


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


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ([], r"parser: expected a section with keys, got \[\]"),
        ({}, "parser.kind: missing; expected one of stanza, trees, none"),
        ({"kind": 3}, "parser.kind: expected one of stanza, trees, none, got 3"),
        ({"language": "../en"}, "parser.language: expected text of two or three letters"),
        ({"package": "../p"}, "parser.package: expected text of letters, digits, dots"),
        ({"files": {"a": 1}}, "parser.files.a: expected text, got 1"),
        ({"files": {"/etc/passwd": ""}}, "files: expected paths within the folder, got '/etc/pas"),
        ({"files": {"en/../../x": ""}}, "files: expected paths within the folder, got 'en/../../x"),
        ({"files": {"..\\x": ""}}, "files: expected paths within the folder, got"),
        ({"files": {"c:x": ""}}, "files: expected paths within the folder, got 'c:x'"),
        ({"files": {"": ""}}, "files: expected paths within the folder, got ''"),
    ],
)
def test_something_else_is_named(folder: Path, content: Any, message: str) -> None:
    path = folder / "parser.json"
    write_json(path, {**read_json(path), **content} if content else content)
    with pytest.raises(InputError, match=rf"parser\.json: (parser: )?{message}"):
        read_parser_folder(folder)


def test_a_file_that_is_not_recorded_is_named(folder: Path) -> None:
    (folder / ".hidden").touch()
    read_parser_folder(folder)
    (folder / "en" / "other.pt").write_bytes(pickle.dumps(object))
    with pytest.raises(InputError, match=r"en/other\.pt: expected no file that parser\.json does"):
        read_parser_folder(folder)


@given(st.data())
def test_whatever_a_record_says(tmp_path_factory: pytest.TempPathFactory, data: Any) -> None:
    folder = tmp_path_factory.getbasetemp()
    record = {"kind": "stanza", "language": "en", "package": "p", "files": {"a/b": "c"}}
    text = data.draw(mutated_json({**record, "identity": "d"}))
    (folder / "parser.json").write_text(text, encoding="utf-8")
    said = refusal(lambda: read_parser_folder(folder))
    assert said is not None
    assert said.startswith(f"{folder / 'parser.json'}: ")
