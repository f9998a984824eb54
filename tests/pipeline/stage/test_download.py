"""Downloads from a real server that cuts, stalls, refuses and leads astray."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from mgsa.cli.errors import FailedError, InputError
from pipeline.stage import download as module
from pipeline.stage.download import ATTEMPTS, download
from tests.scripted_server import CONTENT, MD5


@pytest.mark.parametrize(
    ("behaviours", "ranges"),
    [
        (["whole"], [None]),
        (["unknown length"], [None]),
        (["503", "whole"], [None, None]),
        (["cut", "cut", "whole"], [None, "bytes=100000-", "bytes=200000-"]),
        (["cut", "no ranges"], [None, "bytes=100000-"]),
        (["stall", "whole"], [None, None]),
        (["Location: /new%20place", "Location: corpus.bin", "whole"], [None] * 3),
    ],
    ids=str,
)
def test_a_file_arrives_whole(
    serve: Any,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    behaviours: list[str],
    ranges: list[str | None],
) -> None:
    if "stall" in behaviours:
        monkeypatch.setattr(module, "TIMEOUT", 1.0)
    server = serve(*behaviours)
    path = tmp_path / "corpus.bin"
    download(server.url(), path, md5=MD5)
    assert path.read_bytes() == CONTENT
    assert server.ranges == ranges
    assert list(tmp_path.iterdir()) == [path]


def test_another_file_than_asked_for_is_refused(serve: Any, tmp_path: Path) -> None:
    url = serve("whole").url()
    message = f"^{url}: expected the file with MD5 {'0' * 32}, this one has {MD5}$"
    with pytest.raises(InputError, match=message):
        download(url, tmp_path / "corpus.bin", md5="0" * 32)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("behaviour", "requests", "message"),
    [("503", ATTEMPTS, "too many 503 error responses"), ("cut", ATTEMPTS, "IncompleteRead")],
)
def test_a_server_that_keeps_failing_is_named(
    serve: Any, tmp_path: Path, behaviour: str, requests: int, message: str
) -> None:
    server = serve(behaviour)
    server.files["/some/corpus.bin"] = CONTENT * 4
    with pytest.raises(FailedError, match=f"^{server.url()}: .*{message}"):
        download(server.url(), tmp_path / "corpus.bin")
    assert len(server.ranges) == requests


def test_a_missing_file_is_not_asked_for_again(serve: Any, tmp_path: Path) -> None:
    server = serve("404")
    with pytest.raises(InputError, match=r"/some/corpus.bin: the server answers 404 Not Found$"):
        download(server.url(), tmp_path / "corpus.bin")
    assert len(server.ranges) == 1


def test_a_file_moves_to_no_other_place_than_the_web(serve: Any, tmp_path: Path) -> None:
    server = serve("Location: file:///etc/passwd")
    with pytest.raises(InputError, match=re.escape(f"{server.url()}: expected an address: ")):
        download(server.url(), tmp_path / "corpus.bin")
    assert list(tmp_path.iterdir()) == []
