"""`mgsa translate`: model artifacts and a split of a dataset in, tokenised translations out."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from mgsa.alignment.pharaoh import format_links
from mgsa.base.cli import STANDARD_OUTPUT, opened
from mgsa.base.errors import InputError
from mgsa.base.io import atomic_file, read_lines
from mgsa.base.settings import from_mapping, to_mapping
from mgsa.config import TranslateConfig
from mgsa.decoding.settings import SECTION, read_translate_config

if TYPE_CHECKING:
    from mgsa.data.vocabulary import Vocabulary
    from mgsa.decoding.translation import Translation

_DESCRIPTION = """\
Translate a split of a dataset artifact: one line a row, in the order of the rows, in tokens (raw
text goes through `python -m pipeline.translate`). With --n-best a row has several lines,
`ROW ||| TOKENS ||| SCORE`, rows counted from 0, best first. Scores are log probabilities over the
length penalty. With --alignments ` ||| LINKS` is put after each: `SOURCE-TARGET` between words
counted from 0, as `mgsa align` finds them for the source and the translation."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `mgsa translate`."""
    parser.description = _DESCRIPTION
    parser.add_argument(
        "--model",
        type=Path,
        required=True,
        action="append",
        metavar="DIR",
        help="model artifact; several translate together, by the mean of their probabilities",
    )
    parser.add_argument(
        "--dataset", type=Path, required=True, metavar="DIR", help="dataset artifact"
    )
    parser.add_argument("--split", required=True, metavar="NAME", help="such as test")
    parser.add_argument(
        "--out", default=STANDARD_OUTPUT, metavar="FILE", help="- is stdout (default: -)"
    )
    parser.add_argument("--beam", type=int, metavar="N", help="1 is greedy search")
    parser.add_argument(
        "--length-penalty", type=float, metavar="ALPHA", help="of Wu et al. 2016; 0: none"
    )
    parser.add_argument("--n-best", type=int, metavar="N", help="translations of each row")
    parser.add_argument(
        "--scores", action="store_true", help="put the score and a tab before each translation"
    )
    parser.add_argument(
        "--alignments", action="store_true", help="put the links between words after each line"
    )
    parser.add_argument(
        "--prefix",
        type=Path,
        metavar="FILE",
        help="how translations must begin: a line a row, subwords separated by spaces, or empty",
    )
    parser.add_argument(
        "--weights",
        type=Path,
        metavar="FILE",
        help="write the cross-attention of the best translations: an .npz file of arrays "
        "ROW/layer_N.words, (heads, target subwords, source subwords), end of sentence included",
    )
    parser.add_argument(
        "--config",
        type=Path,
        metavar="FILE",
        help="YAML with the section `translate`; without it: beam 5, length penalty 0.6",
    )
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="put another value (YAML) for a key of the section; may be repeated",
    )
    parser.add_argument(
        "--accelerator", choices=["cpu", "gpu", "auto"], default="auto", help="(default: auto)"
    )


def translate(arguments: argparse.Namespace) -> None:
    """Run `mgsa translate`."""
    config = _config(arguments)
    n_best = _n_best(arguments, config)
    for name in ("weights", "alignments"):
        if getattr(arguments, name) and len(arguments.model) > 1:
            raise InputError(f"--{name}: expected one --model, got several")

    from mgsa.data.artifact import open_dataset
    from mgsa.decoding.translator import Translator

    dataset = open_dataset(arguments.dataset)
    num_rows = dataset.num_rows(arguments.split)
    prefixes = None
    if arguments.prefix is not None:
        prefixes = read_prefixes(arguments.prefix, num_rows, dataset.vocabularies[1])
    translator = Translator.load(arguments.model, accelerator=arguments.accelerator)
    translations = translator.translate_split(
        dataset,
        arguments.split,
        config,
        n_best=n_best,
        prefixes=prefixes,
        need_weights=arguments.weights is not None,
    )
    if arguments.alignments:
        from mgsa.alignment.aligner import Aligner
        from mgsa.alignment.translations import aligned

        aligner = Aligner(translator.artifacts[0], translator.device, layer=None)
        translations = aligned(
            translations,
            dataset.read(arguments.split),
            aligner,
            batch_tokens=config.batch_tokens,
        )
    with ExitStack() as files:
        out = files.enter_context(opened(arguments.out))
        weights_file = None
        if arguments.weights is not None:
            from mgsa.arrays_file import ArraysFile

            file = files.enter_context(atomic_file(arguments.weights, "wb"))
            weights_file = files.enter_context(ArraysFile(file))
        for row, translation in enumerate(translations):
            several = row if arguments.n_best is not None else None
            out.writelines(lines_of(translation, row=several, scores=arguments.scores))
            if weights_file is not None:
                weights_file.write(row, translation.weights)
        out.flush()  # before the weights are put in place: both files are new, or none


def lines_of(translation: Translation, *, row: int | None, scores: bool) -> Iterator[str]:
    """The lines of a translation: its best candidate, or, given the row's number, all of them."""
    for candidate in translation.n_best if row is not None else translation.n_best[:1]:
        links = "" if candidate.links is None else f" ||| {format_links(candidate.links)}"
        if row is not None:
            yield f"{row} ||| {candidate.text} ||| {candidate.score:.6f}{links}\n"
        else:
            score = f"{candidate.score:.6f}\t" if scores else ""
            yield f"{score}{candidate.text}{links}\n"


def read_prefixes(path: Path, num_rows: int, vocabulary: Vocabulary) -> list[list[str]]:
    """The subwords of every line.

    Raises:
        InputError: there are more or fewer lines than rows, or a subword is not of the vocabulary.
    """
    from mgsa.data.vocabulary import UNK

    prefixes = []
    for number, line in enumerate(read_lines(path), start=1):
        subwords = line.split()
        for subword, index in zip(subwords, vocabulary.encode(subwords), strict=True):
            if index == UNK:
                raise InputError(
                    f"expected subwords of the target vocabulary, got {subword!r}",
                    path=path,
                    line=number,
                )
        prefixes.append(subwords)
    if len(prefixes) != num_rows:
        raise InputError(f"expected {num_rows} lines, one a row, got {len(prefixes)}", path=path)
    return prefixes


def _config(arguments: argparse.Namespace) -> TranslateConfig:
    config = read_translate_config(arguments.config, arguments.set)
    given = {"beam": arguments.beam, "length_penalty": arguments.length_penalty}
    given = {key: value for key, value in given.items() if value is not None}
    return from_mapping(TranslateConfig, to_mapping(config) | given, SECTION)


def _n_best(arguments: argparse.Namespace, config: TranslateConfig) -> int:
    if arguments.n_best is None:
        return 1
    if not 1 <= arguments.n_best <= config.beam:
        raise InputError(f"--n-best: expected 1 to {config.beam} (beam), got {arguments.n_best}")
    return arguments.n_best
