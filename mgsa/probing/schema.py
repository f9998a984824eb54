"""What probing data holds: its tasks, the columns of its Parquet files, the version of it all.

The source side is that of a dataset artifact, column by column, so that whatever encodes the rows
of the one encodes those of the other.
"""

from __future__ import annotations

import pyarrow as pa

from mgsa.data import schema

SCHEMA_VERSION = 1

KIND = "mgsa probing data"
SPLITS = ("train", "valid", "test")
LABELS = schema.LABELS

SENTENCE_TASKS = ("voice", "tense", "tss")
WORD_TASKS = ("spc", "pos")
TASKS = (*SENTENCE_TASKS, *WORD_TASKS)
"""Voice and tense of the main clause, top-level syntactic sequence; smallest phrase constituent and
part of speech of each word (Shi et al. 2016, section 3)."""

OTHER = "OTHER"
"""The last class of TSS, SPC and POS: labels that have no class of their own."""

SOURCE_COLUMNS = (
    "source_tokens",
    "source_ids",
    "source_length",
    "subwords_per_word",
    "phrase_lengths",
    "phrase_tags",
)

_classes = pa.list_(pa.field("element", pa.int16(), nullable=False))

SCHEMA = pa.schema(
    [
        # Which line of the trees' file, counted from 1.
        pa.field("line", pa.int32(), nullable=False),
        *(schema.SCHEMA.field(name) for name in SOURCE_COLUMNS),
        # A class of the sentence; null where the task has none for it, as without a main clause.
        *(pa.field(task, pa.int16(), nullable=True) for task in SENTENCE_TASKS),
        # A class for each word.
        *(pa.field(task, _classes, nullable=False) for task in WORD_TASKS),
    ]
)

PROBING = schema.Kind(KIND, "probing data", SCHEMA_VERSION, SCHEMA, TASKS)
"""Sentences with labels, as `mgsa.data.dataset` reads them."""
