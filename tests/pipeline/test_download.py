"""Downloads from a real server that cuts, stalls, refuses and lies."""

from __future__ import annotations

import hashlib
import re
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from mgsa.errors import InputError
from pipeline import download
from pipeline.download import DownloadError, RemoteFile, fetch, find

CONTENT = bytes(range(256)) * 1000
SHA256 = hashlib.sha256(CONTENT).hexdigest()


LENGTHS = {"unknown length": None, "no length": "many", "negative length": "-1", "too short": "9"}
"""What behaviours say that the length is, where it is not what it is."""


class Server(ThreadingHTTPServer):
    """Serves CONTENT as scripted: one behaviour a request, the last one from then on."""

    daemon_threads = True

    def __init__(self, behaviours: list[str]) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.behaviours = behaviours
        self.ranges: list[str | None] = []

    def url(self, name: str = "corpus.bin") -> str:
        return f"http://127.0.0.1:{self.server_port}/some/{name}"


class Handler(BaseHTTPRequestHandler):
    server: Server

    def do_GET(self) -> None:
        server = self.server
        server.ranges.append(self.headers["Range"])
        number = min(len(server.ranges), len(server.behaviours)) - 1
        behaviour = server.behaviours[number]
        if behaviour.isdigit():
            self.send_error(int(behaviour))
            return
        if behaviour == "stall":
            threading.Event().wait(3)
            return
        start = int((self.headers["Range"] or "bytes=0-")[len("bytes=") : -1])
        if behaviour == "no ranges":
            start = 0
        if start >= len(CONTENT):
            self.send_response(416)
            self.send_header("Content-Range", f"bytes */{len(CONTENT)}")
            self.end_headers()
            return
        self.send_response(206 if start else 200)
        if start:
            self.send_header("Content-Range", f"bytes {start}-{len(CONTENT) - 1}/{len(CONTENT)}")
        length = LENGTHS.get(behaviour, str(len(CONTENT) - start))
        if length is not None:
            self.send_header("Content-Length", length)
        self.end_headers()
        if behaviour == "drip":
            self.drip(CONTENT[start:])
            return
        end = start + 100_000 if behaviour == "cut" else len(CONTENT)
        self.wfile.write(CONTENT[start:end])

    def drip(self, content: bytes) -> None:
        """Ten bytes at a time, well before any timeout, as long as somebody listens."""
        with suppress(ConnectionError):
            for place in range(0, len(content), 10):
                self.wfile.write(content[place : place + 10])
                time.sleep(0.05)

    def log_message(self, *_: Any) -> None:
        """Not on the terminal."""


