"""A package of stanza's models, downloaded from where stanza would."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from mgsa.base.errors import InputError
from mgsa.base.io import read_json
from pipeline.download import download
from pipeline.parsing.stanza_package import INDEX, needed_models


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
        FailedError: it is not to be had now: there is no network, or the server fails.
    """
    download(server.index, folder / INDEX)
    index = read_json(folder / INDEX)
    language, models = needed_models(index, language, package, where="parser.package")
    try:
        url = index["url"] if server.models == "default" else server.models
        sums = {model: index[language][model[0]][model[1]]["md5"] for model in sorted(models)}
        url = url.replace("{resources_version}", server.version).replace("{lang}", language)
    except (AttributeError, KeyError, TypeError) as error:
        reason = f"{type(error).__name__}: {error}"
        raise InputError(f"expected stanza's index ({reason})", path=server.index) from None
    for (processor, name), md5 in sums.items():
        target = folder / language / processor / f"{name}.pt"
        target.parent.mkdir(parents=True, exist_ok=True)
        address = url.replace("{filename}", f"{processor}/{name}.pt")
        download(address, target, md5=md5)
