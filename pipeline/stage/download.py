"""Download files: resumed on a broken connection, written atomically, checked, unpacked."""

import hashlib
import shutil
import tarfile
from pathlib import Path
from typing import IO, Any

from mgsa.cli.errors import FailedError, InputError
from mgsa.cli.files import atomic_file
from mgsa.cli.outputs import sha256
from mgsa.cli.progress import progress

ATTEMPTS = 5
TIMEOUT = 30.0
"""Seconds without a byte after which an attempt has failed."""
PAUSE = 1.0
"""Seconds before the third attempt, doubled for each further one (urllib3's `backoff_factor`)."""

_TOO_BUSY = (408, 425, 429, 500, 502, 503, 504)


def download(url: str, path: Path, *, md5: str | None = None) -> None:
    """Download a file to `path`, atomically.

    Raises:
        InputError: `url` is invalid, the server refuses it, or the MD5 differs.
        FailedError: every attempt failed.
    """
    import requests  # takes a while
    from urllib3 import Retry
    from urllib3.exceptions import HTTPError

    retry = Retry(ATTEMPTS - 1, backoff_factor=PAUSE, status_forcelist=_TOO_BUSY)
    try:
        with requests.Session() as session, atomic_file(path, "wb") as file:
            for scheme in ("http://", "https://"):
                session.mount(scheme, requests.adapters.HTTPAdapter(max_retries=retry))
            for left in reversed(range(ATTEMPTS)):
                try:
                    _append_rest(session, url, file, path.name)
                    break
                except HTTPError:  # the connection broke in the content
                    if not left:
                        raise
            with Path(file.name).open("rb") as whole:
                actual = hashlib.file_digest(whole, "md5").hexdigest()
            if md5 not in (None, actual):
                message = f"expected the file with MD5 {md5}, this one has {actual}"
                raise InputError(message, path=url)
    except requests.HTTPError as error:
        message = f"the server answers {error.response.status_code} {error.response.reason}"
        raise InputError(message, path=url) from None
    except (requests.RequestException, HTTPError) as error:
        if isinstance(error, ValueError):
            raise InputError(f"expected an address: {error}", path=url) from None
        reason = getattr(error.args[0], "reason", None) or error
        raise FailedError(f"{url}: {reason} (the last of {ATTEMPTS} attempts)") from None


def _append_rest(session: Any, url: str, file: IO[bytes], name: str) -> None:
    start = file.seek(0, 2)
    headers = {"Accept-Encoding": "identity", **({"Range": f"bytes={start}-"} if start else {})}
    with session.get(url, headers=headers, stream=True, timeout=TIMEOUT) as response:
        response.raise_for_status()
        if response.status_code != 206:
            file.truncate(file.seek(0))
        blocks = response.raw.stream(1 << 20, decode_content=False)
        size = response.raw.length_remaining
        for block in progress(blocks, f"download {name}", total=size, unit="bytes", size=len):
            file.write(block)
    file.flush()


def check_hash(path: Path, expected: str | None, *, url: str) -> None:
    """Raise an `InputError` if `path`, a copy of `url`, lacks the SHA-256, or none is expected."""
    if not path.is_file():
        raise InputError(f"no such file; expected what {url} gives", path=path)
    actual = sha256(path)
    if expected is None:
        advice = f"compare it with the publisher's, set it for {url} and run again"
    elif actual != expected:
        advice = f"expected {expected}; remove the file, and take what {url} gives"
    else:
        return
    raise InputError(f"its SHA-256 is {actual}: {advice}", path=path)


def unpack(archive: Path, wanted: set[str], folder: Path) -> None:
    """Unpack the `wanted` members of a tar archive.

    An `InputError` is raised for a damaged archive, and for one that lacks a member.
    """
    try:
        with tarfile.open(archive) as tar:
            for member in tar:
                name = member.name.removeprefix("./")
                if name in wanted and (content := tar.extractfile(member)):
                    if not (folder / name).resolve().is_relative_to(folder.resolve()):
                        raise InputError(f"damaged archive: {name} lies outside", path=archive)
                    (folder / name).parent.mkdir(parents=True, exist_ok=True)
                    with content, (folder / name).open("wb") as file:
                        shutil.copyfileobj(content, file)
                    wanted.remove(name)
                if not wanted:
                    return
    except tarfile.TarError as error:
        raise InputError(f"damaged archive: {error}", path=archive) from None
    raise InputError(f"no member {min(wanted)}", path=archive)
