"""The folder that the stage `parser` writes: stanza models, their index, and `parser.json`.

A parser's identity is the digest of its kind, language, package and model files.
"""

import hashlib
import json
import shutil
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

from mgsa.cli.errors import InputError
from mgsa.cli.files import read_json, write_json
from mgsa.cli.outputs import MANIFEST, describe_files, sha256
from mgsa.cli.settings import Language, from_excerpt
from pipeline.formats.trees import PARSER
from pipeline.stage.download import download

INDEX = "resources.json"
"""stanza's list of its models: by language, processor and package."""
PROCESSORS = ("pos", "constituency")
"""Processors of a package that parsing takes: sentences come tokenised."""

Kind = Literal["stanza", "trees", "none"]


@dataclass(frozen=True)
class ParserFolder:
    """The content of `parser.json`."""

    kind: Kind  #: `stanza`; without models `trees` (of the corpus) or `none`.
    language: Language
    package: str | None  #: stanza's name of the models, if any.
    files: dict[str, str]  #: SHA-256 by relative path.

    @property
    def identity(self) -> str:
        """Digest of all fields."""
        return hashlib.sha256(json.dumps(asdict(self), sort_keys=True).encode()).hexdigest()


def write_parser_folder(folder: Path, *, kind: Kind, language: str, package: str | None) -> None:
    """Write `parser.json` for the files in `folder`."""
    described = describe_files(folder)  # all but what says so
    for name in (PARSER, MANIFEST):
        described.pop(name, None)
    files = {name: file["sha256"] for name, file in described.items()}
    parser = ParserFolder(kind, language, package, files)
    write_json(folder / PARSER, {**asdict(parser), "identity": parser.identity})


def read_parser_folder(folder: Path) -> ParserFolder:
    """Read `parser.json` and verify the SHA-256 of every file.

    Raises:
        InputError: no parser's folder, or a file is missing or altered.
    """
    path = folder / PARSER
    content = read_json(path)
    parser = from_excerpt(ParserFolder, content, f"{path}: parser")
    if content.get("identity") != parser.identity:
        raise InputError("the identity does not fit the rest of the file", path=path)
    for name, recorded in parser.files.items():
        if not (folder / name).is_file():
            raise InputError(f"no such file, but {PARSER} records it", path=folder / name)
        if sha256(folder / name) != recorded:
            raise InputError(
                f"its SHA-256 is not the one that {PARSER} records", path=folder / name
            )
    return parser


def package_files(resources: Path, language: str, package: str) -> list[str]:
    """The files of one package and its index in a folder of stanza's, or all of a stage `parser`'s.

    Raises:
        InputError: it has no such package, lacks a file, or one was altered.
    """
    index = resources / INDEX
    if (resources / PARSER).is_file():
        made = read_parser_folder(resources)
        if (made.language, made.package) != (language, package):
            has = f"expected {package} of {language}, found {made.package} of {made.language}"
            raise InputError(has, path=resources / PARSER)
        needed = [*made.files]
    else:
        needed = [INDEX, *needed_models(read_json(index), language, package, where=str(index))]
    for file in needed:
        if not (resources / file).is_file():
            raise InputError(f"no such file: package {package} needs it", path=resources / file)
    return needed


def copy_package(resources: Path, language: str, package: str, folder: Path) -> None:
    """Copy `package_files`, with its errors."""
    for file in package_files(resources, language, package):
        (folder / file).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(resources / file, folder / file)


def download_package(language: str, package: str, folder: Path) -> None:
    """Download a package and its index for the installed stanza version.

    stanza's own download has neither timeout nor retries.
    """
    from stanza.resources import common  # addresses, which environment variables may change

    version = common.DEFAULT_RESOURCES_VERSION
    download(f"{common.DEFAULT_RESOURCES_URL}/resources_{version}.json", folder / INDEX)
    index = read_json(folder / INDEX)
    for file, md5 in needed_models(index, language, package, where="parser.package").items():
        language, _, name = file.partition("/")
        address = common.expand_model_url(index, common.DEFAULT_MODEL_URL)
        url = address.format(resources_version=version, lang=language, filename=name)
        download(url, folder / file, md5=md5)


def needed_models(index: Any, language: str, package: str, *, where: str) -> dict[str, str]:
    """MD5 by path of the files of a package that parsing needs.

    Raises:
        InputError: stanza's `index` is malformed or lacks the package or a part of it.
    """
    try:
        language = index.get(language, {}).get("alias", language)
        entry = index.get(language, {})
        packages = entry.get("packages", {})
        if package not in packages:
            known = ", ".join(sorted(packages)) or "none"
            message = f"{where}: no package {package} for {language}; expected one of {known}"
            raise InputError(message)
        models = packages[package].get("optional", {}) | packages[package]
        needed = {(processor, models[processor]) for processor in PROCESSORS}
        for processor, name in sorted(needed):
            dependencies = entry[processor][name].get("dependencies", [])
            needed |= {(model["model"], model["package"]) for model in dependencies}
        return {
            f"{language}/{processor}/{name}.pt": entry[processor][name]["md5"]
            for processor, name in sorted(needed)
        }
    except (AttributeError, KeyError, TypeError) as error:
        reason = f"{type(error).__name__}: {error}"
        raise InputError(
            f"{where}: expected stanza's index, with tagger and parser of {package} ({reason})"
        ) from None
