"""Stage `parser`: a parser of stanza's, trained here, fetched, or not needed."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from mgsa.cli.command import Input, OutputFolder, Report
from mgsa.cli.errors import InputError
from mgsa.cli.run import run
from pipeline.constituency.bracketing import score
from pipeline.constituency.parser_folder import (
    FILE,
    INDEX,
    copy_package,
    download_package,
    write_parser_folder,
)
from pipeline.constituency.stanza_parser import ConstituencyParser, Unparsed, parse_each
from pipeline.constituency.treebank import read_gold_trees, spelled_words
from pipeline.formats.text import read_languages
from pipeline.formats.trees import flat_tree, read_tree
from pipeline.parser.settings import ParserSettings, StanzaParser, TrainedParser
from pipeline.parser.stanza_training import PACKAGE, train_parser
from pipeline.stage.command import stage, stage_outputs

if TYPE_CHECKING:
    from nltk.tree import Tree


def make_parser(settings: ParserSettings, corpus: Path, folder: Path) -> dict[str, float]:
    """Fill `folder` with a parser; return its scores on held-out trees, if any."""
    language = read_languages(corpus)["source"]
    match settings:
        case TrainedParser():
            package = PACKAGE
            train, dev = (
                read_gold_trees(_treebank(corpus, named, part))
                for part, named in (("train", settings.train), ("dev", settings.dev))
            )
            train_parser(train, dev, folder, language=language, settings=settings.training)
        case StanzaParser(package=package):
            dev = [] if settings.dev is None else read_gold_trees(Path(settings.dev))
            if settings.resources is None:
                download_package(language, package, folder)
            else:
                copy_package(Path(settings.resources), language, package, folder)
        case _:
            write_parser_folder(folder, kind=settings.kind, language=language, package=None)
            return {}
    write_parser_folder(folder, kind="stanza", language=language, package=package)
    # Loaded here in any case: better than to hear in the next stage that it can't be.
    try:
        parser = ConstituencyParser.load(folder)
    except InputError as error:
        reason = str(error).removeprefix(f"{folder}: ").replace(f"{folder}/", "")
        raise InputError(f"parser: {reason}") from error
    return evaluate(parser, dev) if dev else {}


def evaluate(parser: ConstituencyParser, gold: Sequence[Tree]) -> dict[str, float]:
    """Labelled bracket precision, recall, F1 and tagging accuracy in per cent.

    A sentence that the parser rejects is scored by a flat tree.
    """
    sentences = [spelled_words(tree) for tree in gold]
    predicted = [
        flat_tree(words) if isinstance(tree, Unparsed) else read_tree(tree)
        for words, tree in zip(sentences, parse_each(parser, sentences), strict=True)
    ]
    scores = score(gold, predicted)
    return {"dev_trees": len(gold), **{n: round(100 * share, 2) for n, share in scores.items()}}


def _treebank(corpus: Path, named: str | None, part: str) -> Path:
    if named is not None:
        return Path(named)
    path = corpus / "treebank" / f"{part}.mrg"
    if not path.is_file() or path.stat().st_size == 0:
        raise InputError(
            "the corpus brought no trees to train a parser on; "
            f"parser.{part} names others, parser=stanza needs none",
            path=path,
        )
    return path


def train_or_fetch(
    parser: ParserSettings,
    *,
    corpus: Annotated[Path, Input("raw text, and its treebank if it has any")],
    out: Annotated[Path, OutputFolder("the parser", FILE, INDEX, "*/*/*.pt")],
    report: Annotated[Path | None, Report("scores (JSON)")] = None,
) -> None:
    """Train or fetch a constituency parser for the source side."""
    with stage_outputs(out, report) as (folder, metrics):
        metrics.update(make_parser(parser, corpus, folder))


main = stage(train_or_fetch)

if __name__ == "__main__":
    sys.exit(run(main))
