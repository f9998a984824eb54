"""A small artificial dataset artifact: the target is the source, spelled with other symbols.

Phrases are runs of one to three subwords, and level 2 is single ones. A phrase's tag is that of its
last subword, which follows from the subword, so tags can be learned too.
"""

from __future__ import annotations

import random
from itertools import accumulate
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from mgsa.cli.files import write_json
from mgsa.cli.outputs import write_manifest
from mgsa.data.schema import PAIRS, SCHEMA, SCHEMA_VERSION
from mgsa.data.vocabulary import SPECIAL_SYMBOLS

NUM_WORDS = 12
FIRST_ID = len(SPECIAL_SYMBOLS)
TAGS = ("<unk>", "NP", "VP", "PP")
SYMBOLS = (*SPECIAL_SYMBOLS, *(f"w{i}" for i in range(NUM_WORDS)), "odd@@", "end")


def write_copy_task(
    folder: Path,
    *,
    train: int = 60,
    valid: int = 12,
    test: int = 6,
    longest: int = 8,
    seed: int = 0,
    links: bool = False,
) -> Path:
    """Write the artifact into `folder`, with row groups of 20 rows; give the folder back.

    With `links` each word is linked to its copy.
    """
    folder.mkdir(parents=True)
    generator = random.Random(seed)
    splits: dict[str, dict[str, Any]] = {}
    for split, size in {"train": train, "valid": valid, "test": test}.items():
        rows = [_row(generator, longest, links) for _ in range(size)]
        splits[split] = {
            "files": [f"{split}.parquet"],
            "rows": size,
            "links": sum(len(row["links"] or []) for row in rows),
        }
        table = pa.Table.from_pylist(rows, schema=SCHEMA)
        pq.write_table(table, folder / f"{split}.parquet", row_group_size=20)
    write_json(folder / "vocab.json", {"source": list(SYMBOLS), "target": None})
    write_json(folder / "tags.json", list(TAGS))
    write_json(folder / "preprocessing.json", {"note": "none: the text is artificial"})
    (folder / "bpe.codes").write_text("#version: 0.2\n", encoding="utf-8")
    manifest = {
        "kind": PAIRS.name,
        "schema_version": SCHEMA_VERSION,
        "name": "copy task",
        "source_language": "en",
        "target_language": "de",
        "levels": 2,
        "splits": splits,
    }
    write_manifest(folder, manifest)
    return folder


def _row(generator: random.Random, longest: int, links: bool) -> dict[str, Any]:
    length = generator.randint(2, longest)
    ids = [generator.randrange(FIRST_ID, FIRST_ID + NUM_WORDS) for _ in range(length)]
    text = " ".join(SYMBOLS[i] for i in ids)
    phrases: list[int] = []
    while sum(phrases) < length:
        phrases.append(min(generator.randint(1, 3), length - sum(phrases)))
    ones = [1] * length
    tags = [1 + i % (len(TAGS) - 1) for i in ids]
    return {
        "source_text": text,
        "target_text": text,
        "source_tokens": text,
        "target_tokens": text,
        "source_ids": ids,
        "target_ids": ids,
        "source_length": length,
        "target_length": length,
        "subwords_per_word": ones,
        "target_subwords_per_word": ones,
        "phrase_lengths": [phrases, ones],
        "phrase_tags": [[tags[end - 1] for end in accumulate(phrases)], tags],
        "links": [{"source": i, "target": i} for i in range(length)] if links else None,
    }
