"""Word alignments of given pairs of text, as a model sees them; `mgsa align` is for a dataset.

Text is tokenised, parsed and split into subwords as the model's training data was. Links are
between tokens, so these are written too.
"""

import sys
from pathlib import Path
from typing import Annotated

from mgsa.cli.command import Input, OutputFolder
from mgsa.cli.outputs import atomic_folder
from mgsa.cli.progress import progress
from mgsa.cli.run import run
from mgsa.data.word_links import format_links
from mgsa.run_config import DEFAULT_RUN_CONFIG, RunConfig
from pipeline.formats.text import SIDES, files_to_write, read_parallel
from pipeline.stage.command import stage
from pipeline.text_model import ParserOption, SentenceFile, TextModel, Tokenized

WRITTEN = tuple(f"aligned.{name}" for name in (*SIDES, "links"))


def align_text(
    run: RunConfig = DEFAULT_RUN_CONFIG,
    *,
    model: Annotated[Path, Input("model artifact")],
    source: SentenceFile,
    target: SentenceFile,
    out: Annotated[
        Path,
        OutputFolder(
            "for aligned.source, aligned.target (tokens) and aligned.links (`0-0 1-2`)",
            "forced alignments",
        ),
    ],
    tokenized: Tokenized = False,
    parser: ParserOption = None,
) -> None:
    """Align the words of pairs of sentences, line by line, as a model sees them."""
    opened = TextModel.load([model], parser=parser, run=run)
    paths = (source, target)
    pairs = progress(read_parallel(paths), "align", unit="pairs")
    with atomic_folder(out) as folder, files_to_write(folder, WRITTEN) as files:
        source_file, target_file, link_file = files.values()
        aligned = opened.align(pairs, tokenized=tokenized, paths=paths)
        for source_tokens, target_tokens, alignment in aligned:
            source_file.write(f"{' '.join(source_tokens)}\n")
            target_file.write(f"{' '.join(target_tokens)}\n")
            link_file.write(f"{format_links(alignment.links)}\n")


main = stage(align_text)

if __name__ == "__main__":
    sys.exit(run(main))
