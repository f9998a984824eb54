"""What a dataset artifact holds: the columns of its Parquet files, and the version of it all."""

from __future__ import annotations

import pyarrow as pa

SCHEMA_VERSION = 2

VOCABULARY = "vocab.json"
TAGS = "tags.json"
PREPROCESSING = "preprocessing.json"
BPE_FILES = ("bpe.codes", "vocab.source", "vocab.target")

LONGEST = 2**15 - 1
"""Subwords of a sentence: counts and positions within one are stored in 16 bits."""

UNKNOWN_TAG = "<unk>"
"""Tag 0: what a tag that no training sentence has becomes."""

_ids = pa.list_(pa.field("element", pa.int32(), nullable=False))
_counts = pa.list_(pa.field("element", pa.int16(), nullable=False))
_levels = pa.list_(pa.field("element", _counts, nullable=False))
_link = pa.struct(
    [
        pa.field("source", pa.int16(), nullable=False),
        pa.field("target", pa.int16(), nullable=False),
    ]
)

SCHEMA = pa.schema(
    [
        # The sentences as the corpus has them, and in tokens, separated by a space.
        pa.field("source_text", pa.string(), nullable=False),
        pa.field("target_text", pa.string(), nullable=False),
        pa.field("source_tokens", pa.string(), nullable=False),
        pa.field("target_tokens", pa.string(), nullable=False),
        # Subwords, without end of sentence; their number alone, which planning batches needs.
        pa.field("source_ids", _ids, nullable=False),
        pa.field("target_ids", _ids, nullable=False),
        pa.field("source_length", pa.int16(), nullable=False),
        pa.field("target_length", pa.int16(), nullable=False),
        # Of the source, and of the target.
        pa.field("subwords_per_word", _counts, nullable=False),
        pa.field("target_subwords_per_word", _counts, nullable=False),
        # One list a level: lengths in subwords, which add up to the source's; a tag id each.
        pa.field("phrase_lengths", _levels, nullable=False),
        pa.field("phrase_tags", _levels, nullable=False),
        # Word alignments as subword positions; null where there are none.
        pa.field("links", pa.list_(pa.field("element", _link, nullable=False)), nullable=True),
    ]
)
