"""Files from the web: bounded, resumed, tried again, checked against SHA-256."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from dataclasses import dataclass
from http.client import HTTPException, HTTPResponse, IncompleteRead
from pathlib import Path
from ssl import SSLError
from urllib.error import HTTPError, URLError
from urllib.parse import unquote, urlsplit
from urllib.request import Request, urlopen

from mgsa.command import progress
from mgsa.errors import InputError
from mgsa.files import open_to_write, sha256
from mgsa.settings import Positive

PAUSE = 1.0
"""Seconds before the second attempt; each further pause is twice as long."""

SLOWEST = 1000
"""Bytes a second; who sends fewer for longer than the timeout is as good as silent."""

_BLOCK_BYTES = 1 << 20
_TOO_BUSY = (408, 425, 429, 500, 502, 503, 504)
"""HTTP statuses that may be others on the next attempt."""


class DownloadError(OSError):
    """The network or the server failed at every attempt."""


@dataclass(frozen=True)
class RemoteFile:
    """A file on the web, known by the last part of its address.

    A file whose `sha256` is `null` is downloaded, but not used: its hash is told, to be compared
    with the publisher's and set.
    """

    url: str
    sha256: str | None
    max_bytes: Positive

    def __post_init__(self) -> None:
        named = self.name not in ("", "..") and self.name.isprintable()
        if urlsplit(self.url).scheme not in ("http", "https") or not named:
            raise ValueError(f"url: expected http(s)://…/NAME, got {self.url!r}")
        if self.sha256 is not None and not re.fullmatch("[0-9a-f]{64}", self.sha256):
            raise ValueError(f"sha256: expected 64 hexadecimal digits, got {self.sha256!r}")

    @property
    def name(self) -> str:
        return Path(unquote(urlsplit(self.url).path)).name


def find(file: RemoteFile, folder: Path) -> Path:
    """The file in a local folder that stands in for the download.

    Raises:
        InputError: it is not there, or is not the file that was asked for.
    """
    path = folder / file.name
    if not path.is_file():
        raise InputError(f"no such file; expected what {file.url} gives", path=path)
    _check(file, path)
    return path


def fetch(file: RemoteFile, folder: Path, *, timeout: float, retries: int) -> Path:
    """The file in `folder`, downloaded unless it is there already.

    What an interrupted download left (`NAME.partial`) is continued.

    Args:
        timeout: seconds without an answer, or with next to none, after which an attempt fails.
        retries: attempts after the first.

    Raises:
        InputError: the server refuses, or the file is too large or not the one that was asked for.
        DownloadError: the last attempt failed.
    """
    path = folder / file.name
    if not path.is_file():
        folder.mkdir(parents=True, exist_ok=True)
        partial = path.with_name(f"{path.name}.partial")
        for attempt in range(retries + 1):
            try:
                _continue(file, partial, timeout)
                break
            except HTTPError as error:
                if error.code not in _TOO_BUSY:
                    message = f"the server answers {error.code} {error.reason}"
                    raise InputError(message, path=file.url) from None
                failure: Exception = error
            except (URLError, ConnectionError, TimeoutError, SSLError, HTTPException) as error:
                failure = error
            if attempt == retries:
                reason = getattr(failure, "reason", None) or failure
                attempts = f"{retries + 1} attempts failed, the last with: {reason}"
                raise DownloadError(None, attempts, file.url) from None
            time.sleep(PAUSE * 2**attempt)
        partial.replace(path)
    _check(file, path)
    return path


def _check(file: RemoteFile, path: Path) -> None:
    found = sha256(path)
    if file.sha256 is None:
        raise InputError(
            f"its SHA-256 is {found}: compare it with the publisher's, set it for {file.url} and "
            "run again",
            path=path,
        )
    if found != file.sha256:
        raise InputError(
            f"expected the file with SHA-256 {file.sha256}, this one has {found}; remove it to "
            "download it anew",
            path=path,
        )


def _continue(file: RemoteFile, partial: Path, timeout: float) -> None:
    """One attempt: append to `partial` what it lacks, or start over where the server can't."""
    start = partial.stat().st_size if partial.exists() else 0
    headers = {"User-Agent": "mgsa", **({"Range": f"bytes={start}-"} if start else {})}
    try:
        response = urlopen(Request(file.url, headers=headers), timeout=timeout)
    except HTTPError as error:
        if error.code != 416:
            raise
        if error.headers.get("Content-Range") == f"bytes */{start}":
            return  # all of it was there
        partial.unlink()
        raise ConnectionError("the file has changed on the server") from None
    with response:
        if not response.headers.get("Content-Range", "").startswith(f"bytes {start}-"):
            start = 0
        total = None if response.length is None else start + response.length
        if max(total or 0, start) > file.max_bytes:
            raise _too_large(file, partial)
        received = start
        blocks = progress(
            _blocks(response, timeout), f"download {file.name}", total=total, unit="bytes", size=len
        )
        with open_to_write(partial, "ab" if start else "wb") as out:
            for block in blocks:
                received += len(block)
                if received > file.max_bytes:
                    raise _too_large(file, partial)
                out.write(block)
    if total is not None and received < total:
        raise IncompleteRead(b"", total - received)


def _blocks(response: HTTPResponse, timeout: float) -> Iterator[bytes]:
    started, received = time.monotonic(), 0
    while block := response.read1(_BLOCK_BYTES):
        yield block
        received += len(block)
        seconds = time.monotonic() - started
        if seconds > timeout and received < SLOWEST * seconds:
            raise TimeoutError(f"the server sends fewer than {SLOWEST} bytes a second")


def _too_large(file: RemoteFile, partial: Path) -> InputError:
    partial.unlink(missing_ok=True)
    return InputError(f"larger than {file.max_bytes:,} bytes", path=file.url)
