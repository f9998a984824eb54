"""Packages of stanza's, as an index lists them, found in a folder."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mgsa.base.errors import InputError
from mgsa.base.io import write_json
from pipeline.parsing.parser_folder import ParserFolder, write_parser_folder
from pipeline.parsing.stanza_package import check_recorded, copy_package
from tests.mutations import mutated_json, refusal


@pytest.mark.parametrize(
    ("index", "message"),
    [
        ({}, "no package p for en; expected one of none"),
        ({"en": {"packages": {"q": {}}}}, "no package p for en; expected one of q"),
        ({"en": {"packages": {"p": {"pos": "p"}}}}, "package p has no constituency model"),
        (
            {"en": {"packages": {"p": {"pos": "p", "optional": {"constituency": "c"}}}}},
            r"expected stanza's index of models \(KeyError: 'constituency'\)",
        ),
        ([], "expected stanza's index of models"),
        ({"en": {"alias": "de"}, "de": {"packages": {}}}, "no package p for de"),
    ],
)
def test_an_index_without_the_package_is_named(tmp_path: Path, index: Any, message: str) -> None:
    write_json(tmp_path / "resources.json", index)
    with pytest.raises(InputError, match=rf"resources\.json: {message}"):
        copy_package(tmp_path, "en", "p", tmp_path)


def of_models(pos: str, *, pretrain: str = "vectors", alias: str = "en") -> Any:
    """An index that names these models."""
    needs = {"dependencies": [{"model": "pretrain", "package": pretrain}]}
    packages = {"p": {"pos": pos, "constituency": "c"}}
    entry = {"pos": {pos: needs}, "constituency": {"c": needs}, "packages": packages}
    return {"en": {"alias": alias}, alias: entry} if alias != "en" else {"en": entry}


@pytest.mark.parametrize(
    "index",
    [
        of_models("../../evil"),
        of_models("/etc/passwd"),
        of_models("t", pretrain="../evil"),
        of_models("t", alias="../../evil"),
    ],
    ids=["model", "absolute", "dependency", "language"],
)
def test_an_index_leads_nowhere_else(tmp_path: Path, index: Any) -> None:
    """stanza puts paths together from the names of an index; so did the copying."""
    resources, folder = tmp_path / "resources", tmp_path / "parser"
    resources.mkdir()
    folder.mkdir()
    write_json(resources / "resources.json", index)
    (tmp_path / "evil.pt").touch()
    with pytest.raises(InputError, match=r"resources\.json: expected names of files, got '"):
        copy_package(resources, "en", "p", folder)
    assert list(folder.iterdir()) == []


def test_only_what_is_recorded_is_loaded(tmp_path: Path) -> None:
    for name in ("en/pos/t.pt", "en/constituency/c.pt", "en/pretrain/vectors.pt"):
        (tmp_path / name).parent.mkdir(parents=True)
        (tmp_path / name).touch()
    write_json(tmp_path / "resources.json", of_models("t"))
    parser = write_parser_folder(tmp_path, kind="stanza", language="en", package="p")
    check_recorded(tmp_path, parser)
    write_json(tmp_path / "resources.json", of_models("t", pretrain="others"))
    with pytest.raises(InputError, match=r"resources\.json: expected a recorded file, the index n"):
        check_recorded(tmp_path, parser)


@given(st.data())
def test_whatever_an_index_says(tmp_path_factory: pytest.TempPathFactory, data: Any) -> None:
    folder = tmp_path_factory.getbasetemp()
    text = data.draw(mutated_json(of_models("t")))
    (folder / "resources.json").write_text(text, encoding="utf-8")
    parser = ParserFolder("stanza", "en", "p", {})
    said = refusal(lambda: check_recorded(folder, parser))
    assert said is not None
    assert said.startswith(f"{folder / 'resources.json'}: ")
