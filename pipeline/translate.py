"""Translate raw text from stdin, line by line; or, as a stage, a split of a dataset.

Text is tokenised, parsed, cut into phrases and split into subwords as the model's training data
was, and what comes out is put together again. The rows of a dataset have all that behind them.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from json import dumps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, BinaryIO

from mgsa.base.cli import progress_bar, run
from mgsa.base.command import Input, Option, OutputFolder
from mgsa.base.errors import InputError
from mgsa.base.io import atomic_folder, not_utf_8
from mgsa.base.settings import Accelerator
from mgsa.config import STANDARD_SEARCH, TranslateConfig
from mgsa.data.controls import read_rows
from mgsa.decoding.commands import GivenPhrases
from pipeline.base.stage import stage
from pipeline.base.text import files_to_write

if TYPE_CHECKING:
    from pipeline.text_translator import TextTranslation

READ_BYTES = 1 << 18
"""At most so much text is taken at once; of what a terminal or a pipe holds ready, all of it."""

STDIN = "stdin"
WRITTEN = ("hypotheses", "sources", "references", "scores")
ParserFolder = Annotated[
    Path | None,
    Input(
        "the parser of the model's training data, for models that attend to syntactic phrases "
        "(default: the one that the model carries, or data/parser)"
    ),
]


def read_chunks(stream: BinaryIO) -> Iterator[list[str]]:
    """Yield the lines that are ready on a stream, decoded as in `pipeline.base.text`.

    Raises:
        InputError: a line is not UTF-8; the lines before it are yielded first.
    """
    number, rest, block = 0, b"", b"\n"
    while block:
        block = stream.read1(READ_BYTES)  # type: ignore[attr-defined]
        *lines, rest = (rest + block).split(b"\n")
        if rest and not block:
            lines.append(rest)
        decoded: list[str] = []
        for line in lines:
            number += 1
            try:
                text = line.removesuffix(b"\r").decode("utf-8")
            except UnicodeDecodeError as error:
                yield decoded
                raise not_utf_8(error, path=STDIN, line=number) from None
            decoded.append(text.removeprefix("\ufeff") if number == 1 else text)
        if decoded:
            yield decoded


def translate_text(
    search: Callable[..., Iterable[TextTranslation]],
    source: BinaryIO,
    target: BinaryIO,
    *,
    as_json: bool = False,
) -> None:
    """Translate the lines of `source` to `target` chunk by chunk; empty lines stay empty.

    `search` is `TextTranslator.search` of lines, `path` and `first_line`. A line of JSON has all
    that a translation has.

    Raises:
        InputError: as `read_chunks` and `search`; lines before it are translated first.
    """
    number = 1
    for texts in read_chunks(source):
        for translation in search(texts, path=STDIN, first_line=number):
            text = translation.text
            line = dumps(translation.to_json(), ensure_ascii=False) if as_json else text
            target.write(f"{line}\n".encode())
        target.flush()
        number += len(texts)


def translate_with_model(
    translate: TranslateConfig = STANDARD_SEARCH,
    *,
    model: Annotated[
        list[Path],
        Input("model artifact; several translate together, by the mean of their probabilities"),
    ],
    parser: ParserFolder = None,
    dataset: Annotated[Path | None, Input("dataset artifact")] = None,
    split: Annotated[str | None, Option("of the dataset", metavar="NAME")] = None,
    out: Annotated[
        Path | None,
        OutputFolder(
            "for NAME.hypotheses, NAME.sources, NAME.references and NAME.scores",
            *(f"{{split}}.{name}" for name in WRITTEN),
        ),
    ] = None,
    phrases: GivenPhrases = "parsed",
    json: Annotated[
        bool, Option("of text: a line of JSON with tokens, phrases, translations, scores")
    ] = False,
    n_best: Annotated[int, Option("with --json: translations of each sentence", "N")] = 1,
    links: Annotated[bool, Option("with --json: of source and target tokens")] = False,
    weights: Annotated[bool, Option("with --json: of cross-attention, in subwords")] = False,
    accelerator: Annotated[Accelerator, Option("(default: auto)")] = "auto",
) -> None:
    """Translate raw text from stdin to stdout, a line a sentence.

    Given --dataset, --split and --out, translate a split of a dataset. Without params.yaml: beam 5,
    length penalty 0.6.
    """
    if (n_best > 1 or links or weights) and not json:
        raise InputError("--n-best, --links and --weights come with --json")
    if (links or weights) and len(model) > 1:
        raise InputError("--links, --weights: expected one --model, got several")
    if not 1 <= n_best <= translate.beam:
        raise InputError(f"--n-best: expected 1 to {translate.beam} (beam), got {n_best}")
    if len({option is None for option in (dataset, split, out)}) > 1:
        raise InputError("--dataset, --split and --out come together")
    if dataset is None:
        if phrases != "parsed":
            raise InputError(f"--phrases {phrases}: expected --dataset, whose phrases it redraws")
        text, translations = sys.stdin.buffer, sys.stdout.buffer
    elif json:
        raise InputError("--json: expected text on stdin, not --dataset")

    from mgsa.data.dataset import open_dataset
    from mgsa.decoding.translate import Translator
    from pipeline.dataset.preprocessor import Preprocessor
    from pipeline.text_translator import TextTranslator

    if not (dataset and split and out):
        search = partial(
            TextTranslator.load(model, parser=parser, accelerator=accelerator).search,
            config=translate,
            n_best=n_best,
            links=links,
            need_weights=weights,
        )
        translate_text(search, text, translations, as_json=json)
        return
    translator = Translator.load(model, accelerator=accelerator)
    preprocessor = Preprocessor.load(model[0], parser=None)
    opened = open_dataset(dataset)
    translator.check_dataset(opened)
    num_rows = opened.num_rows(split)
    texts = zip(opened.texts(split, "source_text"), opened.texts(split, "target_text"), strict=True)
    with (
        progress_bar(f"translate {split}", total=num_rows, unit="sentences") as advance,
        atomic_folder(out) as folder,
        files_to_write(folder, [f"{split}.{name}" for name in WRITTEN]) as files,
    ):
        rows = read_rows(opened, split, phrases)
        found = translator.translate_rows(rows, translate, advance=advance)
        hypothesis_file, source_file, reference_file, score_file = files.values()
        for translation, (sentence, reference) in zip(found, texts, strict=True):
            hypothesis_file.write(f"{preprocessor.detokenize(translation.subwords)}\n")
            source_file.write(f"{sentence}\n")
            reference_file.write(f"{reference}\n")
            score_file.write(f"{translation.score:.6f}\n")


main = stage(translate_with_model)

if __name__ == "__main__":
    sys.exit(run(main))
