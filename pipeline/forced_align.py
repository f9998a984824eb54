"""Word alignments of given pairs of text, as a model sees them; `mgsa align` is for a dataset.

Text is tokenised, parsed and split into subwords as the model's training data was. Links are
between tokens, so these are written too.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from mgsa.base.cli import progress, run
from mgsa.base.command import Input, Option, OutputFolder
from mgsa.base.io import atomic_folder
from mgsa.base.settings import Accelerator
from mgsa.base.word_links import format_links
from mgsa.config import STANDARD_SEARCH
from pipeline.base.stage import SIDES, stage
from pipeline.base.text import files_to_write, read_parallel, split_tokens
from pipeline.base.workers import chunks
from pipeline.translate import ParserFolder

if TYPE_CHECKING:
    from mgsa.data.batch import Row
    from mgsa.decoding.align import Aligner
    from mgsa.decoding.score import Scorer
    from pipeline.dataset.preprocessor import Preprocessor

PORTION = 1000
"""Pairs in memory at once, of which those of like length make batches."""
SentenceFile = Annotated[Path, Input("a sentence a line", metavar="FILE")]
Tokenized = Annotated[bool, Option("the text is in tokens, separated by one space")]
WRITTEN = tuple(f"aligned.{name}" for name in (*SIDES, "links"))


def read_tokens(
    files: Sequence[Path], preprocessor: Preprocessor, *, tokenized: bool
) -> Iterator[list[list[str]]]:
    """Yield source and target tokens of each line of two files."""
    for line, texts in enumerate(read_parallel(files), start=1):
        if tokenized:
            yield [
                split_tokens(text, path=path, line=line) if text else []
                for text, path in zip(texts, files, strict=True)
            ]
        else:
            yield preprocessor.tokenize(*texts)


def read_portions(
    files: Sequence[Path],
    model: Aligner | Scorer,
    parser: Path | None,
    *,
    tokenized: bool,
    description: str,
) -> Iterator[tuple[list[tuple[list[str], ...]], list[Row]]]:
    """Yield portions of two files: the tokens of each side, and the rows as the model sees them.

    `description` is that of `mgsa.base.cli.progress`.
    """
    from pipeline.dataset.preprocessor import Preprocessor
    from pipeline.text_translator import parser_of

    preprocessor = Preprocessor.load(
        model.artifact.folder,
        parser=parser_of([model.artifact.folder], parser) if model.artifact.levels else None,
        gpu=model.device.type == "cuda",
    )
    pairs = read_tokens(files, preprocessor, tokenized=tokenized)
    tracked = progress(pairs, description, unit="pairs")
    for portion in chunks(tracked, PORTION):
        sides = list(zip(*portion, strict=True))
        yield sides, preprocessor.rows_of_tokens(*sides)


def align_text(
    *,
    model: Annotated[Path, Input("model artifact")],
    source: SentenceFile,
    target: SentenceFile,
    out: Annotated[
        Path,
        OutputFolder(
            "for aligned.source, aligned.target (tokens) and aligned.links (`0-0 1-2`)", *WRITTEN
        ),
    ],
    tokenized: Tokenized = False,
    parser: ParserFolder = None,
    accelerator: Annotated[Accelerator, Option("(default: auto)")] = "auto",
) -> None:
    """Align the words of pairs of sentences, line by line, as a model sees them."""
    from mgsa.decoding.align import Aligner

    aligner = Aligner.load(model, accelerator=accelerator)
    portions = read_portions(
        [source, target], aligner, parser, tokenized=tokenized, description="align"
    )
    with atomic_folder(out) as folder, files_to_write(folder, WRITTEN) as files:
        *token_files, link_file = files.values()
        for sides, rows in portions:
            alignments = aligner.align_rows(rows, batch_tokens=STANDARD_SEARCH.batch_tokens)
            for file, sentences in zip(token_files, sides, strict=True):
                file.writelines(f"{' '.join(tokens)}\n" for tokens in sentences)
            link_file.writelines(f"{format_links(alignment.links)}\n" for alignment in alignments)


main = stage(align_text)

if __name__ == "__main__":
    sys.exit(run(main))
