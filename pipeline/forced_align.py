"""Word alignments of given pairs of text, as a model sees them; `mgsa align` is for a dataset.

Text is tokenised, parsed and split into subwords as the model's training data was. Links are
between tokens, so these are written too.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from mgsa.base.cli import progress, run
from mgsa.base.command import Input, Option, OutputFolder
from mgsa.base.io import atomic_folder, open_to_write
from mgsa.base.settings import Accelerator
from mgsa.base.word_links import format_links
from mgsa.config import STANDARD_SEARCH
from pipeline.base.stage import SIDES, stage
from pipeline.base.text import read_parallel, split_tokens
from pipeline.base.workers import chunks
from pipeline.translate import ParserFolder

if TYPE_CHECKING:
    from pipeline.dataset.preprocessor import Preprocessor

PORTION = 1000
"""Pairs in memory at once, of which those of like length are aligned together."""
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


def align_text(
    *,
    model: Annotated[Path, Input("model artifact")],
    source: Annotated[Path, Input("a sentence a line", metavar="FILE")],
    target: Annotated[Path, Input("a sentence a line", metavar="FILE")],
    out: Annotated[
        Path,
        OutputFolder(
            "for aligned.source, aligned.target (tokens) and aligned.links (`0-0 1-2`)", *WRITTEN
        ),
    ],
    tokenized: Annotated[bool, Option("the text is in tokens, separated by one space")] = False,
    parser: ParserFolder = Path("data/parser"),
    accelerator: Annotated[Accelerator, Option("(default: auto)")] = "auto",
) -> None:
    """Align the words of pairs of sentences, line by line, as a model sees them."""
    from mgsa.decoding.align import Aligner
    from pipeline.dataset.preprocessor import Preprocessor

    aligner = Aligner.load(model, accelerator=accelerator)
    preprocessor = Preprocessor.load(
        model,
        parser=parser if aligner.artifact.levels else None,
        gpu=aligner.device.type == "cuda",
    )
    pairs = read_tokens([source, target], preprocessor, tokenized=tokenized)
    tracked = progress(pairs, "align", total=None, unit="pairs", size=lambda _: 1)
    with atomic_folder(out) as folder, ExitStack() as opened:
        *token_files, link_file = (
            opened.enter_context(open_to_write(folder / name)) for name in WRITTEN
        )
        for portion in chunks(tracked, PORTION):
            sides = list(zip(*portion, strict=True))
            rows = preprocessor.rows_of_tokens(*sides)
            alignments = aligner.align_rows(rows, batch_tokens=STANDARD_SEARCH.batch_tokens)
            for file, sentences in zip(token_files, sides, strict=True):
                file.writelines(f"{' '.join(tokens)}\n" for tokens in sentences)
            link_file.writelines(f"{format_links(alignment.links)}\n" for alignment in alignments)


main = stage(align_text)

if __name__ == "__main__":
    sys.exit(run(main))
