"""Log probabilities of given pairs of text; `mgsa score` is for a dataset.

Text is tokenised, parsed and split into subwords as the model's training data was.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

from mgsa.base.cli import STANDARD_OUTPUT, opened, run
from mgsa.base.command import Input, Option, OutputFile
from mgsa.base.settings import Accelerator
from mgsa.config import STANDARD_SEARCH
from pipeline.base.stage import stage
from pipeline.forced_align import SentenceFile, Tokenized, read_portions
from pipeline.translate import ParserFolder


def score_text(
    *,
    model: Annotated[Path, Input("model artifact")],
    source: SentenceFile,
    target: SentenceFile,
    out: Annotated[str, OutputFile("- is stdout (default: -)")] = STANDARD_OUTPUT,
    tokenized: Tokenized = False,
    parser: ParserFolder = None,
    accelerator: Annotated[Accelerator, Option("(default: auto)")] = "auto",
) -> None:
    """Score pairs of sentences, line by line.

    One line a pair: the natural logarithm of p(target | source), summed over the target's subwords
    and end of sentence.
    """
    from mgsa.decoding.score import Scorer

    scorer = Scorer.load(model, accelerator=accelerator)
    portions = read_portions(
        [source, target], scorer, parser, tokenized=tokenized, description="score"
    )
    with opened(out) as file:
        for _, rows in portions:
            scores = scorer.score_rows(rows, batch_tokens=STANDARD_SEARCH.batch_tokens)
            file.writelines(f"{score:.6f}\n" for score in scores)


main = stage(score_text)

if __name__ == "__main__":
    sys.exit(run(main))
