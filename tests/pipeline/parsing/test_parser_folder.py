"""What a parser is, that it is still the same, and packages of stanza's, copied and downloaded."""

from __future__ import annotations

import functools
import hashlib
import json
import os
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from mgsa.base.errors import InputError
from mgsa.base.io import read_json, write_json
from pipeline.parsing.parser_folder import (
    StanzaServer,
    check_recorded,
    copy_package,
    download_package,
    read_parser_folder,
    write_parser_folder,
)
from tests.scripted_server import CONTENT, Server

MD5 = hashlib.md5(CONTENT).hexdigest()


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
        ({"kind": 3}, "parser.kind: expected 'stanza', 'trees' or 'none', got 3"),
        ({"files": {"a": 1}}, "parser.files.a: expected a valid string, got 1"),
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
    (folder / "en" / "other.pt").touch()
    with pytest.raises(InputError, match=r"en/other\.pt: expected no file that parser\.json does"):
        read_parser_folder(folder)


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


def of_models(pos: str, *, pretrain: str = "vectors") -> Any:
    """An index that names these models."""
    needs = {"dependencies": [{"model": "pretrain", "package": pretrain}]}
    packages = {"p": {"pos": pos, "constituency": "c"}}
    return {"en": {"pos": {pos: needs}, "constituency": {"c": needs}, "packages": packages}}


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


def index_of(server: Server, **entry: Any) -> dict[str, Any]:
    """An index of two models, both of them the server's CONTENT unless `entry` says otherwise."""
    model = {"m": {"md5": MD5, **entry}}
    packages = {"p": {"pos": "m", "constituency": "m"}}
    url = server.url("v{resources_version}/{lang}/{filename}")
    return {"url": url, "en": {"pos": model, "constituency": model, "packages": packages}}


def download_from(server: Server, index: Any, folder: Path, models: str = "default") -> None:
    server.files["/some/resources_7.json"] = json.dumps(index).encode()
    source = StanzaServer(server.url("resources_7.json"), models, "7")
    download_package(source, "en", "p", folder)


def test_a_package_arrives_whole(serve: Any, tmp_path: Path) -> None:
    server = serve("whole", "cut", "whole")
    index = index_of(server)
    download_from(server, index, tmp_path)
    assert read_json(tmp_path / "resources.json") == index
    files = {path.relative_to(tmp_path) for path in tmp_path.rglob("*") if path.is_file()}
    models = {Path("en/pos/m.pt"), Path("en/constituency/m.pt")}
    assert files == {Path("resources.json"), *models}
    assert all((tmp_path / model).read_bytes() == CONTENT for model in models)
    assert {f"/some/v7/{model}" for model in models} < set(server.paths)


def test_another_file_than_the_index_says_is_refused(serve: Any, tmp_path: Path) -> None:
    server = serve("whole")
    with pytest.raises(InputError, match=rf"m\.pt: expected the file with MD5 0, .* has {MD5}$"):
        download_from(server, index_of(server, md5="0"), tmp_path)


def test_models_may_be_elsewhere_than_the_index_says(serve: Any, tmp_path: Path) -> None:
    server = serve("whole")
    download_from(server, index_of(server), tmp_path, models=server.url("mirror/{filename}"))
    assert server.paths[1:] == ["/some/mirror/constituency/m.pt", "/some/mirror/pos/m.pt"]


def test_an_index_without_sums_is_refused(serve: Any, tmp_path: Path) -> None:
    server = serve("whole")
    index = index_of(server)
    del index["en"]["pos"]["m"]["md5"]
    with pytest.raises(InputError, match=r"expected stanza's index, with an address and an MD5"):
        download_from(server, index, tmp_path)


def test_what_is_no_index_is_named(serve: Any, tmp_path: Path) -> None:
    server = serve("whole")
    with pytest.raises(InputError, match=r"resources\.json:2: expected UTF-8 text: "):
        download_package(
            StanzaServer(server.url("resources_8.json"), "default", "8"), "en", "p", tmp_path
        )


NOBODY = "http://127.0.0.1:9"


class QuietHandler(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def server(tmp_path: Path) -> Iterator[tuple[Path, str]]:
    """A folder, and the address that serves it."""
    folder = tmp_path / "server"
    folder.mkdir()
    handler = functools.partial(QuietHandler, directory=folder)
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as served:
        thread = threading.Thread(target=served.serve_forever)
        thread.start()
        yield folder, f"http://127.0.0.1:{served.server_port}"
        served.shutdown()
        thread.join()


def write_index(folder: Path, url: str, index: Any) -> None:
    """The list of models where stanza looks for it; models lie at `url`, by language and file."""
    from stanza._version import __resources_version__

    content = {**index, "url": f"{url}/{{lang}}/{{filename}}"}
    write_json(folder / f"resources_{__resources_version__}.json", content)


def download(folder: Path, url: str, package: str) -> subprocess.CompletedProcess[str]:
    """Run the parser stage in a process of its own: stanza reads the address when imported."""
    (folder / "corpus").mkdir()
    write_json(
        folder / "corpus" / "corpus.json", {"source_language": "en", "target_language": "de"}
    )
    section = {"kind": "stanza", "package": package, "resources": None, "dev": None}
    (folder / "params.yaml").write_text(json.dumps({"parser": section}), encoding="utf-8")
    paths = {"--corpus": "corpus", "--out": "out", "--report": "out.json"}
    argv = [str(part) for name, path in paths.items() for part in (name, folder / path)]
    return subprocess.run(
        [sys.executable, "-m", "pipeline.parser", "--params", str(folder / "params.yaml"), *argv],
        env=os.environ | {"STANZA_RESOURCES_URL": url, "NO_PROXY": "*"},
        text=True,
        capture_output=True,
        check=False,
    )


def test_no_network_is_one_short_line(tmp_path: Path) -> None:
    done = download(tmp_path, NOBODY, "default")
    assert done.returncode == 1
    assert re.fullmatch(
        f"error: {NOBODY}/resources_[0-9.]+.json: .*refused \\(the last of 5 attempts\\)\n",
        done.stderr,
    )
    assert not (tmp_path / "out").exists()


@pytest.mark.real
def test_a_download_is_what_the_folder_holds(
    tmp_path: Path, server: tuple[Path, str], shared: Path
) -> None:
    folder, url = server
    (folder / "en").symlink_to(shared / "stanza_resources" / "en")
    write_index(folder, url, read_json(shared / "stanza_resources" / "resources.json"))
    copied = tmp_path / "copied"
    copied.mkdir()
    copy_package(shared / "stanza_resources", "en", "ptbsample", copied)
    done = download(tmp_path, url, "ptbsample")
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    for path in copied.rglob("*.pt"):
        assert (tmp_path / "out" / path.relative_to(copied)).read_bytes() == path.read_bytes()
