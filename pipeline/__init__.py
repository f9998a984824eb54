"""Text in, arrays out: the stages from a parallel corpus to a dataset, and the text side of models.

`pipeline` imports `mgsa`, never the reverse. A stage is run as `python -m pipeline.<stage>`. In
reading order, each stage after the parts that only it is made of:

base/              stages, parallel text, pools of processes, downloads, charts
tokens/            tokens of a sentence: Moses, subwords, trees
sample/            the built-in corpus: a synchronous grammar of English and German
corpus             STAGE: raw parallel text
links              word alignments in Pharaoh's format
contrasts          targets that are wrong in one respect
tokenize           STAGE: tokenised, cleaned text
parsing/           what a parser is trained from, made of and measured by
parser             STAGE: a constituency parser, trained or fetched
parse              STAGE: a tree for each sentence
bpe                STAGE: joint codes and segmented text
partition          STAGE: phrases and tags of each level
aligners/          word links, by statistics, by tools and from files
alignment_error    COMMAND: error rate of links against gold links
align              STAGE: word links of each pair
dataset/           STAGE: the dataset artifact
reverse            COMMAND: a dataset the other way round
train              STAGE: a model and its curves
text_model         a model with its preprocessing and parser, to translate, align and score text
translate/         COMMAND: translations of raw text; STAGE: of a dataset's split
explore/           COMMAND: a live page: sentences, their phrases as parsed or as cut by hand
contrast/          STAGE: how often references are likelier than contrastive variants
forced_align       COMMAND: word alignments of given text, as a model sees them
score              COMMAND: log probabilities of given text
outside_metrics    metrics by commands, with intervals and tests
evaluate           STAGE: scores with confidence intervals
experiment/        COMMAND: tables of systems, each trained from several seeds
analyze            STAGE: what a model attends to: shares, heat maps
patterns/          n-grams of translations, by the phrases of the source they come from
phrasal_patterns   STAGE: which n-grams are right
probing/           what probes are asked, and what their answers come to
probe_data         STAGE: what probes learn from and are tested on
probe              STAGE: what encoders know of syntax
report_page/       the sections of a report, their drawings and templates
report             STAGE: one HTML page about a run or a comparison
params             STAGE, the first to run: params.yaml checked; which composition of conf/ it is
"""

from __future__ import annotations

import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pipeline.text_model import TextModel


if sys.argv[:1] == ["-m"]:  # as long as `python -m` imports, Ctrl-C ends it without a traceback
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def load(model: str | Path, *, parser: str | Path | None = None) -> TextModel:
    """Open a model artifact, for `.translate(["A man sleeps."], beam=5, n_best=3)`.

    `parser` is that of its training data (default: the one that the model carries, or data/parser),
    which models without syntactic phrases don't need. An `InputError` is raised if one of them is
    not there or damaged, or they don't belong together.
    """
    from pipeline.text_model import TextModel

    return TextModel.load([Path(model)], parser=Path(parser) if parser else None)
