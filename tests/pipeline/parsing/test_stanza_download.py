"""Packages of stanza's, downloaded from servers of our own: whole, or not at all."""

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
from pipeline.parsing.stanza_download import StanzaServer, download_package
from pipeline.parsing.stanza_package import copy_package
from tests.scripted_server import CONTENT, Server

MD5 = hashlib.md5(CONTENT).hexdigest()


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


@pytest.mark.parametrize(
    ("behaviours", "ranges"),
    [
        (["whole"], [None, None, None]),
        (["503", "whole", "whole"], [None, None, None, None]),
        (["whole", "cut", "whole"], [None, None, "bytes=100000-", None]),
    ],
    ids=str,
)
def test_a_package_arrives_whole(
    serve: Any,
    tmp_path: Path,
    behaviours: list[str],
    ranges: list[str | None],
) -> None:
    server = serve(*behaviours)
    index = index_of(server)
    download_from(server, index, tmp_path)
    assert read_json(tmp_path / "resources.json") == index
    files = {path.relative_to(tmp_path) for path in tmp_path.rglob("*") if path.is_file()}
    models = {Path("en/pos/m.pt"), Path("en/constituency/m.pt")}
    assert files == {Path("resources.json"), *models}
    assert all((tmp_path / model).read_bytes() == CONTENT for model in models)
    assert {f"/some/v7/{model}" for model in models} < set(server.paths)
    assert server.ranges == ranges


def test_another_file_than_the_index_says_is_refused(serve: Any, tmp_path: Path) -> None:
    server = serve("whole")
    with pytest.raises(InputError, match=rf"m\.pt: expected the file with MD5 0, .* has {MD5}$"):
        download_from(server, index_of(server, md5="0"), tmp_path)


def test_models_may_be_elsewhere_than_the_index_says(serve: Any, tmp_path: Path) -> None:
    server = serve("whole")
    download_from(server, index_of(server), tmp_path, models=server.url("mirror/{filename}"))
    assert server.paths[1:] == ["/some/mirror/constituency/m.pt", "/some/mirror/pos/m.pt"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"url": None}, r"resources_7\.json: expected stanza's index \(AttributeError: "),
        (
            {"url": "file:///etc/{filename}"},
            r"file:///etc/constituency/m\.pt: expected an address: ",
        ),
    ],
)
def test_an_index_leads_to_the_web(
    serve: Any, tmp_path: Path, change: dict[str, Any], message: str
) -> None:
    server = serve("whole")
    with pytest.raises(InputError, match=message):
        download_from(server, index_of(server) | change, tmp_path)


def test_an_index_without_sums_is_refused(serve: Any, tmp_path: Path) -> None:
    server = serve("whole")
    index = index_of(server)
    del index["en"]["pos"]["m"]["md5"]
    with pytest.raises(InputError, match=r"expected stanza's index \(KeyError: 'md5'\)$"):
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


@pytest.mark.slow
def test_no_network_is_one_short_line(tmp_path: Path) -> None:
    done = download(tmp_path, NOBODY, "default")
    assert done.returncode == 1
    assert re.fullmatch(
        f"error: {NOBODY}/resources_[0-9.]+.json: .*refused \\(the last of 5 attempts\\)\n",
        done.stderr,
    )
    assert not (tmp_path / "out").exists()


@pytest.mark.slow
def test_a_network_that_is_lost_between_files_is_one_short_line(
    tmp_path: Path, server: tuple[Path, str]
) -> None:
    folder, url = server
    models = {"pos": {"own": {"md5": ""}}, "constituency": {"own": {"md5": ""}}}
    packages = {"packages": {"own": {"pos": "own", "constituency": "own"}}}
    write_index(folder, NOBODY, {"en": {"lang_name": "English", **models, **packages}})
    done = download(tmp_path, url, "own")
    assert done.returncode == 1
    assert done.stderr.startswith(f"error: {NOBODY}/en/constituency/own.pt: ")
    assert done.stderr.count("\n") == 1
    assert not (tmp_path / "out").exists()


@pytest.mark.slow
def test_an_unknown_package_is_named(tmp_path: Path, server: tuple[Path, str]) -> None:
    folder, url = server
    write_index(folder, url, {"en": {"pos": {}, "packages": {"default": {}, "gum": {}}}})
    done = download(tmp_path, url, "gun")
    assert done.returncode == 2
    assert done.stderr == (
        "error: parser.package: no package gun for en; expected one of default, gum\n"
    )
    assert not (tmp_path / "out").exists()


@pytest.mark.slow
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
