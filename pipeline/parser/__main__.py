"""Stage `parser`: a parser of stanza's, trained here, fetched, or not needed."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from mgsa.cli.command import Input, OutputFolder, ParameterFile, Report
from mgsa.cli.errors import InputError
from mgsa.cli.files import open_to_write
from mgsa.cli.languages import base_language
from mgsa.cli.progress import progress_bar
from mgsa.cli.run import run
from mgsa.cli.workers import chunks
from mgsa.run_config import RunConfig
from pipeline.constituency.bracketing import score
from pipeline.constituency.parser_folder import copy_package, download_package, write_parser_folder
from pipeline.constituency.spelling import TextSpelling, parser_words, spelled_words
from pipeline.constituency.stanza_parser import (
    BATCH_SENTENCES,
    ConstituencyParser,
    Unparsed,
    parse_each,
)
from pipeline.constituency.treebank import as_parser_spells, read_gold_trees
from pipeline.formats.text import SPLITS, read_languages, read_sentences
from pipeline.formats.text_settings import TextSettings, text_settings
from pipeline.formats.trees import flat_tree, read_tree
from pipeline.parser.settings import ParserSettings, ReadyTrees, StanzaParser, TrainedParser
from pipeline.parser.stanza_training import PACKAGE, train_parser
from pipeline.stage.command import stage, stage_outputs
from pipeline.tokenizers.side import SideText

POOR_F1 = 75.0
"""Labelled F1 below which many phrases are wrong."""
UNLABELLED_SENTENCES = 100_000
"""The corpus's, from which word vectors are made beside the treebank's."""

if TYPE_CHECKING:
    from nltk.tree import Tree


def make_parser(
    settings: ParserSettings, text: TextSettings, corpus: Path, folder: Path, *, workers: int
) -> dict[str, float]:
    """Fill `folder` with a parser; return its scores on held-out trees, if any.

    `text` says how the corpus is tokenised, in whose words and case a parser is trained, and scored
    beside the treebank's own.
    """
    language = base_language(read_languages(corpus)["source"])
    source = SideText(text, "source", language)
    as_tokenized = TextSpelling(source)
    match settings:
        case TrainedParser():
            package = PACKAGE
            train, dev = (
                read_gold_trees(_treebank(corpus, named, part))
                for part, named in (("train", settings.train), ("dev", settings.dev))
            )
            learnt, chosen_by = (
                [as_parser_spells(as_tokenized(tree), language) for tree in trees]
                for trees in (train, dev)
            )
            lines = islice(read_sentences(corpus / "train.source"), UNLABELLED_SENTENCES)
            train_parser(
                learnt,
                chosen_by,
                [parser_words(source.tokenize(line), language) for line in lines],
                folder,
                language=language,
                settings=settings.training,
                workers=workers,
            )
        case StanzaParser(package=package):
            dev = [] if settings.dev is None else read_gold_trees(Path(settings.dev))
            if settings.resources is None:
                download_package(language, package, folder)
            else:
                copy_package(Path(settings.resources), language, package, folder)
        case _:
            if isinstance(settings, ReadyTrees):
                _copy_trees(settings, folder)
            write_parser_folder(folder, kind=settings.kind, language=language, package=None)
            return {}
    write_parser_folder(folder, kind="stanza", language=language, package=package)
    # Loaded here in any case: better than to hear in the next stage that it can't be.
    try:
        parser = ConstituencyParser.load(folder)
    except InputError as error:
        reason = str(error).removeprefix(f"{folder}: ").replace(f"{folder}/", "")
        raise InputError(f"parser: {reason}") from error
    if not dev:
        return {}
    scores = evaluate(parser, dev)
    f1 = evaluate(parser, [*map(as_tokenized, dev)])["labelled_f1"]
    scores["labelled_f1_as_tokenized"] = f1
    if f1 < POOR_F1:
        trained = f", trained on {len(train):,}" if isinstance(settings, TrainedParser) else ""
        print(
            f"parser: poor, with a labelled F1 of {f1} on {len(dev):,} held-out "
            f"trees{trained}: expected {POOR_F1:g} or more, as many phrases will be wrong. More "
            "trees help (3,509 of the Penn Treebank give 85) of such text as is parsed, more "
            "epochs, or a package of stanza's; docs/howto/data.md names treebanks",
            file=sys.stderr,
        )
    return scores


def evaluate(parser: ConstituencyParser, gold: Sequence[Tree]) -> dict[str, float]:
    """Labelled bracket precision, recall, F1 and tagging accuracy in per cent.

    A sentence that the parser rejects is scored by a flat tree.
    """
    sentences = [spelled_words(tree) for tree in gold]
    predicted = []
    with progress_bar("score parser", total=len(gold), unit="sentences") as advance:
        for batch in chunks(sentences, BATCH_SENTENCES):
            for words, tree in zip(batch, parse_each(parser, batch), strict=True):
                predicted.append(
                    flat_tree(words) if isinstance(tree, Unparsed) else read_tree(tree)
                )
            advance(len(batch))
    scores = score(gold, predicted)
    return {"dev_trees": len(gold), **{n: round(100 * share, 2) for n, share in scores.items()}}


def _copy_trees(settings: ReadyTrees, folder: Path) -> None:
    for split in SPLITS:
        if named := getattr(settings, split):
            with open_to_write(folder / f"{split}.trees") as file:
                file.writelines(f"{tree}\n" for tree in read_sentences(Path(named)))


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
    run: RunConfig,
    *,
    params: Annotated[Path, ParameterFile()],
    corpus: Annotated[
        Path,
        Input(
            "raw text, and its treebank if it has any",
            parts=("corpus.json", "treebank", "train.source"),
        ),
    ],
    out: Annotated[Path, OutputFolder("the parser", "parser")],
    report: Annotated[Path | None, Report("scores (JSON)")] = None,
) -> None:
    """Train or fetch a constituency parser for the source side."""
    with stage_outputs(out, report) as (folder, metrics):
        text = text_settings(params)
        metrics.update(make_parser(parser, text, corpus, folder, workers=run.workers))


main = stage(train_or_fetch)

if __name__ == "__main__":
    sys.exit(run(main))
