"""What differs between two dataset artifacts: what made them, what is counted, which pairs."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from mgsa.base.cli import progress

if TYPE_CHECKING:
    from mgsa.data.dataset import Dataset

ABSENT = "–"


def differences(first: Dataset, second: Dataset) -> Iterator[str]:
    """Say what differs, a line each.

    Raises:
        InputError: a file is damaged.
    """
    if first.manifest.identity == second.manifest.identity:
        yield f"{first.folder} and {second.folder} are the same: {first.manifest.identity}"
        return
    contents = first.manifest.content, second.manifest.content
    yield from _changed(*(dict(_flat(content)) for content in contents))
    for side, mine, other in zip(
        ("source", "target"), first.vocabularies, second.vocabularies, strict=True
    ):
        yield from _sets(f"vocabulary of the {side}", set(mine.symbols), set(other.symbols))
    yield from _sets("tags", set(first.tags), set(second.tags))
    for split in {**first.manifest.rows, **second.manifest.rows}:
        yield from _pairs(split, first, second)


def _changed(first: Mapping[str, Any], second: Mapping[str, Any]) -> Iterator[str]:
    """`key: value -> value` for every value of the manifests that is another one."""
    for key in sorted(first.keys() | second.keys()):
        mine, other = first.get(key, ABSENT), second.get(key, ABSENT)
        if mine != other:
            yield f"{key}: {mine} -> {other}"


def _flat(content: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """The values of a manifest by their paths; a file is known by its SHA-256, shown in brief."""
    if isinstance(content, Mapping) and "sha256" in content:
        yield path, str(content["sha256"])[:12]
    elif isinstance(content, Mapping) and content:
        for key, value in content.items():
            yield from _flat(value, f"{path}.{key}" if path else str(key))
    else:
        yield path, content


def _sets(what: str, first: set[str], second: set[str]) -> Iterator[str]:
    if first != second:
        yield (
            f"{what}: {len(first & second):,} in both, {len(first - second):,} in the first alone, "
            f"{len(second - first):,} in the second alone"
        )


def _pairs(split: str, first: Dataset, second: Dataset) -> Iterator[str]:
    """How many sentence pairs of a split both have, a pair that comes twice being two."""
    (mine, my_counts), (others, their_counts) = (
        np.unique(_digests(dataset, split), return_counts=True) for dataset in (first, second)
    )
    _, here, there = np.intersect1d(mine, others, assume_unique=True, return_indices=True)
    both = int(np.minimum(my_counts[here], their_counts[there]).sum())
    alone = int(my_counts.sum()) - both, int(their_counts.sum()) - both
    if any(alone):
        yield (
            f"pairs of {split}: {both:,} in both, {alone[0]:,} in the first alone, "
            f"{alone[1]:,} in the second alone"
        )


def _digests(dataset: Dataset, split: str) -> np.ndarray:
    """(rows,) uint64: a digest of the text of each pair; 8 bytes a pair are all that is kept."""
    if split not in dataset.manifest.rows:
        return np.zeros(0, dtype=np.uint64)
    texts = progress(
        zip(dataset.texts(split, "source_text"), dataset.texts(split, "target_text"), strict=True),
        f"read {split}",
        total=dataset.num_rows(split),
        unit="pairs",
        size=lambda _: 1,
    )
    return np.fromiter((_digest(*pair) for pair in texts), np.uint64, dataset.num_rows(split))


def _digest(source: str, target: str) -> int:
    text = f"{source}\n{target}".encode()
    return int.from_bytes(hashlib.blake2b(text, digest_size=8).digest())
