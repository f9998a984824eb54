"""Log probabilities of given pairs of text; `mgsa score` is for a dataset.

Text is tokenised, parsed and split into subwords as the model's training data was.
"""

import sys
from pathlib import Path
from typing import Annotated

from mgsa.cli.command import Input, OutputFile
from mgsa.cli.progress import progress
from mgsa.cli.run import STANDARD_OUTPUT, opened, run
from mgsa.run_config import DEFAULT_RUN_CONFIG, RunConfig
from pipeline.formats.text import read_parallel
from pipeline.stage.command import stage
from pipeline.text_model import ParserOption, SentenceFile, TextModel, Tokenized


def score_text(
    run: RunConfig = DEFAULT_RUN_CONFIG,
    *,
    model: Annotated[Path, Input("model artifact")],
    source: SentenceFile,
    target: SentenceFile,
    out: Annotated[str, OutputFile("- is stdout (default: -)")] = STANDARD_OUTPUT,
    tokenized: Tokenized = False,
    parser: ParserOption = None,
) -> None:
    """Score pairs of sentences, line by line.

    One line a pair: the natural logarithm of p(target | source), summed over the target's subwords
    and end of sentence.
    """
    scorer = TextModel.load([model], parser=parser, run=run)
    paths = (source, target)
    pairs = progress(read_parallel(paths), "score", unit="pairs")
    with opened(out) as file:
        scores = scorer.score(pairs, tokenized=tokenized, paths=paths)
        file.writelines(f"{score:.6f}\n" for score in scores)


main = stage(score_text)

if __name__ == "__main__":
    sys.exit(run(main))
