"""Word alignments of given pairs of text, as a model sees them; `mgsa align` is for a dataset.

Text is tokenised, parsed and split into subwords as the model's training data was. Links are
between tokens, so these are written too.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from mgsa.base.cli import progress, run
from mgsa.base.command import Input, Option, OutputFolder
from mgsa.base.io import atomic_folder, open_to_write
from mgsa.config import STANDARD_SEARCH
from pipeline.base.stage import SIDES, stage
from pipeline.base.text import read_parallel, split_tokens
from pipeline.base.workers import chunks

if TYPE_CHECKING:
    from mgsa.decoding.align import Aligner
    from pipeline.dataset.preprocessor import Preprocessor

PORTION = 1000
"""Pairs in memory at once, of which those of like length are aligned together."""

Pair = tuple[list[str], list[str]]
"""Tokens of source and target."""


def read_pairs(
    source: Path, target: Path, preprocessor: Preprocessor, *, tokenized: bool
) -> Iterator[Pair]:
    """The pairs of two files in tokens.

    Raises:
        InputError: as `read_parallel`; or text that is said to be tokenised is not.
    """
    for line, texts in enumerate(read_parallel([source, target]), start=1):
        if tokenized:
            tokens = [
                split_tokens(text, path=path, line=line) if text else []
                for text, path in zip(texts, (source, target), strict=True)
            ]
        else:
            tokens = preprocessor.tokenize(*texts)
        yield tokens[0], tokens[1]


def align_pairs(
    aligner: Aligner, preprocessor: Preprocessor, pairs: Iterator[Pair], folder: Path
) -> None:
    """Write `aligned.source`, `aligned.target` (tokens) and `aligned.links` to `folder`."""
    from mgsa.base.word_links import format_links

    with ExitStack() as files:
        source_file, target_file, link_file = (
            files.enter_context(open_to_write(folder / f"aligned.{name}"))
            for name in (*SIDES, "links")
        )
        for portion in chunks(pairs, PORTION):
            sources, targets = zip(*portion, strict=True)
            rows = preprocessor.rows_of_tokens(sources, targets)
            alignments = aligner.align_rows(rows, batch_tokens=STANDARD_SEARCH.batch_tokens)
            source_file.writelines(f"{' '.join(tokens)}\n" for tokens in sources)
            target_file.writelines(f"{' '.join(tokens)}\n" for tokens in targets)
            link_file.writelines(f"{format_links(alignment.links)}\n" for alignment in alignments)


def align_text(
    *,
    model: Annotated[Path, Input("model artifact")],
    source: Annotated[Path, Input("a sentence a line", metavar="FILE")],
    target: Annotated[Path, Input("a sentence a line", metavar="FILE")],
    out: Annotated[
        Path,
        OutputFolder(
            "for aligned.source, aligned.target (tokens) and aligned.links (`0-0 1-2`)",
            *(f"aligned.{name}" for name in (*SIDES, "links")),
        ),
    ],
    tokenized: Annotated[bool, Option("the text is in tokens, separated by one space")] = False,
    parser: Annotated[
        Path,
        Input(
            "the parser of the model's training data, for models that attend to syntactic phrases "
            "(default: data/parser)"
        ),
    ] = Path("data/parser"),
    layer: Annotated[
        int | None,
        Option(
            "take the mean of the heads of decoder layer N (default: the alignment head, or else "
            "the last layer but one)",
            metavar="N",
        ),
    ] = None,
    accelerator: Annotated[Literal["cpu", "gpu", "auto"], Option("(default: auto)")] = "auto",
) -> None:
    """Align the words of pairs of sentences, line by line, as a model sees them."""
    from mgsa.decoding.align import Aligner
    from pipeline.dataset.preprocessor import Preprocessor

    aligner = Aligner.load(model, layer=layer, accelerator=accelerator)
    preprocessor = Preprocessor.load(
        model,
        parser=parser if aligner.artifact.levels else None,
        gpu=aligner.device.type == "cuda",
    )
    pairs = read_pairs(source, target, preprocessor, tokenized=tokenized)
    shown = progress(pairs, "align", total=None, unit="pairs", size=lambda _: 1)
    with atomic_folder(out) as folder:
        align_pairs(aligner, preprocessor, shown, folder)


main = stage(align_text)

if __name__ == "__main__":
    sys.exit(run(main))
