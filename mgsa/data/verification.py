"""Check every row of a dataset artifact against what it is to be, and the manifest against them."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from mgsa.base.errors import InputError
from mgsa.base.io import MANIFEST
from mgsa.data.artifact import Dataset, open_dataset
from mgsa.data.ragged import Ragged
from mgsa.data.row_checks import Failure, first_wrong, wrong_counts, wrong_length
from mgsa.data.vocabulary import UNK

COUNTED = (
    "links",
    *("phrases", "phrases_unknown"),
    *("source_words", "source_subwords", "source_unknown"),
    *("target_words", "target_subwords", "target_unknown"),
)
"""What a manifest may count of a split, besides its rows."""


def verify_dataset(folder: Path) -> Dataset:
    """Open a dataset and check its version, hashes, schema, every row, and what it counts.

    Raises:
        InputError: the first thing that is wrong, with its file and row.
    """
    dataset = open_dataset(folder, verify=True)
    _check_description(dataset)
    for split in dataset.manifest.rows:
        found: Counter[str] = Counter()
        for first, table in dataset.tables(split):
            table = table.combine_chunks()
            wrong = (
                wrong_side(table, "source", "subwords_per_word")
                or wrong_side(table, "target", "target_subwords_per_word")
                or _wrong_order(table)
            )
            if wrong is not None:
                row, expectation = wrong
                raise dataset.error_in_row(split, first + row, expectation)
            found.update(_counts(table))
        said = dataset.manifest.content["splits"][split]
        for name in COUNTED:
            if name in said:
                _check_said(dataset, f"splits.{split}.{name}", said[name], found[name])
    return dataset


def _check_description(dataset: Dataset) -> None:
    """Check what the manifest says of the whole, if it does, and that no file is of no split."""
    manifest = dataset.manifest
    source, target = dataset.vocabularies
    found = {
        "tags": len(dataset.tags),
        "vocabulary": {"source": len(source), "target": len(target), "joint": source is target},
    }
    for name, truth in found.items():
        if name in manifest.content:
            _check_said(dataset, name, manifest.content[name], truth)
    used = {name for names in manifest.shards.values() for name in names}
    unused = sorted(name for name in manifest.files.keys() - used if name.endswith(".parquet"))
    if unused or not used:
        expectation = f"{unused[0]} to be of a split" if unused else "at least one split"
        raise InputError(f"manifest.splits: expected {expectation}", path=dataset.folder / MANIFEST)


def _check_said(dataset: Dataset, name: str, said: object, found: object) -> None:
    if type(said) is not type(found) or said != found:
        raise InputError(
            f"manifest.{name}: expected {found}, as is found, got {said!r}",
            path=dataset.folder / MANIFEST,
        )


def _counts(table: pa.Table) -> dict[str, int]:
    """These rows' share of what is `COUNTED`."""
    tags = table["phrase_tags"].combine_chunks().flatten().flatten()
    counts = {"links": len(table["links"].combine_chunks().flatten())}
    counts |= {"phrases": len(tags), "phrases_unknown": pc.sum(pc.equal(tags, 0)).as_py() or 0}
    words = {"source": "subwords_per_word", "target": "target_subwords_per_word"}
    for side, column in words.items():
        ids = table[f"{side}_ids"].combine_chunks().flatten()
        counts |= {
            f"{side}_words": len(table[column].combine_chunks().flatten()),
            f"{side}_subwords": len(ids),
            f"{side}_unknown": pc.sum(pc.equal(ids, UNK)).as_py() or 0,
        }
    return counts


def wrong_side(table: pa.Table, side: str, words: str) -> Failure | None:
    """Whether the length of a side, and its subwords per word, are those of its ids and tokens.

    Args:
        table: its columns in one piece each.
        words: the column of the side's subwords per word.
    """
    lengths, counts = table[f"{side}_length"].to_numpy(), _list(table, words)
    tokens = pc.list_value_length(pc.split_pattern(table[f"{side}_tokens"], " ")).to_numpy()
    expectation = f"{words} that give each of {side}_tokens a share of {side}_ids"
    return (
        wrong_length(_list(table, f"{side}_ids"), lengths, side)
        or first_wrong(counts.lengths != tokens, expectation)
        or wrong_counts(counts, lengths, expectation)
    )


def _wrong_order(table: pa.Table) -> Failure | None:
    links = table["links"].combine_chunks()
    rows = pc.list_parent_indices(links).to_numpy()
    ends = links.flatten()
    source, target = (ends.field(side).to_numpy().astype(np.int64) for side in ("source", "target"))
    order = np.diff((rows.astype(np.int64) << 32) + (source << 16) + target)
    return first_wrong(np.append(False, order <= 0), "links in their order, each once", rows)


def _list(table: pa.Table, column: str) -> Ragged:
    return Ragged.of_arrow(table[column].combine_chunks())
