"""What a model needs of a dataset: whether it is there, and the columns that hold it."""

from __future__ import annotations

from collections.abc import Sequence

from mgsa.base.errors import InputError
from mgsa.data.artifact import Dataset
from mgsa.data.batch import RowColumns


def check_granularities(dataset: Dataset, granularities: Sequence[str]) -> None:
    """Check that a dataset has the syntactic levels that a model attends to.

    Raises:
        InputError: it has fewer.
    """
    for name in granularities:
        kind, _, size = name.partition("_")
        if kind == "syntactic" and int(size) > dataset.manifest.levels:
            raise InputError(
                f"expected the level of {name}, but the dataset has {dataset.manifest.levels} "
                "levels (partition.levels)",
                path=dataset.folder,
            )


def check_links(dataset: Dataset, split: str) -> None:
    """Check that a split has the word alignments that a model learns from.

    Raises:
        InputError: it has none.
    """
    if not dataset.manifest.links[split]:
        raise InputError(
            f"expected word alignments of {split}, which model.alignment learns from, but the "
            "dataset has none (align.kind)",
            path=dataset.folder,
        )


def needed_columns(
    dataset: Dataset,
    split: str,
    groups: Sequence[int],
    granularities: Sequence[str],
    unit: str,
    links: bool,
) -> RowColumns:
    """The columns of some row groups that batches with these granularities need."""
    kinds = {name.partition("_")[0] for name in granularities}
    return dataset.columns(
        split,
        groups,
        words="ngram" in kinds and unit == "word",
        phrases="syntactic" in kinds,
        links=links,
    )
