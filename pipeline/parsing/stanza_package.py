"""A package of stanza's models: what belongs to it, and how it is taken from a local folder."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

from mgsa.base.errors import InputError
from mgsa.base.io import read_json
from pipeline.parsing.parser_folder import NAME, ParserFolder

INDEX = "resources.json"
"""stanza's list of its models: by language, processor and package."""
PROCESSORS = ("pos", "constituency")
"""What parsing takes of a package: sentences come tokenised."""


def copy_package(resources: Path, language: str, package: str, folder: Path) -> None:
    """Take the files of one package, and the index, so that nothing else travels along.

    Raises:
        InputError: the local folder has no such package, or not all of it.
    """
    index = resources / INDEX
    language, models = needed_models(read_json(index), language, package, where=str(index))
    shutil.copyfile(index, folder / INDEX)
    for processor, name in sorted(models):
        source = resources / language / processor / f"{name}.pt"
        if not source.is_file():
            raise InputError(f"no such file: package {package} needs it", path=source)
        target = folder / language / processor / source.name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, target)


def check_recorded(folder: Path, parser: ParserFolder) -> None:
    """Check that stanza would load no file of a parser folder but those whose hash is recorded.

    Raises:
        InputError: the index of the folder names another one, or is malformed.
    """
    index = folder / INDEX
    assert parser.package is not None
    language, models = needed_models(
        read_json(index), parser.language, parser.package, where=str(index)
    )
    for processor, name in sorted(models):
        file = f"{language}/{processor}/{name}.pt"
        if file not in parser.files:
            raise InputError(f"expected a recorded file, the index names {file}", path=index)


def needed_models(
    index: Any, language: str, package: str, *, where: str
) -> tuple[str, set[tuple[str, str]]]:
    """The folder of the language, and the processor and name of each model that parsing takes.

    Args:
        index: stanza's, from wherever it is.
        where: what errors name.

    Raises:
        InputError: it has no such package, not all of it, or is malformed.
    """
    try:
        language = index.get(language, {}).get("alias", language)
        entry = index.get(language, {})
        packages = entry.get("packages", {})
        if package not in packages:
            known = ", ".join(sorted(packages)) or "none"
            raise InputError(
                f"{where}: no package {package} for {language}; expected one of {known}"
            )
        models = packages[package].get("optional", {}) | packages[package]
        for processor in PROCESSORS:
            if processor not in models:
                raise InputError(f"{where}: package {package} has no {processor} model")
        found = {(processor, models[processor]) for processor in PROCESSORS}
        for processor, name in sorted(found):
            dependencies = entry[processor][name].get("dependencies", [])
            found |= {(needed["model"], needed["package"]) for needed in dependencies}
        for name in (language, *(part for model in found for part in model)):
            if not NAME.fullmatch(name):  # stanza puts paths together from them
                raise InputError(f"{where}: expected names of files, got {name!r}")
    except (AttributeError, KeyError, TypeError) as error:
        reason = f"{type(error).__name__}: {error}"
        raise InputError(f"{where}: expected stanza's index of models ({reason})") from None
    return language, found
