"""A package of stanza's models, downloaded from where stanza would."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from mgsa.base.errors import InputError
from mgsa.base.io import read_json
from pipeline.download import RemoteFile, download
from pipeline.parsing.stanza_package import INDEX, needed_models

TIMEOUT = 30.0
"""Seconds without an answer until an attempt fails."""
RETRIES = 3
"""Attempts after the first."""
MAX_MODEL_BYTES = 8 << 30
"""The largest models of stanza's, those with a Transformer, are not a fifth of it."""


@dataclass(frozen=True)
class StanzaServer:
    """Where stanza's models are: their index, and the address of each by what it is of.

    `models` is an address with `{resources_version}`, `{lang}` and `{filename}` in it, or "default"
    for the one that the index names.
    """

    index: str
    models: str
    version: str


def stanza_server() -> StanzaServer:
    """The server of the installed stanza, or another that its environment variables name."""
    from stanza.resources import common

    version = common.DEFAULT_RESOURCES_VERSION
    index = f"{common.DEFAULT_RESOURCES_URL}/resources_{version}.json"
    return StanzaServer(index, common.DEFAULT_MODEL_URL, version)


def download_package(server: StanzaServer, language: str, package: str, folder: Path) -> None:
    """Download the files of one package, and the index, in stanza's own layout.

    stanza's own code would wait for a silent server forever, and try nothing twice.

    Raises:
        InputError: stanza has no such package, or its server sends something else than models
            whose MD5 the index has.
        DownloadError: it is not to be had now: there is no network, or the server fails.
    """
    _save(server.index, folder / INDEX, _no_json, max_bytes=16 << 20)
    index = read_json(folder / INDEX)
    language, models = needed_models(index, language, package, where="parser.package")
    try:
        url = index["url"] if server.models == "default" else server.models
        sums = {model: _sums(index[language][model[0]][model[1]]) for model in sorted(models)}
        url = url.replace("{resources_version}", server.version).replace("{lang}", language)
    except (AttributeError, KeyError, TypeError) as error:
        reason = f"{type(error).__name__}: {error}"
        raise InputError(f"expected stanza's index ({reason})", path=server.index) from None
    for (processor, name), md5 in sums.items():
        target = folder / language / processor / f"{name}.pt"
        target.parent.mkdir(parents=True, exist_ok=True)
        address = url.replace("{filename}", f"{processor}/{name}.pt")
        _save(address, target, partial(_other_file, md5=md5), max_bytes=MAX_MODEL_BYTES)


def _sums(entry: Mapping[str, Any]) -> tuple[Any, ...]:
    """The MD5 of a model, and that of an older one which stanza takes as well."""
    return (entry["md5"], entry.get("alternate_md5"))


def _save(url: str, path: Path, wrong: Callable[[Path], str | None], *, max_bytes: int) -> None:
    try:
        remote = RemoteFile(url, None, max_bytes)
    except ValueError as error:
        raise InputError(f"parser.package: {error}") from None
    download(remote, path, wrong, timeout=TIMEOUT, retries=RETRIES)


def _no_json(path: Path) -> str | None:
    """What is wrong with an index that was cut off: it has no sum to compare."""
    try:
        read_json(path)
    except InputError as error:
        return str(error).removeprefix(str(path)).partition(": ")[2]
    return None


def _other_file(path: Path, *, md5: tuple[Any, ...]) -> str | None:
    """What is wrong with a model that was cut off, or is another one."""
    with path.open("rb") as file:
        found = hashlib.file_digest(file, "md5").hexdigest()
    return None if found in md5 else f"expected the file with MD5 {md5[0]}, this one has {found}"
