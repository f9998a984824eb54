"""Multi-granularity self-attention for machine translation: arrays in, translations out.

Needs torch, Lightning Fabric, pyarrow, numpy, sacrebleu, safetensors, pydantic, annotated-types,
ruamel.yaml and rich; never stanza, spaCy, NLTK or DVC.

In reading order:

cli/          command lines: errors, files, settings, guard
config        settings of models, training and translation
run_config    processes and devices
data/         the dataset artifact as batches
masks         the one mask convention
operators     linear maps, dropout and LSTMs, fast on a CPU
composition   one vector a phrase
onlstm        the ordered-neurons LSTM
interaction   phrases that know of each other; a tag of each
boundaries    flags of where phrases begin
attention/    memory builders before one scaled dot product
model/        the encoder-decoder
artifact/     a trained model as a folder
training/     the loop, on one page, and what it calls
decoding/     beam search; a model that translates, aligns and scores
__main__      `mgsa train`, `mgsa translate`, `mgsa align`, `mgsa score`, …

Shape letters, used in every docstring:

    B  sentences of a batch        T  target positions, or query positions in attention
    S  source or key positions     M  phrases of a sentence (padded to the batch's longest)
    D  model width                 H  attention heads
    K  width of one head           N  largest n-gram size
    L  levels of a syntactic partition    V  vocabulary size

Masks are bool, True = may attend, broadcastable to (B, H, T, S); they are made in `mgsa.masks`.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mgsa.decoding.opened import OpenedModel


def load(folder: str | Path) -> OpenedModel:
    """Open a model artifact, for `.translate(rows of a dataset)`; `pipeline.load` is for raw text.

    An `InputError` is raised if it is none, or a file of it is missing or damaged.
    """
    from mgsa.decoding.opened import OpenedModel

    return OpenedModel.load(Path(folder))
