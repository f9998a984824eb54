"""What a dataset is, in a few facts: for its card, and for who asks on the command line."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mgsa.base.io import MANIFEST
from mgsa.base.settings import Count, Language, from_excerpt

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


@dataclass(frozen=True)
class _Vocabulary:
    source: Count
    target: Count
    joint: bool


@dataclass(frozen=True)
class _Parser:
    kind: str
    identity: str


@dataclass(frozen=True)
class _Models:
    """What is read of a parser besides, if it is stanza's."""

    language: str
    package: str


@dataclass(frozen=True)
class _Aligner:
    kind: str
    deterministic: bool


@dataclass(frozen=True)
class _MadeBy:
    libraries: dict[str, str]
    parser: _Parser
    aligner: _Aligner | None


@dataclass(frozen=True)
class _Reversed:
    reversed_from: str


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
    found = from_excerpt(_Content, content, where)
    made_by, where = content["made_by"], f"{where}.made_by"
    libraries = found.made_by.libraries.items()
    said = {
        "languages": f"{found.source_language} to {found.target_language}",
        "vocabulary": _vocabulary(found.vocabulary),
        "phrases": _phrases(found, made_by["parser"], f"{where}.parser"),
        "links": _links(found.made_by.aligner),
        "made with": ", ".join(f"{name} {version}" for name, version in libraries),
    }
    if "reversed_from" in made_by:
        origin = from_excerpt(_Reversed, made_by, where).reversed_from
        said["turned round"] = f"from the dataset {origin}"
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


def _phrases(content: _Content, parser: Mapping[str, Any], where: str) -> str:
    if not content.levels:
        return "none: trains models that ask for no syntactic ones"
    said = f"{content.levels} levels, {content.tags} tags; trees "
    match content.made_by.parser.kind:
        case "stanza":
            models = from_excerpt(_Models, parser, where)
            said += f"by stanza's {models.language} package {models.package}"
        case "trees":
            said += "that came with the corpus"
        case _:
            said += "that are flat, as nothing parsed"
    return f"{said} ({content.made_by.parser.identity[:12]})"


def _links(aligner: _Aligner | None) -> str:
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
