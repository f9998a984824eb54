"""Downloads from a real server that cuts, stalls, refuses, lies and leads astray."""

from __future__ import annotations

import re
import time
from pathlib import Path
from typing import Any

import pytest

from mgsa.base.errors import InputError
from pipeline.download import DownloadError, RemoteFile, fetch, find
from tests.scripted_server import CONTENT, SHA256, Server

QUICK = 1
"""Seconds to give a server that won't do what it should: it could on any machine."""
PATIENT = 60
"""Seconds to give one that will."""


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
        (["cut unknown length", "whole"], [None, None]),
        (["too short", "whole"], [None, None]),
        (["too short", "cut", "whole"], [None, None, "bytes=100000-"]),
    ],
    ids=str,
)
def test_a_file_arrives_whole(
    serve: Any, tmp_path: Path, behaviours: list[str], ranges: list[str | None]
) -> None:
    server = serve(*behaviours)
    timeout = QUICK if "stall" in behaviours else PATIENT
    path = fetch(remote(server), tmp_path / "downloads", timeout=timeout, retries=2)
    assert path == tmp_path / "downloads" / "corpus.bin"
    assert path.read_bytes() == CONTENT
    assert server.ranges == ranges
    assert list(path.parent.iterdir()) == [path]


def test_a_server_that_sends_next_to_nothing_is_as_good_as_silent(
    serve: Any, tmp_path: Path
) -> None:
    server = serve("drip", "whole")
    path = fetch(remote(server), tmp_path, timeout=QUICK, retries=1)
    assert path.read_bytes() == CONTENT
    assert re.fullmatch("bytes=[1-9][0-9]*0-", server.ranges[1])  # it goes on where it was
    with pytest.raises(DownloadError, match="failed with: the server sends fewer than 1000 bytes"):
        fetch(remote(serve("drip")), tmp_path / "other", timeout=QUICK, retries=0)


ANSWER = f"the server takes longer than {QUICK} seconds to answer"
CONTENT_RATE = "the server sends fewer than 1000 bytes a second"


@pytest.mark.parametrize(
    ("behaviour", "complaint"),
    [
        ("stall", ANSWER),
        ("endless header", ANSWER),
        ("endless headers", ANSWER),
        ("endless chunk length", CONTENT_RATE),
        ("endless trailers", CONTENT_RATE),
        ("gush, then drip", CONTENT_RATE),
    ],
)
def test_a_server_that_keeps_the_line_busy_is_as_good_as_silent(
    serve: Any, tmp_path: Path, behaviour: str, complaint: str
) -> None:
    started = time.monotonic()
    with pytest.raises(DownloadError, match=f"1 attempt failed with: {complaint}: 'http"):
        fetch(remote(serve(behaviour)), tmp_path, timeout=QUICK, retries=0)
    assert time.monotonic() - started < PATIENT


def test_content_before_endless_trailers_is_kept(serve: Any, tmp_path: Path) -> None:
    server = serve("endless trailers", "whole")
    path = fetch(remote(server), tmp_path, timeout=QUICK, retries=1)
    assert path.read_bytes() == CONTENT
    assert server.ranges == [None, f"bytes={len(CONTENT)}-"]


def test_a_length_that_is_too_short_gives_another_file(serve: Any, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=f"expected the file with SHA-256 {SHA256}, this one has"):
        fetch(remote(serve("too short")), tmp_path, timeout=PATIENT, retries=0)


def test_a_file_that_is_there_is_not_downloaded(serve: Any, tmp_path: Path) -> None:
    server = serve("404")
    (tmp_path / "corpus.bin").write_bytes(CONTENT)
    assert fetch(remote(server), tmp_path, timeout=PATIENT, retries=0) == tmp_path / "corpus.bin"
    assert server.ranges == []


@pytest.mark.parametrize(
    ("left", "ranges"),
    [
        (CONTENT[:5000], ["bytes=5000-"]),
        (CONTENT, [f"bytes={len(CONTENT)}-"]),
        (CONTENT + b"more", [f"bytes={len(CONTENT) + 4}-", None]),
        (b"x" * 5000, ["bytes=5000-", None]),
        (b"x" * len(CONTENT), [f"bytes={len(CONTENT)}-", None]),
    ],
    ids=["part", "all", "another file", "part of another file", "all of another file"],
)
def test_an_interrupted_download_is_continued(
    serve: Any, tmp_path: Path, left: bytes, ranges: list[str | None]
) -> None:
    server = serve("whole")
    (tmp_path / "corpus.bin.partial").write_bytes(left)
    assert fetch(remote(server), tmp_path, timeout=PATIENT, retries=1).read_bytes() == CONTENT
    assert server.ranges == ranges


def test_a_server_that_keeps_failing_is_named(serve: Any, tmp_path: Path) -> None:
    server = serve("503")
    with pytest.raises(DownloadError, match="3 attempts failed, the last with: Service Unavail"):
        fetch(remote(server), tmp_path, timeout=PATIENT, retries=2)
    assert len(server.ranges) == 3


