"""What models attend to: shares of attention by quadrant and layer, and heat maps of sentences."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from mgsa.base.errors import InputError
from pipeline.analyze import SHARES
from pipeline.report_page.charts.bars import Part, stacked
from pipeline.report_page.inputs import Inputs
from pipeline.report_page.numbers import read_count, read_number, read_table
from pipeline.report_page.section import Context
from pipeline.report_page.system import System

QUADRANTS = ("token_to_token", "token_to_phrase", "phrase_to_token", "phrase_to_phrase")
PLACES = {
    "encoder": "encoder self-attention",
    "decoder": "decoder self-attention",
    "cross": "cross-attention",
}

_SENTENCE = re.compile(r"(.+)_(\d+)")
_NGRAMS = re.compile(r"ngram_(\d+)_to_ngram_(\d+)")
_MAP = re.compile(r"([a-z]+)_(\d+)\.(?:svg|png)")


@dataclass(frozen=True)
class Layer:
    """The shares of a layer's attention, of quadrants and of the kinds of keys within them."""

    place: str
    layer: int
    quadrants: dict[str, float]
    kinds: dict[str, float]
    parts: tuple[Part, ...]


@dataclass(frozen=True)
class HeatMapSet:
    """The maps of one sentence at one place, layer by layer."""

    system: str
    split: str
    sentence: int
    place: str
    source: str | None
    maps: tuple[tuple[int, str], ...]


def context(inputs: Inputs) -> Context | None:
    systems = [system for system in inputs.systems if system.attention is not None]
    if not systems:
        return None
    sources = inputs.lines("tokenized", "source")
    shares = [(system.name, list(_layers(system))) for system in systems]
    return {
        "systems": shares,
        "has_kinds": any(
            len(layer.kinds) > len(layer.quadrants) for _, layers in shares for layer in layers
        ),
        "quadrants": [
            name
            for name in QUADRANTS
            if any(name in layer.quadrants for _, layers in shares for layer in layers)
        ],
        "places": PLACES,
        "heat_maps": [
            one for system in systems for one in _heat_maps(system, inputs.settings.split, sources)
        ],
        "language": inputs.languages["source"],
        "paths": [system.attention for system in systems],
    }


def _layers(system: System) -> Iterator[Layer]:
    """The layers in the order of the file."""
    assert system.attention is not None
    path = system.attention / SHARES
    found: dict[tuple[str, int], dict[tuple[str, str], float]] = {}
    columns = ("place", "layer", "attention", "quadrant", "share")
    for line, row in read_table(path, columns):
        if row["quadrant"] not in QUADRANTS:
            raise InputError(f"expected one of {', '.join(QUADRANTS)}", path=path, line=line)
        layer = read_count(row, "layer", path=path, line=line)
        share = read_number(row["share"], path=path, line=line)
        of_layer = found.setdefault((row["place"], layer), {})
        of_layer[row["quadrant"], row["attention"]] = share
    for (place, layer), shares in found.items():
        quadrants = {
            name: sum(share for (of, _), share in shares.items() if of == name)
            for name in QUADRANTS
            if any(of == name for of, _ in shares)
        }
        yield Layer(
            place,
            layer,
            quadrants,
            {kind_name(kind): share for (_, kind), share in shares.items()},
            stacked(quadrants),
        )


def kind_name(kind: str) -> str:
    """What weights are of, for people: `2-grams to words` for `ngram_2_to_ngram_1`."""
    sizes = _NGRAMS.fullmatch(kind)
    if sizes is None:
        return kind.replace("_", " ")
    query, key = ("words" if size == "1" else f"{size}-grams" for size in sizes.groups())
    return f"{query} to {key}"


def picture(path: Path) -> str:
    """An SVG or PNG file as the address of a picture that holds its own data."""
    kind = "png" if path.suffix == ".png" else "svg+xml"
    return f"data:image/{kind};base64,{base64.b64encode(path.read_bytes()).decode('ascii')}"


def _heat_maps(system: System, split: str, sources: list[str] | None) -> Iterator[HeatMapSet]:
    assert system.attention is not None
    folder = system.attention / "heat_maps"
    named = [
        (match, path) for path in folder.glob("*") if (match := _SENTENCE.fullmatch(path.name))
    ]
    for match, sentence in sorted(named, key=lambda one: (one[0][1], int(one[0][2]))):
        index = int(match[2])
        known = sources is not None and match[1] == split and index < len(sources)
        found: dict[str, list[tuple[int, Path]]] = {}
        for path in sorted(sentence.iterdir()):
            of_map = _MAP.fullmatch(path.name)
            if of_map:
                found.setdefault(of_map[1], []).append((int(of_map[2]), path))
        for place in sorted(found, key=lambda place: ([*PLACES, place].index(place), place)):
            yield HeatMapSet(
                system=system.name,
                split=match[1],
                sentence=index,
                place=place,
                source=sources[index] if known and sources is not None else None,
                maps=tuple((layer, picture(path)) for layer, path in sorted(found[place])),
            )
