"""What a dataset is, in a few facts: for its card, and for who asks on the command line."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mgsa.data.manifest import Manifest

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


def facts(content: Mapping[str, Any]) -> dict[str, str]:
    """What the manifest `content` says of a dataset as a whole, by what it is about."""
    made_by = content["made_by"]
    found = {
        "languages": f"{content['source_language']} to {content['target_language']}",
        "vocabulary": _vocabulary(content["vocabulary"]),
        "phrases": _phrases(content, made_by["parser"]),
        "links": _links(made_by["aligner"]),
        "made with": ", ".join(f"{name} {v}" for name, v in made_by["libraries"].items()),
    }
    if "reversed_from" in made_by:
        found["turned round"] = f"from the dataset {made_by['reversed_from']}"
    return found


def split_counts(content: Mapping[str, Any]) -> dict[str, list[int]]:
    """For each split, the counts that `COUNTS` names, in its order."""
    return {
        split: [counts.get(name, 0) for name in COUNTS]
        for split, counts in content["splits"].items()
    }


def _vocabulary(sizes: Mapping[str, Any]) -> str:
    if sizes["joint"]:
        return f"{sizes['source']:,} subwords of both languages"
    return f"{sizes['source']:,} subwords of the source, {sizes['target']:,} of the target"


def _phrases(content: Mapping[str, Any], parser: Mapping[str, Any]) -> str:
    if not content["levels"]:
        return "none: trains models that ask for no syntactic ones"
    said = f"{content['levels']} levels, {content['tags']} tags; trees "
    match parser["kind"]:
        case "stanza":
            said += f"by stanza's {parser['language']} package {parser['package']}"
        case "trees":
            said += "that came with the corpus"
        case _:
            said += "that are flat, as nothing parsed"
    return f"{said} ({parser['identity'][:12]})"


def _links(aligner: Mapping[str, Any] | None) -> str:
    if aligner is None or aligner["kind"] == "none":
        return "none"
    again = "" if aligner["deterministic"] else ", which gives others when it runs again"
    return f"between words, by {aligner['kind']}{again}"


def description(manifest: Manifest) -> Iterator[str]:
    """What a dataset is, line by line."""
    content = manifest.content
    yield f"{content['name']}, {manifest.identity}"
    for name, value in facts(content).items():
        yield f"{name}: {value}"
    for split, counts in split_counts(content).items():
        named = zip(counts, COUNTS.values(), strict=True)
        yield f"{split}: {', '.join(f'{count:,} {name}' for count, name in named)}"
    for name, (size, digest) in manifest.files.items():
        yield f"{name}: {size:,} bytes, {digest}"
