"""Heat maps of attention as charts."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import accumulate

from pipeline.analyze.heat_maps import HeatMap
from pipeline.charts import TEXT, Spec, chart, labels

LONGEST_LABEL = 40
TITLES = {
    "encoder": ["{}: encoder, layer {}", "rows and columns: the source"],
    "decoder": ["{}: decoder, layer {}", "rows and columns: target subwords read so far"],
    "cross": [
        "{}: cross-attention, layer {}",
        "rows: target subwords predicted, columns: the source",
    ],
}
PART_NAMES = {"words": "subwords"}
"""Word attention attends to subwords."""


def heat_map_chart(heat_map: HeatMap, sentence: str) -> Spec:
    """A heat map with its quadrants separated; all maps share one colour scale.

    `sentence` names the sentence in the title.
    """
    rows = [
        {"row": row, "column": column, "weight": round(float(weight), 4)}
        for row, weights in enumerate(heat_map.weights)
        for column, weight in enumerate(weights)
    ]
    spec = chart("heat_map", rows, x="column", y="row")
    title, subtitle = TITLES[heat_map.place]
    spec["title"] |= {"text": title.format(sentence, heat_map.layer), "subtitle": subtitle}
    for channel, parts in (("x", heat_map.keys), ("y", heat_map.queries)):
        place = spec["encoding"][channel]
        texts = [_cut(text) for some in parts.values() for text in some]
        place["axis"]["labelExpr"] = labels(texts)
        starts = accumulate(map(len, parts.values()), initial=0)
        places = zip(parts.items(), starts, strict=False)
        firsts = {name: first for (name, some), first in places if some}
        # A part of rows that is alone needs no name.
        for name, first in firsts.items() if channel == "x" or len(firsts) > 1 else ():
            spec["layer"] += _part(channel, place["field"], PART_NAMES.get(name, name), first)
    return spec


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST_LABEL else f"{text[: LONGEST_LABEL - 1]}…"


def _part(channel: str, field: str, name: str, first: int) -> Iterator[Spec]:
    """The boundary line of a part (axis range) and its name beside the map."""
    across = "y" if channel == "x" else "x"
    position = {"type": "ordinal", "field": field}
    data = {"values": [{field: first}]}
    if first:
        line = {channel: {**position, "bandPosition": 0}, across: None}
        yield {"data": data, "mark": {"type": "rule", "color": TEXT}, "encoding": line}
    beside = {"y": {"value": -4}} if channel == "x" else {"x": {"value": {"expr": "width + 6"}}}
    angle = -25 if channel == "x" else 0
    text = {"text": name, "fontStyle": "italic", "color": TEXT, "align": "left", "angle": angle}
    yield {
        "data": data,
        "mark": {"type": "text", **text},
        "encoding": {channel: position, **beside},
    }
