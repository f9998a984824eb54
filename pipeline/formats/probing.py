"""Probing data: the columns of its rows and the tasks they label."""

import pyarrow as pa

from mgsa.data.schema import SCHEMA as PAIR_SCHEMA
from mgsa.data.schema import Kind

SENTENCE_TASKS = ("voice", "tense", "tss")
WORD_TASKS = ("spc", "pos")


TASKS = (*SENTENCE_TASKS, *WORD_TASKS)
"""Voice, tense, top-level syntactic sequence of the main clause; smallest phrase constituent and
part of speech of each word (Shi et al. 2016, section 3)."""
OTHER = "OTHER"
"""The last class of TSS, SPC and POS, for rare labels."""


_classes = pa.list_(pa.field("element", pa.int16(), nullable=False))
_SOURCE_COLUMNS = (
    *("source_tokens", "source_ids", "source_length"),
    *("subwords_per_word", "phrase_lengths", "phrase_tags"),
)


SCHEMA = pa.schema(
    [
        # Line in the file of trees, from 1.
        pa.field("line", pa.int32(), nullable=False),
        *(PAIR_SCHEMA.field(name) for name in _SOURCE_COLUMNS),
        # Class of the sentence; null without one, as without a main clause.
        *(pa.field(task, pa.int16(), nullable=True) for task in SENTENCE_TASKS),
        # Class of each word.
        *(pa.field(task, _classes, nullable=False) for task in WORD_TASKS),
    ]
)
PROBING = Kind("mgsa probing data", "probing data", 2, SCHEMA, TASKS)
"""The `kind` of `mgsa.data.dataset.open_dataset`."""
