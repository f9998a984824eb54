"""A dataset the other way round: its target translated into its source.

Text, subwords and links are the same, so that what a model of each direction says of a pair can be
put together (alignments of two directions). Trees are of one language alone: the reversed dataset
has no syntactic phrases, and trains models that ask for none.
"""

from __future__ import annotations

import argparse
import shutil
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mgsa.base.cli import progress, run
from mgsa.base.errors import InputError
from mgsa.base.io import MANIFEST, atomic_folder, write_json
from pipeline.artifact.description import facts, split_counts
from pipeline.artifact.manifest import DATASET_MARKS, read_object, write_manifest
from pipeline.base.stage import SPLITS, check_replaceable

if TYPE_CHECKING:
    from mgsa.data.dataset import Dataset

_OTHER = {"source": "target", "target": "source"}


def reverse_dataset(dataset: Dataset, folder: Path) -> None:
    """Fill `folder` with the artifact.

    Raises:
        InputError: the dataset is not as the pipeline writes them, or a file of it is damaged.
    """
    from mgsa.data.schema import BPE_FILES, PREPROCESSING, TAGS, VOCABULARY

    _check_origin(dataset)
    source, target = dataset.vocabularies
    vocabularies = {
        "source": target.symbols,
        "target": None if source is target else source.symbols,
    }
    write_json(folder / VOCABULARY, vocabularies)
    write_json(folder / TAGS, dataset.tags[:1])
    codes, *frequencies = BPE_FILES
    for name, other in zip(BPE_FILES, (codes, *reversed(frequencies)), strict=True):
        shutil.copyfile(dataset.folder / name, folder / other)
    path = dataset.folder / PREPROCESSING
    write_json(folder / PREPROCESSING, swapped_sides(read_object(path, {}), f"{path}: "))
    files = {split: _write_split(folder, split, dataset) for split in dataset.manifest.rows}
    content, where = dataset.manifest.content, f"{dataset.folder / MANIFEST}: manifest."
    manifest = {
        **swapped_sides(content, where),
        "levels": 0,
        "tags": 1,
        "vocabulary": swapped_sides(content["vocabulary"], f"{where}vocabulary."),
        "splits": {
            name: swapped_sides(counts, f"{where}splits.{name}.")
            | {"phrases": 0, "phrases_unknown": 0, "files": files[name]}
            for name, counts in content["splits"].items()
        },
        "made_by": {**content["made_by"], "reversed_from": dataset.manifest.identity},
    }
    write_manifest(folder, manifest, figures={})


def _check_origin(dataset: Dataset) -> None:
    """Check that a dataset is the pipeline's own: of those that others made, too little is known.

    Raises:
        InputError: it is not.
    """
    from mgsa.data.schema import BPE_FILES, PREPROCESSING

    path = dataset.folder / MANIFEST
    where = f"{path}: manifest"
    facts(dataset.manifest.content, where)
    split_counts(dataset.manifest.content, where)
    for split in SPLITS:
        if not dataset.manifest.rows.get(split):
            raise InputError(f"splits.{split}: expected rows", path=path)
    for name in (*BPE_FILES, PREPROCESSING):
        if name not in dataset.manifest.files:
            raise InputError(f"expected {name} among the files", path=path)


def swapped_sides(content: Mapping[str, Any], where: str) -> dict[str, Any]:
    """An object whose keys of source and target have each other's values: `source_language`, …

    Args:
        where: what stands before a key where an error names it.

    Raises:
        InputError: there is such a key of one side alone.
    """
    found = {}
    for key in content:
        side, separator, rest = key.partition("_")
        other = f"{_OTHER.get(side, side)}{separator}{rest}"
        if other not in content:
            raise InputError(f"{where}{other}: missing; expected it beside {key}")
        found[key] = content[other]
    return found


def _write_split(folder: Path, split: str, dataset: Dataset) -> list[str]:
    """Write a split's Parquet files, a row group at a time; give their names."""
    from mgsa.data.schema import SCHEMA
    from pipeline.artifact.parquet_file import ShardWriter
    from pipeline.artifact.reversed_columns import reversed_table

    portions = progress(
        dataset.tables(split),
        f"reverse {split}",
        total=dataset.num_rows(split),
        unit="pairs",
        size=lambda table: table.num_rows,
    )
    shard_rows = max(dataset.shard_rows(split))
    with ShardWriter(folder, split, SCHEMA, compression="zstd", shard_rows=shard_rows) as writer:
        for table in portions:
            writer.write(reversed_table(table))
    return writer.names


def main(argv: Sequence[str] | None = None) -> None:
    """Turn a dataset round."""
    parser = argparse.ArgumentParser(
        prog="python -m pipeline.reverse",
        description="Turn a dataset artifact round: its target becomes the source. It has no "
        "syntactic phrases.",
    )
    parser.add_argument(
        "--dataset", type=Path, required=True, metavar="DIR", help="the artifact to turn round"
    )
    parser.add_argument(
        "--out", type=Path, required=True, metavar="DIR", help="the artifact to write"
    )
    arguments = parser.parse_args(argv)

    from mgsa.data.dataset import open_dataset

    dataset = open_dataset(arguments.dataset)
    check_replaceable(arguments.out, *DATASET_MARKS, inputs=[arguments.dataset])
    with atomic_folder(arguments.out) as folder:
        reverse_dataset(dataset, folder)


if __name__ == "__main__":
    sys.exit(run(main))
