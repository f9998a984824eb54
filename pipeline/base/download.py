"""Files from the web: continued where a connection broke, checked by their hash."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import IO, Any

from mgsa.base.cli import progress
from mgsa.base.errors import FailedError, InputError
from mgsa.base.io import open_to_write

ATTEMPTS = 5
TIMEOUT = 30.0
"""Seconds without a byte after which an attempt has failed."""
PAUSE = 1.0
"""Seconds before the third attempt, doubled for each further one (urllib3's `backoff_factor`)."""

_TOO_BUSY = (408, 425, 429, 500, 502, 503, 504)
_HASHES = {"sha256": "SHA-256", "md5": "MD5"}


def download(url: str, path: Path, *, sha256: str | None = None, md5: str | None = None) -> None:
    """Download a file to `path`, where it appears whole or not at all.

    What an interrupted download left in `NAME.partial` is continued.

    Raises:
        InputError: `url` is no address, the server refuses it, or the file has another hash.
        FailedError: every attempt failed.
    """
    import requests  # takes a while
    from urllib3 import Retry
    from urllib3.exceptions import HTTPError

    retry = Retry(ATTEMPTS - 1, backoff_factor=PAUSE, status_forcelist=_TOO_BUSY)
    partial = path.with_name(f"{path.name}.partial")
    try:
        with requests.Session() as session, open_to_write(partial, "ab") as file:
            for scheme in ("http://", "https://"):
                session.mount(scheme, requests.adapters.HTTPAdapter(max_retries=retry))
            _receive(session, url, file, {"sha256": sha256, "md5": md5})
        partial.replace(path)
    except requests.HTTPError as error:
        message = f"the server answers {error.response.status_code} {error.response.reason}"
        raise InputError(message, path=url) from None
    except (requests.RequestException, HTTPError) as error:
        if isinstance(error, ValueError):
            raise InputError(f"expected an address: {error}", path=url) from None
        reason = getattr(error.args[0], "reason", None) or error
        raise FailedError(f"{url}: {reason} (the last of {ATTEMPTS} attempts)") from None
    finally:
        if partial.exists() and partial.stat().st_size == 0:
            partial.unlink()


def _receive(session: Any, url: str, file: IO[bytes], hashes: dict[str, str | None]) -> None:
    """Fill `file`; a connection that breaks in the content is tried again."""
    from urllib3.exceptions import HTTPError

    for left in reversed(range(ATTEMPTS)):
        start = file.seek(0, 2)
        try:
            _append_rest(session, url, file, start)
        except HTTPError:
            if not left:
                raise
            continue
        fault = _fault(Path(file.name), hashes)
        if fault is None:
            return
        file.truncate(0)
        if not start or not left:  # else it may have been put together from two files
            raise InputError(fault, path=url)


def _append_rest(session: Any, url: str, file: IO[bytes], start: int) -> None:
    headers = {"Accept-Encoding": "identity", **({"Range": f"bytes={start}-"} if start else {})}
    with session.get(url, headers=headers, stream=True, timeout=TIMEOUT) as response:
        if start and response.status_code == 416:
            return  # all of it is there
        response.raise_for_status()
        if response.status_code != 206:
            file.truncate(0)
        blocks = response.raw.stream(1 << 20, decode_content=False)
        name, size = Path(file.name).stem, response.raw.length_remaining
        for block in progress(blocks, f"download {name}", total=size, unit="bytes", size=len):
            file.write(block)
    file.flush()


def _fault(path: Path, hashes: dict[str, str | None]) -> str | None:
    """In what a file is not the one with these hashes."""
    for name, expected in hashes.items():
        with path.open("rb") as file:
            if expected and (found := hashlib.file_digest(file, name).hexdigest()) != expected:
                return f"expected the file with {_HASHES[name]} {expected}, this one has {found}"
    return None
