"""Files from the web: bounded, resumed, tried again, used only if they are what was asked for."""

from __future__ import annotations

import functools
import re
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from http.client import HTTPException, HTTPResponse, IncompleteRead, InvalidURL
from pathlib import Path
from ssl import SSLError
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.parse import unquote, urljoin, urlsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener

from mgsa.base.cli import progress
from mgsa.base.errors import InputError
from mgsa.base.io import open_to_write, sha256
from mgsa.base.settings import Positive
from pipeline.server_time import TimedHTTP, TimedHTTPS

PAUSE = 1.0
"""Seconds before the second attempt; each further pause is twice as long."""

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
        if not _is_address(self.url) or self.name in ("", "..") or not self.name.isprintable():
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
    _check(file, path, otherwise=f"take the one that {file.url} gives")
    return path


def fetch(file: RemoteFile, folder: Path, *, timeout: float, retries: int) -> Path:
    """The file in `folder`, downloaded unless it is there already.

    Raises:
        InputError: as `download`; or what is there is another file, or one that nothing is known
            of.
        DownloadError: as `download`.
    """
    path = folder / file.name
    if not path.is_file():
        folder.mkdir(parents=True, exist_ok=True)
        wrong = functools.partial(_wrong, file)
        download(file, path, wrong, timeout=timeout, retries=retries)
        if file.sha256 is not None:
            return path
    _check(file, path, otherwise="remove it to download it anew")
    return path


def download(
    file: RemoteFile,
    path: Path,
    wrong: Callable[[Path], str | None],
    *,
    timeout: float,
    retries: int,
) -> None:
    """Download a file to `path`, where it appears whole or not at all.

    What an interrupted download left (`NAME.partial`) is continued. A file that is not as it should
    be may have been cut off, or put together from two: it is downloaded again, from the start,
    until the server has sent the same one twice.

    Args:
        wrong: says what is wrong with a downloaded file; `None` if nothing is.
        timeout: seconds without an answer, or with next to none, after which an attempt fails.
        retries: attempts after the first.

    Raises:
        InputError: the server refuses or leads to no address, or the file is too large or wrong.
        DownloadError: the last attempt failed.
    """
    partial = path.with_name(f"{path.name}.partial")
    faults: set[str] = set()
    for attempt in range(retries + 1):
        last = attempt == retries
        try:
            _continue(file, partial, timeout)
            fault = wrong(partial)
            if fault is None:
                partial.replace(path)
                return
            partial.unlink()
            if last or fault in faults:
                raise InputError(fault, path=file.url)
            faults.add(fault)
        except HTTPError as error:
            if error.code not in _TOO_BUSY:
                # Of a server that leads in circles, the library says it in three lines.
                message = f"the server answers {error.code} {' '.join(error.reason.split())}"
                raise InputError(message, path=file.url) from None
            if last:
                raise _failed(file, error, retries + 1) from None
        except (URLError, ConnectionError, TimeoutError, SSLError, HTTPException) as error:
            if last:
                raise _failed(file, error, retries + 1) from None
        time.sleep(PAUSE * 2**attempt)


def _failed(file: RemoteFile, error: Exception, attempts: int) -> DownloadError:
    reason = getattr(error, "reason", None) or error
    said = "1 attempt failed" if attempts == 1 else f"{attempts} attempts failed, the last"
    return DownloadError(None, f"{said} with: {reason}", file.url)


def _check(file: RemoteFile, path: Path, *, otherwise: str) -> None:
    if file.sha256 is None:
        raise InputError(
            f"its SHA-256 is {sha256(path)}: compare it with the publisher's, set it for "
            f"{file.url} and run again",
            path=path,
        )
    wrong = _wrong(file, path)
    if wrong is not None:
        raise InputError(f"{wrong}; {otherwise}", path=path)


def _wrong(file: RemoteFile, path: Path) -> str | None:
    """In what `path` is not the file, as far as is known."""
    if file.sha256 is None or (found := sha256(path)) == file.sha256:
        return None
    return f"expected the file with SHA-256 {file.sha256}, this one has {found}"


def _continue(file: RemoteFile, partial: Path, timeout: float) -> None:
    """One attempt: append to `partial` what it lacks, or start over where the server can't."""
    start = partial.stat().st_size if partial.exists() else 0
    headers = {"User-Agent": "mgsa", **({"Range": f"bytes={start}-"} if start else {})}
    try:
        response = _open(file.url, headers, timeout)
    except HTTPError as error:
        if error.code != 416 or not start:
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
            _blocks(response), f"download {file.name}", total=total, unit="bytes", size=len
        )
        with open_to_write(partial, "ab" if start else "wb") as out:
            for block in blocks:
                received += len(block)
                if received > file.max_bytes:
                    raise _too_large(file, partial)
                out.write(block)
    if total is not None and received < total:
        raise IncompleteRead(b"", total - received)


def _is_address(url: str, base: str = "") -> bool:
    """Whether it is one on the web, be it relative to `base`."""
    try:
        parts = urlsplit(urljoin(base, url))
        (parts.hostname or "").encode("idna")  # as looking it up will
        return parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False


def _open(url: str, headers: dict[str, str], timeout: float) -> HTTPResponse:
    """The answer of the server.

    Raises:
        InputError: `url` is no address, or leads to none.
    """
    try:
        response: HTTPResponse = build_opener(_Redirects, TimedHTTP, TimedHTTPS).open(
            Request(url, headers=headers), timeout=timeout
        )
    except InputError:
        raise
    except (ValueError, InvalidURL) as error:
        raise InputError(f"expected an address: {error}", path=url) from None
    return response


class _Redirects(HTTPRedirectHandler):
    """Follows a server to nowhere but where `url` may lead: the library would to FTP."""

    def http_error_302(self, req: Request, fp: Any, code: int, msg: str, headers: Any) -> Any:
        """The answer of where the server says that the file has moved."""
        target = headers.get("Location", headers.get("URI", ""))
        if not _is_address(target, req.full_url):
            message = f"redirected to {target!r}, expected http(s)://HOST/…"
            raise InputError(message, path=req.full_url)
        fp.close()  # the library would read all that comes with the address, however much it is
        return super().http_error_302(req, fp, code, msg, headers)

    http_error_301 = http_error_303 = http_error_307 = http_error_308 = http_error_302


def _blocks(response: HTTPResponse) -> Iterator[bytes]:
    while block := response.read1(_BLOCK_BYTES):
        yield block


def _too_large(file: RemoteFile, partial: Path) -> InputError:
    partial.unlink(missing_ok=True)
    return InputError(f"larger than {file.max_bytes:,} bytes", path=file.url)
