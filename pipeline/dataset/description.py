"""A dataset in a few facts, and what differs between two: their manifests, symbols and pairs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from mgsa.base.cli import progress
from pipeline.base.stage import SIDES
from pipeline.dataset.manifest import CARD

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


def facts(content: Mapping[str, Any]) -> dict[str, str]:
    """What a manifest of the pipeline says of a dataset as a whole, by what it is about."""
    sizes, made_by = content["vocabulary"], content["made_by"]
    parser, aligner = made_by["parser"], made_by["aligner"]
    vocabulary = f"{sizes['source']:,} subwords of the source, {sizes['target']:,} of the target"
    if sizes["joint"]:
        vocabulary = f"{sizes['source']:,} subwords of both languages"
    match parser["kind"]:
        case "stanza":
            trees = f"by stanza's {parser['language']} package {parser['package']}"
        case "trees":
            trees = "that came with the corpus"
        case _:
            trees = "that are flat, as nothing parsed"
    phrases = "none: trains models that ask for no syntactic ones"
    if content["levels"]:
        phrases = f"{content['levels']} levels, {content['tags']} tags; trees {trees}"
        phrases += f" ({parser['identity'][:12]})"
    links = "none"
    if aligner and aligner["kind"] != "none":
        again = "" if aligner["deterministic"] else ", which gives others when it runs again"
        links = f"between words, by {aligner['kind']}{again}"
    found = {
        "languages": f"{content['source_language']} to {content['target_language']}",
        "vocabulary": vocabulary,
        "phrases": phrases,
        "links": links,
        "made with": ", ".join(f"{name} {v}" for name, v in made_by["libraries"].items()),
    }
    if "reversed_from" in made_by:
        found["turned round"] = f"from the dataset {made_by['reversed_from']}"
    return found


def description(folder: Path) -> Iterator[str]:
    """What a dataset is, line by line; of one that others made, as much as is known."""
    from mgsa.data.dataset import open_dataset

    manifest = open_dataset(folder, verify=False).manifest
    yield f"{manifest.name}, {manifest.identity}"
    if CARD in manifest.files:  # the pipeline made it
        yield from (f"{name}: {value}" for name, value in facts(manifest.content).items())
    else:
        yield f"languages: {manifest.source_language} to {manifest.target_language}"
    for split, counts in manifest.content["splits"].items():
        shown = [f"{counts[name]:,} {what}" for name, what in COUNTS.items() if name in counts]
        yield f"{split}: {', '.join(shown)}"
    for name, file in manifest.files.items():
        yield f"{name}: {file.bytes:,} bytes, {file.sha256}"


def differences(*folders: Path) -> Iterator[str]:
    """What differs between two datasets, a line each.

    Raises:
        InputError: a file is damaged.
    """
    from mgsa.data.dataset import open_dataset

    first, second = (open_dataset(folder, verify=False) for folder in folders)
    if first.manifest.identity == second.manifest.identity:
        yield f"{first.folder} and {second.folder} are the same: {first.manifest.identity}"
        return
    values, others = (dict(_flat(dataset.manifest.content)) for dataset in (first, second))
    for key in sorted(values.keys() | others.keys()):
        value, other = values.get(key, ABSENT), others.get(key, ABSENT)
        if value != other:
            yield f"{key}: {value} -> {other}"
    symbols = {
        f"vocabulary of the {side}": (mine.symbols, theirs.symbols)
        for side, mine, theirs in zip(SIDES, first.vocabularies, second.vocabularies, strict=True)
    }
    for what, (mine, theirs) in {**symbols, "tags": (first.tags, second.tags)}.items():
        yield from _overlap(what, len({*mine} & {*theirs}), len(mine), len(theirs))
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


def _pairs(split: str, first: Dataset, second: Dataset) -> Iterator[str]:
    """How many sentence pairs of a split both have, a pair that comes twice being two."""
    (mine, counts), (theirs, other_counts) = (
        np.unique(_hashes(dataset, split), return_counts=True) for dataset in (first, second)
    )
    _, here, there = np.intersect1d(mine, theirs, assume_unique=True, return_indices=True)
    both = int(np.minimum(counts[here], other_counts[there]).sum())
    yield from _overlap(f"pairs of {split}", both, int(counts.sum()), int(other_counts.sum()))


def _overlap(what: str, both: int, first: int, second: int) -> Iterator[str]:
    if not both == first == second:
        alone = f"{first - both:,} in the first alone, {second - both:,} in the second alone"
        yield f"{what}: {both:,} in both, {alone}"


def _hashes(dataset: Dataset, split: str) -> np.ndarray:
    """(rows,) int64: the hash of each pair's text; 8 bytes a pair are all that is kept."""
    if split not in dataset.manifest.rows:
        return np.zeros(0, dtype=np.int64)
    rows = dataset.num_rows(split)
    texts = dataset.texts(split, "source_text"), dataset.texts(split, "target_text")
    pairs = zip(*texts, strict=True)
    shown = progress(pairs, f"read {split}", total=rows, unit="pairs", size=lambda _: 1)
    return np.fromiter(map(hash, shown), np.int64, rows)
