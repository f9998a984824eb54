"""Translate raw text from stdin, line by line; or, as a stage, a split of a dataset.

Text is tokenised, parsed, cut into phrases and split into subwords as the model's training data
was, and what comes out is put together again. The rows of a dataset have all that behind them.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from itertools import takewhile
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
    from mgsa.decoding.translate import Translator
    from pipeline.dataset.preprocessor import Preprocessor

READ_BYTES = 1 << 18
"""At most so much text is taken at once; of what a terminal or a pipe holds ready, all of it."""

STDIN = "stdin"
WRITTEN = ("hypotheses", "references", "scores")
ParserFolder = Annotated[
    Path,
    Input(
        "the parser of the model's training data, for models that attend to syntactic phrases "
        "(default: data/parser)"
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
    translator: Translator,
    preprocessor: Preprocessor,
    settings: TranslateConfig,
    source: BinaryIO,
    target: BinaryIO,
) -> None:
    """Translate the lines of `source` to `target` chunk by chunk; empty lines stay empty.

    Raises:
        InputError: as `read_chunks`, or a line is too long; lines before it are translated first.
    """
    from mgsa.data.schema import LONGEST
    from pipeline.dataset.preprocessor import check_length

    number = 0
    for texts in read_chunks(source):
        rows = preprocessor.rows(texts)
        fitting = list(takewhile(lambda row: len(row.source) <= LONGEST, rows))
        translations = translator.translate_rows(fitting, settings)
        lines = [
            f"{preprocessor.detokenize(translation.subwords)}\n" for translation in translations
        ]
        target.write("".join(lines).encode("utf-8"))
        target.flush()
        number += len(fitting)
        for row in rows[len(fitting) :]:
            check_length(len(row.source), path=STDIN, line=number + 1)


def translate_with_model(
    translate: TranslateConfig = STANDARD_SEARCH,
    *,
    model: Annotated[
        list[Path],
        Input("model artifact; several translate together, by the mean of their probabilities"),
    ],
    parser: ParserFolder = Path("data/parser"),
    dataset: Annotated[Path | None, Input("dataset artifact")] = None,
    split: Annotated[str | None, Option("of the dataset", metavar="NAME")] = None,
    out: Annotated[
        Path | None,
        OutputFolder(
            "for NAME.hypotheses, NAME.references and NAME.scores",
            *(f"{{split}}.{name}" for name in WRITTEN),
        ),
    ] = None,
    phrases: GivenPhrases = "parsed",
    accelerator: Annotated[Accelerator, Option("(default: auto)")] = "auto",
) -> None:
    """Translate raw text from stdin to stdout, a line a sentence.

    Given --dataset, --split and --out, translate a split of a dataset. Without params.yaml: beam 5,
    length penalty 0.6.
    """
    if len({option is None for option in (dataset, split, out)}) > 1:
        raise InputError("--dataset, --split and --out come together")
    if dataset is None:
        if phrases != "parsed":
            raise InputError(f"--phrases {phrases}: expected --dataset, whose phrases it redraws")
        text, translations = sys.stdin.buffer, sys.stdout.buffer

    from mgsa.data.dataset import open_dataset
    from mgsa.decoding.translate import Translator
    from pipeline.dataset.preprocessor import Preprocessor

    translator = Translator.load(model, accelerator=accelerator)
    preprocessor = Preprocessor.load(
        model[0],
        parser=parser if dataset is None and translator.levels else None,
        gpu=translator.device.type == "cuda",
    )
    if not (dataset and split and out):
        translate_text(translator, preprocessor, translate, text, translations)
        return
    opened = open_dataset(dataset)
    translator.check_dataset(opened)
    num_rows = opened.num_rows(split)
    references = opened.texts(split, "target_text")
    with (
        progress_bar(f"translate {split}", total=num_rows, unit="sentences") as advance,
        atomic_folder(out) as folder,
        files_to_write(folder, [f"{split}.{name}" for name in WRITTEN]) as files,
    ):
        rows = read_rows(opened, split, phrases)
        found = translator.translate_rows(rows, translate, advance=advance)
        hypothesis_file, reference_file, score_file = files.values()
        for translation, reference in zip(found, references, strict=True):
            hypothesis_file.write(f"{preprocessor.detokenize(translation.subwords)}\n")
            reference_file.write(f"{reference}\n")
            score_file.write(f"{translation.score:.6f}\n")


main = stage(translate_with_model)

if __name__ == "__main__":
    sys.exit(run(main))
