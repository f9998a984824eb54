"""Text in, arrays out: the stages from a parallel corpus to a dataset, and the text side of models.

`pipeline` imports `mgsa`, never the reverse. A stage is a file or a package of its name, run as
`python -m pipeline.STAGE`; `dvc.yaml` has the stages in order, each with a line on what it makes.
Packages that several stages share import no stage:

stage/         how a stage runs: command, outputs, processes, downloads
formats/       what stages hand on: text, trees, phrases, links, contrasts, tables
tokenizers/    sentences to tokens and back
subwords       byte-pair encoding of words
constituency/  parsers, treebanks and their F1
statistics/    n-gram scores, intervals, tests
charts         Vega-Lite charts for `dvc plots`, files and the report
encoder        tokens, phrases and links to rows of ids
preprocessor   raw text to rows, and back
text_model     a model with its preprocessor: raw text translated, aligned, scored
sample/        the built-in corpus: a synchronous grammar of English and German

Commands that are no stages:

forced_align   word alignments of given text
score          log probabilities of given text
experiment/    tables of systems, each trained from several seeds
explore/       a live page of sentences, phrases and translations
new            a project of one's own
__main__       a list of all commands

`params`, `report`, `experiment`, `explore` and `new` stand above the stages: they alone import
several.
"""

from __future__ import annotations

import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pipeline.text_model import TextModel


# A command's process, before its `run()`: while it imports, Ctrl-C ends it without a traceback.
if " -m pipeline." in " ".join(sys.orig_argv):
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def load(model: str | Path, *, parser: str | Path | None = None) -> TextModel:
    """Open a model artifact, for `.translate(["A man sleeps."], beam=5, n_best=3)`.

    `parser` is that of its training data (default: the one that the model carries, or data/parser),
    which models without syntactic phrases don't need. An `InputError` is raised if one of them is
    not there or damaged, or they don't belong together.
    """
    from pipeline.text_model import TextModel

    return TextModel.load([Path(model)], parser=Path(parser) if parser else None)
