"""The files of an artifact: those that its manifest lists, and no other."""

from __future__ import annotations

import pickle
import re
from pathlib import Path
from typing import Any

import pytest

from mgsa.errors import InputError
from mgsa.files import sha256
from mgsa.listed_files import check_files, describe_files, listed_files


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "b").write_bytes(b"123")
    (tmp_path / "a").write_bytes(b"")
    return tmp_path


def test_files_are_described_by_size_and_hash(folder: Path) -> None:
    found = describe_files(folder)
    assert list(found) == ["a", "b"]
    assert found["b"] == {"bytes": 3, "sha256": sha256(folder / "b")}
    assert listed_files({"files": found}, "manifest")["b"] == (3, sha256(folder / "b"))


@pytest.mark.parametrize(
    "name", ["../b", "/etc/passwd", "a/b", "..", ".", "", "c:\\b", "..\\b", "c:b"]
)
def test_a_name_is_no_path(name: str) -> None:
    with pytest.raises(InputError, match="x: files: expected names of files in the folder, got"):
        listed_files({"files": {name: {"bytes": 1, "sha256": ""}}}, "x")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ({}, "x.files: missing; expected a section, each value a section with keys"),
        ({"files": [1]}, "x.files: expected a section, each value a section with keys, got [1]"),
        ({"files": {"a": 1}}, "x.files.a: expected a section with keys, got 1"),
        (
            {"files": {"a": {"bytes": "x", "sha256": ""}}},
            "x.files.a.bytes: expected a whole number at least 0, got 'x'",
        ),
        ({"files": {"a": {"bytes": 1}}}, "x.files.a.sha256: missing; expected text"),
    ],
)
def test_another_content_is_no_list_of_files(content: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match="^" + re.escape(message) + "$"):
        listed_files(content, "x")


def test_what_lies_there_is_what_is_listed(folder: Path) -> None:
    listed = listed_files({"files": describe_files(folder)}, "manifest")
    (folder / "manifest.json").touch()
    (folder / ".hidden").touch()
    check_files(folder, listed, verify=True)

    (folder / "weights.bin").write_bytes(pickle.dumps(object))
    with pytest.raises(InputError, match=r"weights\.bin: expected no file that manifest\.json"):
        check_files(folder, listed, verify=False)
    (folder / "weights.bin").unlink()

    (folder / "b").write_bytes(b"124")
    check_files(folder, listed, verify=False)
    with pytest.raises(InputError, match=r"b: its SHA-256 is not the manifest's"):
        check_files(folder, listed, verify=True)
    (folder / "b").write_bytes(b"1")
    with pytest.raises(InputError, match=r"b: expected 3 bytes as in the manifest, found 1"):
        check_files(folder, listed, verify=False)
    (folder / "b").unlink()
    with pytest.raises(InputError, match=r"b: no such file, but the manifest lists it"):
        check_files(folder, listed, verify=False)
