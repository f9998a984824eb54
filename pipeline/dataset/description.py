"""A dataset in a few facts, and what differs between two: their manifests, symbols and pairs."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from mgsa.base.cli import progress
from mgsa.base.io import MANIFEST
from mgsa.base.settings import Count, Language, from_excerpt
from pipeline.base.stage import SIDES
from pipeline.dataset.manifest import Aligner, Parser

if TYPE_CHECKING:
    from mgsa.data.dataset import Dataset

COUNTS = {
    "rows": "pairs",
    "source_words": "source words",
    "target_words": "target words",
    "source_subwords": "source subwords",
    "target_subwords": "target subwords",
    "phrases": "phrases",
    "links": "links",
}
"""Counts of a split that are shown, and what they are called."""

ABSENT = "–"


@dataclass(frozen=True)
class _Vocabulary:
    source: Count
    target: Count
    joint: bool


@dataclass(frozen=True)
class _MadeBy:
    libraries: dict[str, str]
    parser: Parser
    aligner: Aligner | None
    reversed_from: str | None = None


@dataclass(frozen=True)
class _Content:
    """What is read of a manifest that the pipeline wrote, besides the counts of its splits."""

    source_language: Language
    target_language: Language
    levels: Count
    tags: Count
    vocabulary: _Vocabulary
    made_by: _MadeBy


@dataclass(frozen=True)
class _Splits:
    splits: dict[str, dict[str, Count]]


def facts(content: Mapping[str, Any], where: str) -> dict[str, str]:
    """What the manifest `content` says of a dataset as a whole, by what it is about.

    Args:
        where: what errors name.

    Raises:
        InputError: the manifest lacks something that the pipeline writes, or has it otherwise.
    """
    read = from_excerpt(_Content, content, where)
    said = {
        "languages": f"{read.source_language} to {read.target_language}",
        "vocabulary": _vocabulary(read.vocabulary),
        "phrases": _phrases(read),
        "links": _links(read.made_by.aligner),
        "made with": ", ".join(f"{name} {v}" for name, v in read.made_by.libraries.items()),
    }
    if read.made_by.reversed_from is not None:
        said["turned round"] = f"from the dataset {read.made_by.reversed_from}"
    return said


def split_counts(content: Mapping[str, Any], where: str) -> dict[str, dict[str, int]]:
    """For each split, those of its counts that `COUNTS` names, in its order.

    Raises:
        InputError: one is no count.
    """
    shown = {
        split: {name: counts[name] for name in COUNTS if name in counts}
        for split, counts in content["splits"].items()
    }
    return from_excerpt(_Splits, {"splits": shown}, where).splits


def _vocabulary(sizes: _Vocabulary) -> str:
    if sizes.joint:
        return f"{sizes.source:,} subwords of both languages"
    return f"{sizes.source:,} subwords of the source, {sizes.target:,} of the target"


def _phrases(content: _Content) -> str:
    if not content.levels:
        return "none: trains models that ask for no syntactic ones"
    parser = content.made_by.parser
    match parser.kind:
        case "stanza":
            trees = f"by stanza's {parser.language} package {parser.package}"
        case "trees":
            trees = "that came with the corpus"
        case _:
            trees = "that are flat, as nothing parsed"
    return f"{content.levels} levels, {content.tags} tags; trees {trees} ({parser.identity[:12]})"


def _links(aligner: Aligner | None) -> str:
    if aligner is None or aligner.kind == "none":
        return "none"
    again = "" if aligner.deterministic else ", which gives others when it runs again"
    return f"between words, by {aligner.kind}{again}"


def description(dataset: Dataset) -> Iterator[str]:
    """What a dataset is, line by line; of one that others made, as much as is known.

    Raises:
        InputError: the manifest says what made it otherwise than the pipeline does.
    """
    manifest, where = dataset.manifest, f"{dataset.folder / MANIFEST}: manifest"
    yield f"{manifest.name}, {manifest.identity}"
    if "made_by" in manifest.content:
        for name, value in facts(manifest.content, where).items():
            yield f"{name}: {value}"
    else:
        yield f"languages: {manifest.source_language} to {manifest.target_language}"
    for split, counts in split_counts(manifest.content, where).items():
        yield f"{split}: {', '.join(f'{count:,} {COUNTS[name]}' for name, count in counts.items())}"
    for name, file in manifest.files.items():
        yield f"{name}: {file.bytes:,} bytes, {file.sha256}"


def differences(first: Dataset, second: Dataset) -> Iterator[str]:
    """What differs between two datasets, a line each.

    Raises:
        InputError: a file is damaged.
    """
    if first.manifest.identity == second.manifest.identity:
        yield f"{first.folder} and {second.folder} are the same: {first.manifest.identity}"
        return
    values, others = (dict(_flat(dataset.manifest.content)) for dataset in (first, second))
    for key in sorted(values.keys() | others.keys()):
        value, other = values.get(key, ABSENT), others.get(key, ABSENT)
        if value != other:
            yield f"{key}: {value} -> {other}"
    for side, mine, theirs in zip(SIDES, first.vocabularies, second.vocabularies, strict=True):
        yield from _overlap(f"vocabulary of the {side}", set(mine.symbols), set(theirs.symbols))
    yield from _overlap("tags", set(first.tags), set(second.tags))
    for split in {**first.manifest.rows, **second.manifest.rows}:
        yield from _pairs(split, first, second)


def _flat(content: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """The values of a manifest by their paths; a file is known by its SHA-256, shown in brief."""
    if isinstance(content, Mapping) and "sha256" in content:
        yield path, str(content["sha256"])[:12]
    elif isinstance(content, Mapping) and content:
        for key, value in content.items():
            yield from _flat(value, f"{path}.{key}" if path else str(key))
    else:
        yield path, content


def _overlap(what: str, first: set[str], second: set[str]) -> Iterator[str]:
    if first != second:
        both = len(first & second)
        yield f"{what}: {_shared(both, len(first) - both, len(second) - both)}"


def _pairs(split: str, first: Dataset, second: Dataset) -> Iterator[str]:
    """How many sentence pairs of a split both have, a pair that comes twice being two."""
    (mine, counts), (theirs, other_counts) = (
        np.unique(_digests(dataset, split), return_counts=True) for dataset in (first, second)
    )
    _, here, there = np.intersect1d(mine, theirs, assume_unique=True, return_indices=True)
    both = int(np.minimum(counts[here], other_counts[there]).sum())
    alone = int(counts.sum()) - both, int(other_counts.sum()) - both
    if any(alone):
        yield f"pairs of {split}: {_shared(both, *alone)}"


def _shared(both: int, first: int, second: int) -> str:
    return f"{both:,} in both, {first:,} in the first alone, {second:,} in the second alone"


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
