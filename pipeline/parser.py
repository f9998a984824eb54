"""Stage `parser`: a stanza tagger and constituency parser, trained here, fetched, or not needed."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from mgsa.command import run
from mgsa.errors import InputError
from mgsa.files import NO_ROOM, read_json
from pipeline.bracketing import BracketScore, score
from pipeline.parser_folder import write_parser_folder
from pipeline.stage import argument_parser, read_settings, replacing_outputs
from pipeline.stanza_parser import ConstituencyParser
from pipeline.stanza_training import TrainingSettings, train_parser
from pipeline.treebank import read_gold_trees, spelled_words
from pipeline.trees import Tree, read_tree

PACKAGE = "treebank"
"""The name of the models that are trained here."""


@dataclass(frozen=True)
class TrainedParser:
    """Train on a treebank: the files named, or those that came with the corpus (`null`)."""

    kind: Literal["train"]
    train: str | None
    dev: str | None
    training: TrainingSettings


@dataclass(frozen=True)
class StanzaParser:
    """A package of stanza's: downloaded, or found in a local resources folder.

    `dev` is a treebank to score it on, `null` for no score.
    """

    kind: Literal["stanza"]
    package: str
    resources: str | None
    dev: str | None


@dataclass(frozen=True)
class ReadyTrees:
    """No parser: the corpus brings a tree for every sentence."""

    kind: Literal["trees"]


KINDS: Mapping[str, type[TrainedParser | StanzaParser | ReadyTrees]] = {
    "train": TrainedParser,
    "stanza": StanzaParser,
    "trees": ReadyTrees,
}


def make_parser(
    settings: TrainedParser | StanzaParser | ReadyTrees, corpus: Path, folder: Path
) -> dict[str, float]:
    """Fill `folder` with a parser; give its scores on held-out trees, if there are any.

    Raises:
        InputError: a treebank is missing or malformed, or a package is not to be had.
    """
    language = _language(corpus)
    match settings:
        case ReadyTrees():
            write_parser_folder(folder, kind="trees", language=language, package=None)
            return {}
        case TrainedParser():
            train_path = _treebank(corpus, settings.train, "train")
            dev_path = _treebank(corpus, settings.dev, "dev")
            train, dev = read_gold_trees(train_path), read_gold_trees(dev_path)
            train_parser(
                train,
                dev,
                folder,
                language=language,
                package=PACKAGE,
                settings=settings.training,
            )
            write_parser_folder(folder, kind="stanza", language=language, package=PACKAGE)
            return evaluate(folder, dev)
        case StanzaParser():
            dev = [] if settings.dev is None else read_gold_trees(Path(settings.dev))
            _fetch(settings, language, folder)
            write_parser_folder(folder, kind="stanza", language=language, package=settings.package)
            return evaluate(folder, dev) if dev else {}


def evaluate(folder: Path, gold: Sequence[Tree]) -> dict[str, float]:
    """Labelled precision, recall and F1 of brackets, and tagging accuracy, in per cent."""
    parser = ConstituencyParser.load(folder)
    predicted = parser.parse([spelled_words(tree) for tree in gold])
    found: BracketScore = score(gold, [read_tree(tree) for tree in predicted])
    return {
        "dev_trees": len(gold),
        "labelled_precision": round(100 * found.precision, 2),
        "labelled_recall": round(100 * found.recall, 2),
        "labelled_f1": round(100 * found.f1, 2),
        "tagging_accuracy": round(100 * found.tagging_accuracy, 2),
    }


def _language(corpus: Path) -> str:
    path = corpus / "corpus.json"
    content = read_json(path)
    language = content.get("source_language") if isinstance(content, dict) else None
    if not isinstance(language, str):
        raise InputError("expected the key source_language with a code", path=path)
    return language


def _treebank(corpus: Path, named: str | None, part: str) -> Path:
    path = corpus / "treebank" / f"{part}.mrg" if named is None else Path(named)
    if not path.is_file():
        hint = f"; parser.{part} names another, parser=stanza needs none" if named is None else ""
        raise InputError(f"no such file: a parser is trained on a treebank{hint}", path=path)
    return path


def _fetch(settings: StanzaParser, language: str, folder: Path) -> None:
    """Copy a package from a local resources folder, or download it, in stanza's own layout."""
    if settings.resources is not None:
        _copy_package(Path(settings.resources), language, settings.package, folder)
        return
    import requests
    import stanza

    try:
        stanza.download(
            language,
            model_dir=str(folder),
            package=settings.package,
            processors="tokenize,pos,constituency",
            verbose=False,
        )
    except (requests.RequestException, OSError, ValueError, KeyError) as error:
        if isinstance(error, OSError) and error.errno in NO_ROOM:
            raise
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise InputError(
            f"parser.package: stanza could not download {settings.package} ({language}): {reason}"
        ) from None


def _copy_package(resources: Path, language: str, package: str, folder: Path) -> None:
    """Take the files of one package, and the index, so that nothing else travels along."""
    import shutil

    index = read_json(resources / "resources.json")
    models = index.get(language, {}).get("packages", {}).get(package)
    if not isinstance(models, dict):
        known = sorted(index.get(language, {}).get("packages", {}))
        raise InputError(
            f"no package {package} for {language}; expected one of {', '.join(known) or 'none'}",
            path=resources / "resources.json",
        )
    for processor in ("pos", "constituency"):
        if processor not in models:
            raise InputError(f"package {package} has no {processor} model", path=resources)
    names = {(processor, models[processor]) for processor in ("pos", "constituency")}
    for processor, name in sorted(names):
        needed = index[language][processor][name].get("dependencies", [])
        names |= {(need["model"], need["package"]) for need in needed}
    shutil.copyfile(resources / "resources.json", folder / "resources.json")
    for processor, name in sorted(names):
        source = resources / language / processor / f"{name}.pt"
        if not source.is_file():
            raise InputError(f"no such file: package {package} needs it", path=source)
        target = folder / language / processor / source.name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, target)


def main(argv: Sequence[str] | None = None) -> None:
    """Train or fetch a parser, and score it."""
    parser = argument_parser("parser", "Train or fetch a constituency parser for the source side.")
    parser.add_argument("--corpus", type=Path, required=True, metavar="DIR")
    parser.add_argument("--out", type=Path, required=True, metavar="DIR", help="the parser")
    parser.add_argument("--report", type=Path, required=True, metavar="FILE", help="scores (JSON)")
    arguments = parser.parse_args(argv)
    settings = read_settings(arguments, "parser", KINDS)
    with replacing_outputs(arguments.out, arguments.report, mark="parser.json") as (folder, report):
        report.update(make_parser(settings, arguments.corpus, folder))


if __name__ == "__main__":
    sys.exit(run(main))
