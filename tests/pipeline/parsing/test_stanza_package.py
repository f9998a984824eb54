"""Packages of stanza's: found in a folder, or downloaded from a server of our own."""

from __future__ import annotations

import functools
import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mgsa.errors import InputError
from mgsa.files import read_json, write_json
from pipeline.parsing.parser_folder import ParserFolder, write_parser_folder
from pipeline.parsing.stanza_package import check_recorded, copy_package
from tests.mutations import mutated_json, refusal

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
    assert done.stderr == (
        "error: parser.package: stanza could not download default (en): "
        "no connection to 127.0.0.1\n"
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
    assert done.stderr.endswith("download own (en): no connection to 127.0.0.1\n")
    assert done.stderr.count("\n") == 1
    assert not (tmp_path / "out").exists()


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
