"""What a parser is, that it is still the same, and packages of stanza's, copied and downloaded."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mgsa.cli.errors import InputError
from mgsa.cli.files import read_json, write_json
from pipeline.constituency.parser_folder import (
    copy_package,
    download_package,
    read_parser_folder,
    write_parser_folder,
)
from tests.scripted_server import CONTENT, MD5, Server


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "en").mkdir()
    (tmp_path / "en" / "model.pt").write_bytes(b"weights")
    write_parser_folder(tmp_path, kind="stanza", language="en", package="name")
    return tmp_path


def test_a_folder_is_read_as_written_and_other_weights_are_another_parser(folder: Path) -> None:
    parser = read_parser_folder(folder)
    assert (parser.kind, parser.language, parser.package) == ("stanza", "en", "name")
    assert list(parser.files) == ["en/model.pt"]
    (folder / "en" / "model.pt").write_bytes(b"other weights")
    with pytest.raises(InputError, match=r"model\.pt: its SHA-256 is not"):
        read_parser_folder(folder)
    write_parser_folder(folder, kind="stanza", language="en", package="name")
    assert read_parser_folder(folder).identity != parser.identity
    (folder / "en" / "model.pt").unlink()
    with pytest.raises(InputError, match=r"model\.pt: no such file"):
        read_parser_folder(folder)


@pytest.mark.parametrize(
    ("index", "message"),
    [
        ({"en": {"packages": {"q": {}}}}, "no package p for en; expected one of q"),
        (
            {"en": {"packages": {"p": {"pos": "p"}}}},
            r"expected stanza's index, with tagger and parser of p \(KeyError: 'constituency'\)",
        ),
        ({"en": {"alias": "de"}, "de": {"packages": {}}}, "no package p for de"),
    ],
)
def test_an_index_without_the_package_is_named(tmp_path: Path, index: Any, message: str) -> None:
    write_json(tmp_path / "resources.json", index)
    with pytest.raises(InputError, match=rf"resources\.json: {message}"):
        copy_package(tmp_path, "en", "p", tmp_path)


def index_of(server: Server, **entry: Any) -> dict[str, Any]:
    """An index of two models, both of them the server's CONTENT unless `entry` says otherwise."""
    model = {"m": {"md5": MD5, **entry}}
    packages = {"p": {"pos": "m", "constituency": "m"}}
    url = server.url("v{resources_version}/{lang}/{filename}")
    return {"url": url, "en": {"pos": model, "constituency": model, "packages": packages}}


@pytest.fixture
def download(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[..., None]:
    """Download a package from a server that has this index, into the test's folder."""
    from stanza.resources import common

    def download_from(server: Server, index: Any, models: str = "default") -> None:
        server.files["/some/resources_7.json"] = json.dumps(index).encode()
        monkeypatch.setattr(common, "DEFAULT_RESOURCES_VERSION", "7")
        monkeypatch.setattr(common, "DEFAULT_RESOURCES_URL", server.url("").rstrip("/"))
        monkeypatch.setattr(common, "DEFAULT_MODEL_URL", models)
        download_package("en", "p", tmp_path)

    return download_from


def test_a_package_arrives_whole(serve: Any, tmp_path: Path, download: Callable[..., None]) -> None:
    server = serve("whole", "cut", "whole")
    index = index_of(server)
    download(server, index)
    assert read_json(tmp_path / "resources.json") == index
    files = {path.relative_to(tmp_path) for path in tmp_path.rglob("*") if path.is_file()}
    models = {Path("en/pos/m.pt"), Path("en/constituency/m.pt")}
    assert files == {Path("resources.json"), *models}
    assert all((tmp_path / model).read_bytes() == CONTENT for model in models)
    assert {f"/some/v7/{model}" for model in models} < set(server.paths)


def test_models_may_be_elsewhere_than_the_index_says(
    serve: Any, download: Callable[..., None]
) -> None:
    server = serve("whole")
    download(server, index_of(server), models=server.url("mirror/{filename}"))
    assert server.paths[1:] == ["/some/mirror/constituency/m.pt", "/some/mirror/pos/m.pt"]


def test_a_model_that_is_not_what_the_index_says_is_refused(
    serve: Any, download: Callable[..., None]
) -> None:
    server = serve("whole")
    with pytest.raises(InputError, match=rf"m\.pt: expected the file with MD5 0, .* has {MD5}$"):
        download(server, index_of(server, md5="0"))