def test_no_server_at_all_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    file = RemoteFile("http://127.0.0.1:1/corpus.bin", SHA256, 10)
    with pytest.raises(DownloadError, match=r"1 attempt failed with: .*refused"):
        fetch(file, tmp_path, timeout=PATIENT, retries=0)


def test_a_missing_file_is_not_asked_for_again(serve: Any, tmp_path: Path) -> None:
    server = serve("404")
    with pytest.raises(InputError, match=r"/some/corpus.bin: the server answers 404 Not Found$"):
        fetch(remote(server), tmp_path, timeout=PATIENT, retries=5)
    assert len(server.ranges) == 1


@pytest.mark.parametrize("behaviour", ["whole", "unknown length"])
def test_a_file_that_is_too_large_is_refused(serve: Any, tmp_path: Path, behaviour: str) -> None:
    server = serve(behaviour)
    with pytest.raises(InputError, match=r"corpus.bin: larger than 200,000 bytes$"):
        fetch(remote(server, max_bytes=200_000), tmp_path, timeout=PATIENT, retries=0)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("retries", "attempts"), [(0, 1), (1, 2), (9, 2)])
def test_another_file_than_asked_for_is_refused(
    serve: Any, tmp_path: Path, retries: int, attempts: int
) -> None:
    """Nothing of it is kept, and the same file is not asked for time and again."""
    server = serve("whole")
    message = f"corpus.bin: expected the file with SHA-256 {'0' * 64}, this one has {SHA256}$"
    with pytest.raises(InputError, match=f"^{server.url()[:-10]}{message}"):
        fetch(remote(server, sha256="0" * 64), tmp_path, timeout=PATIENT, retries=retries)
    assert server.ranges == [None] * attempts
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("behaviour", ["416", "no range at all"])
def test_a_range_that_nobody_asked_for_is_refused(
    serve: Any, tmp_path: Path, behaviour: str
) -> None:
    server = serve(behaviour)
    with pytest.raises(InputError, match=r"corpus\.bin: the server answers 416 Requested Range"):
        fetch(remote(server), tmp_path, timeout=PATIENT, retries=5)
    assert len(server.ranges) == 1


def test_a_file_that_has_moved_is_followed(serve: Any, tmp_path: Path) -> None:
    """Without a wait for the end of what else is said, for there is none."""
    server = serve("Location: /new%20place", "Location: corpus.bin", "whole")
    assert fetch(remote(server), tmp_path, timeout=PATIENT, retries=0).read_bytes() == CONTENT
    assert len(server.ranges) == 3


@pytest.mark.parametrize(
    "target",
    [
        "http://[bad/x",
        f"http://{'a' * 80}/x",
        "http://a..b/x",
        "http://127.0.0.1:port/x",
        "ftp://127.0.0.1/x",
        "file:///etc/passwd",
    ],
)
def test_a_file_moves_to_no_other_place_than_the_web(
    serve: Any, tmp_path: Path, target: str
) -> None:
    server = serve(f"Location: {target}")
    message = f"{server.url()}: redirected to '{target}', expected http(s)://HOST/…"
    with pytest.raises(InputError, match=f"^{re.escape(message)}$"):
        fetch(remote(server), tmp_path, timeout=PATIENT, retries=5)
    assert len(server.ranges) == 1


def test_a_file_that_moves_in_circles_is_given_up(serve: Any, tmp_path: Path) -> None:
    server = serve("Location: corpus.bin")
    with pytest.raises(InputError, match=r"answers 302 .* infinite loop. The last 30x .*: Found$"):
        fetch(remote(server), tmp_path, timeout=PATIENT, retries=5)
    assert len(server.ranges) < 10


@pytest.mark.parametrize(
    ("name", "message"),
    [("ä", "'ascii' codec can't encode"), ("a b", "URL can't contain control characters")],
)
def test_an_address_that_can_not_be_sent_is_named(
    serve: Any, tmp_path: Path, name: str, message: str
) -> None:
    file = RemoteFile(serve("whole").url(name), SHA256, 1)
    with pytest.raises(InputError, match=f"/{name}: expected an address: {message}"):
        fetch(file, tmp_path, timeout=PATIENT, retries=5)


def test_an_unknown_hash_is_told_but_not_trusted(serve: Any, tmp_path: Path) -> None:
    server = serve("whole")
    for _ in range(2):
        with pytest.raises(InputError, match=f"corpus.bin: its SHA-256 is {SHA256}: compare it"):
            fetch(remote(server, sha256=None), tmp_path, timeout=PATIENT, retries=0)
    assert len(server.ranges) == 1
    assert fetch(remote(server), tmp_path, timeout=PATIENT, retries=0).read_bytes() == CONTENT
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
        ("https://[example.org/a", None, r"url: expected http\(s\)://…/NAME"),
        (f"https://{'a' * 80}/a", None, r"url: expected http\(s\)://…/NAME"),
        ("https:///a", None, r"url: expected http\(s\)://…/NAME"),
        ("https://example.org:port/a", None, r"url: expected http\(s\)://…/NAME"),
        ("https://example.org/a", "ab", "sha256: expected 64 hexadecimal digits, got 'ab'"),
    ],
)
def test_impossible_addresses_are_named(url: str, sha256: str | None, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        RemoteFile(url, sha256, 1)