@pytest.fixture
def serve(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    monkeypatch.setattr(download, "PAUSE", 0.0)
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    servers: list[Server] = []

    def start(*behaviours: str) -> Server:
        server = Server(list(behaviours))
        servers.append(server)
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        return server

    yield start
    for server in servers:
        server.shutdown()
        server.server_close()


def remote(
    server: Server, sha256: str | None = SHA256, max_bytes: int = len(CONTENT)
) -> RemoteFile:
    return RemoteFile(server.url(), sha256, max_bytes)


@pytest.mark.parametrize(
    ("behaviours", "ranges"),
    [
        (["whole"], [None]),
        (["unknown length"], [None]),
        (["503", "whole"], [None, None]),
        (["cut", "whole"], [None, "bytes=100000-"]),
        (["cut", "cut", "whole"], [None, "bytes=100000-", "bytes=200000-"]),
        (["cut", "no ranges"], [None, "bytes=100000-"]),
        (["stall", "whole"], [None, None]),
        (["no length"], [None]),
        (["negative length"], [None]),
    ],
    ids=str,
)
def test_a_file_arrives_whole(
    serve: Any, tmp_path: Path, behaviours: list[str], ranges: list[str | None]
) -> None:
    server = serve(*behaviours)
    path = fetch(remote(server), tmp_path / "downloads", timeout=1, retries=2)
    assert path == tmp_path / "downloads" / "corpus.bin"
    assert path.read_bytes() == CONTENT
    assert server.ranges == ranges
    assert list(path.parent.iterdir()) == [path]


def test_a_server_that_sends_next_to_nothing_is_as_good_as_silent(
    serve: Any, tmp_path: Path
) -> None:
    server = serve("drip", "whole")
    path = fetch(remote(server), tmp_path, timeout=0.5, retries=1)
    assert path.read_bytes() == CONTENT
    assert re.fullmatch("bytes=[1-9][0-9]*0-", server.ranges[1])  # it goes on where it was
    with pytest.raises(DownloadError, match="the last with: the server sends fewer than 1000 byte"):
        fetch(remote(serve("drip")), tmp_path / "other", timeout=0.5, retries=0)


def test_a_length_that_is_too_short_gives_another_file(serve: Any, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=f"expected the file with SHA-256 {SHA256}, this one has"):
        fetch(remote(serve("too short")), tmp_path, timeout=1, retries=0)


def test_a_file_that_is_there_is_not_downloaded(serve: Any, tmp_path: Path) -> None:
    server = serve("404")
    (tmp_path / "corpus.bin").write_bytes(CONTENT)
    assert fetch(remote(server), tmp_path, timeout=1, retries=0) == tmp_path / "corpus.bin"
    assert server.ranges == []


@pytest.mark.parametrize(
    ("left", "ranges"),
    [
        (CONTENT[:5000], ["bytes=5000-"]),
        (CONTENT, [f"bytes={len(CONTENT)}-"]),
        (CONTENT + b"more", [f"bytes={len(CONTENT) + 4}-", None]),
    ],
    ids=["part", "all", "another file"],
)
def test_an_interrupted_download_is_continued(
    serve: Any, tmp_path: Path, left: bytes, ranges: list[str | None]
) -> None:
    server = serve("whole")
    (tmp_path / "corpus.bin.partial").write_bytes(left)
    assert fetch(remote(server), tmp_path, timeout=1, retries=1).read_bytes() == CONTENT
    assert server.ranges == ranges


def test_a_server_that_keeps_failing_is_named(serve: Any, tmp_path: Path) -> None:
    server = serve("503")
    with pytest.raises(DownloadError, match="3 attempts failed, the last with: Service Unavail"):
        fetch(remote(server), tmp_path, timeout=1, retries=2)
    assert len(server.ranges) == 3


def test_no_server_at_all_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    file = RemoteFile("http://127.0.0.1:1/corpus.bin", SHA256, 10)
    with pytest.raises(DownloadError, match=r"1 attempts failed, the last with: .*refused"):
        fetch(file, tmp_path, timeout=1, retries=0)


def test_a_missing_file_is_not_asked_for_again(serve: Any, tmp_path: Path) -> None:
    server = serve("404")
    with pytest.raises(InputError, match=r"/some/corpus.bin: the server answers 404 Not Found$"):
        fetch(remote(server), tmp_path, timeout=1, retries=5)
    assert len(server.ranges) == 1


@pytest.mark.parametrize("behaviour", ["whole", "unknown length"])
def test_a_file_that_is_too_large_is_refused(serve: Any, tmp_path: Path, behaviour: str) -> None:
    server = serve(behaviour)
    with pytest.raises(InputError, match=r"corpus.bin: larger than 200,000 bytes$"):
        fetch(remote(server, max_bytes=200_000), tmp_path, timeout=1, retries=0)
    assert list(tmp_path.iterdir()) == []


def test_another_file_than_asked_for_is_refused(serve: Any, tmp_path: Path) -> None:
    server = serve("whole")
    with pytest.raises(InputError, match=f"expected the file with SHA-256 {'0' * 64}, this one"):
        fetch(remote(server, sha256="0" * 64), tmp_path, timeout=1, retries=0)


def test_an_unknown_hash_is_told_but_not_trusted(serve: Any, tmp_path: Path) -> None:
    server = serve("whole")
    for _ in range(2):
        with pytest.raises(InputError, match=f"corpus.bin: its SHA-256 is {SHA256}: compare it"):
            fetch(remote(server, sha256=None), tmp_path, timeout=1, retries=0)
    assert len(server.ranges) == 1
    assert fetch(remote(server), tmp_path, timeout=1, retries=0).read_bytes() == CONTENT
    assert len(server.ranges) == 1


def test_a_local_folder_stands_in(tmp_path: Path) -> None:
    file = RemoteFile("https://example.org/data/corpus.bin?raw=1", SHA256, 1)
    with pytest.raises(InputError, match=r"corpus.bin: no such file; expected what https://ex"):
        find(file, tmp_path)
    (tmp_path / "corpus.bin").write_bytes(CONTENT)
    assert find(file, tmp_path) == tmp_path / "corpus.bin"
    (tmp_path / "corpus.bin").write_bytes(b"other")
    with pytest.raises(InputError, match=f"corpus.bin: expected the file with SHA-256 {SHA256}"):
        find(file, tmp_path)


@pytest.mark.parametrize(
    ("url", "sha256", "message"),
    [
        ("file:///etc/passwd", None, r"url: expected http\(s\)://…/NAME, got 'file:///etc/passwd'"),
        ("https://example.org/", None, r"url: expected http\(s\)://…/NAME"),
        ("https://example.org/a/..", None, r"url: expected http\(s\)://…/NAME"),
        ("https://example.org/%2e%2e", None, r"url: expected http\(s\)://…/NAME"),
        ("https://example.org/a%00", None, r"url: expected http\(s\)://…/NAME"),
        ("https://[example.org/a", None, "Invalid IPv6 URL"),
        ("https://example.org/a", "ab", "sha256: expected 64 hexadecimal digits, got 'ab'"),
    ],
)
def test_impossible_addresses_are_named(url: str, sha256: str | None, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        RemoteFile(url, sha256, 1)
