"""Models: how they learned, and what they attend to."""

from __future__ import annotations

import base64
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Literal, NamedTuple

from markupsafe import Markup

from pipeline.analyze import SHARES
from pipeline.base.charts import LARGEST, chart
from pipeline.base.tables import Row, read_csv
from pipeline.report_page.blocks import (
    Block,
    Details,
    Figure,
    Files,
    Group,
    Legend,
    Part,
    Table,
    figure,
    files,
    line_figure,
)
from pipeline.report_page.inputs import Inputs, System
from pipeline.report_page.markup import foreign, html, listed, shortened
from pipeline.report_page.numbers import counted, fixed, percent, plain

CURVES = "plots/metrics"
"""Where DVCLive puts its curves: a file for each metric."""


class Curve(NamedTuple):
    """How a metric is drawn."""

    title: str
    scale: Literal["linear", "log"] = "linear"
    digits: int = 3


CURVE_KINDS = {
    "valid_bleu_tokenized": Curve("Validation BLEU (tokenised)", digits=2),
    "valid_nll": Curve("Validation loss (NLL a token)"),
    "train_nll": Curve("Training loss (NLL a token)"),
    "valid_tag_accuracy": Curve("Validation accuracy of phrase tags"),
    "valid_alignment_nll": Curve("Validation loss of alignment"),
    "valid_perplexity": Curve("Validation perplexity", "log"),
    "train_perplexity": Curve("Training perplexity", "log"),
    "train_loss": Curve("Training objective"),
    "train_tag_nll": Curve("Training loss of phrase tags"),
    "valid_tag_nll": Curve("Validation loss of phrase tags"),
    "train_tag_accuracy": Curve("Training accuracy of phrase tags"),
    "train_alignment_nll": Curve("Training loss of alignment"),
    "learning_rate": Curve("Learning rate", digits=6),
    "gradient_norm": Curve("Norm of the gradient"),
}
"""The metrics of a training in order; others follow by name."""
CURVES_SHOWN = 4
"""The others are unfolded on request."""
QUADRANTS = {
    "token_to_token": "var(--token-to-token, #5a91ef)",
    "token_to_phrase": "var(--token-to-phrase, #e08f3f)",
    "phrase_to_token": "var(--phrase-to-token, #2b9576)",
    "phrase_to_phrase": "var(--phrase-to-phrase, #854793)",
}
PLACES = {
    "encoder": "encoder self-attention",
    "decoder": "decoder self-attention",
    "cross": "cross-attention",
}
_SENTENCE = re.compile(r"(.+)_(\d+)")
_NGRAMS = re.compile(r"ngram_(\d+)_to_ngram_(\d+)")
_MAP = re.compile(r"([a-z]+)_(\d+)\.svg")


def curves(inputs: Inputs) -> Iterator[Block]:
    """The learning curves that DVCLive wrote, every system in one chart."""
    folders = {s.name: s.curves / CURVES for s in inputs.systems if s.curves is not None}
    names = {path.stem for folder in folders.values() for path in folder.glob("*.tsv")}
    ordered = [name for name in CURVE_KINDS if name in names] + sorted(names - CURVE_KINDS.keys())
    figures = [_curve(name, folders, inputs.styles) for name in ordered]
    charts = [figure for figure in figures if figure is not None]
    if not charts:
        return
    yield Legend({name: inputs.styles[name] for name in folders})
    yield Group(charts[:CURVES_SHOWN], "charts")
    if more := charts[CURVES_SHOWN:]:
        yield Details(counted(len(more), "more curve"), [Group(more, "charts")])
    ends = {name: report.numbers() for name, report in inputs.systems_reports("train").items()}
    if ends:
        keys = list(dict.fromkeys(key for numbers in ends.values() for key in numbers))
        rows = [[name, *(plain(n.get(key)) for key in keys)] for name, n in ends.items()]
        columns = ["system", *(key.replace("_", " ") for key in keys)]
        whose = "the training" if len(ends) == 1 else "each training"
        yield Details(f"How {whose} ended", [Table("Ends of the trainings", columns, rows)])
    yield Files(list(folders.values()))


def _curve(metric: str, folders: Mapping[str, Path], styles: Mapping[str, int]) -> Figure | None:
    """The chart of a metric; none of one that is zero throughout, such as skipped batches."""
    kind = CURVE_KINDS.get(metric, Curve(metric.replace("_", " ")))
    rows = [
        {"rev": name, "update": row["step"], "value": row[metric]}
        for name, folder in folders.items()
        if (path := folder / f"{metric}.tsv").is_file()
        for row in read_csv(path, {"step": float, metric: float}, delimiter="\t")
        if abs(row[metric]) <= LARGEST and (row[metric] > 0 or kind.scale != "log")
    ]
    if not any(row["value"] for row in rows):
        return None
    return line_figure(
        kind.title,
        rows,
        "update",
        "value",
        lambda value: fixed(value, kind.digits),
        x_name="update",
        scale={"type": kind.scale, "zero": len({row["value"] for row in rows}) == 1},
        styles=styles,
    )


def attention(inputs: Inputs) -> Iterator[Block]:
    """Shares of attention by quadrant and layer; heat maps of sentences."""
    folders = {s.name: s.attention for s in inputs.systems if s.attention is not None}
    columns = {"place": str, "layer": int, "attention": str, "quadrant": str, "share": float}
    shares = {name: read_csv(folder / SHARES, columns) for name, folder in folders.items()}
    shown = {n: rows for n, rows in shares.items() if len({row["quadrant"] for row in rows}) > 1}
    maps = [
        map_
        for system in inputs.systems
        if system.attention is not None
        for map_ in _heat_maps(system, system.attention / "heat_maps", len(folders) > 1, inputs)
    ]
    if shown:
        present = {row["quadrant"] for rows in shown.values() for row in rows}
        quadrant = '<span class="quadrant" style="--tag:{}">{}</span>'
        yield Markup(
            "<p>Of the attention that each layer pays over the whole test split, the share that "
            "goes from subwords or phrases to subwords or phrases; references are the target.</p>"
        )
        yield listed(
            "families",
            (html(quadrant, c, _words(name)) for name, c in QUADRANTS.items() if name in present),
        )
    for number, (name, rows) in enumerate(shown.items()):
        drawing = _shares_figure(name, rows)
        several = len(shown) > 1
        yield Details(name, [drawing], number == 0, "drawing") if several else drawing
    alone = [name for name in shares if name not in shown]
    if alone and (shown or maps):
        yield html(
            "<p>{}: every layer attends from subwords to subwords alone.</p>", ", ".join(alone)
        )
    if maps:
        yield Markup("<h3>Heat maps</h3>")
        yield Markup(
            "<p>Weights are means over the heads that attend to a part; lines set subwords and "
            "phrases apart (quadrants). All maps share one colour scale.</p>"
        )
        yield from (Details(*map_, i == 0, "drawing") for i, map_ in enumerate(maps))
    if shown or maps:
        yield files(*folders.values())


def _words(name: str) -> str:
    return name.replace("_", " ").replace("token", "subword")


def _shares_figure(name: str, rows: Sequence[Row]) -> Figure:
    spec = chart("attention_shares", rows, x="share", y="layer")
    del spec["facet"]["row"]
    spec["spec"]["encoding"]["color"]["scale"] = {
        "domain": list(QUADRANTS),
        "range": list(QUADRANTS.values()),
    }
    quadrants = [name for name in QUADRANTS if any(row["quadrant"] == name for row in rows)]
    lines = []
    for (place, layer), layer_rows in groupby(rows, lambda row: (row["place"], row["layer"])):
        some = list(layer_rows)
        sums = [sum(row["share"] for row in some if row["quadrant"] == q) for q in quadrants]
        detail = ", ".join(f"{kind_name(r['attention'])} {percent(r['share'])}" for r in some)
        lines.append([place, plain(layer), *map(percent, sums), detail])
    columns = ["attention", "layer", *map(_words, quadrants), "in detail"]
    table = Table(f"Shares of attention of {name}", columns, lines)
    return figure(f"Shares of {name}", spec, table)


def kind_name(kind: str) -> str:
    """Weights for people: `2-grams to subwords` for `ngram_2_to_ngram_1`."""
    sizes = _NGRAMS.fullmatch(kind)
    if sizes is None:
        return "subwords" if kind == "words" else kind.replace("_", " ")
    query, key = ("subwords" if size == "1" else f"{size}-grams" for size in sizes.groups())
    return f"{query} to {key}"


def _heat_maps(
    system: System, folder: Path, several: bool, inputs: Inputs
) -> Iterator[tuple[Markup, list[Block]]]:
    """For each sentence and place a summary and the maps of all layers."""
    sources, language = inputs.lines("tokenized", "source"), inputs.languages["source"]
    sentences = [(m, path) for path in folder.glob("*") if (m := _SENTENCE.fullmatch(path.name))]
    for match, sentence in sorted(sentences, key=lambda one: (one[0][1], int(one[0][2]))):
        split, index = match[1], int(match[2])
        known = sources is not None and split == inputs.settings.split and index < len(sources)
        maps: dict[str, list[tuple[int, str]]] = defaultdict(list)
        for path in sentence.iterdir():
            if of_map := _MAP.fullmatch(path.name):
                maps[of_map[1]].append((int(of_map[2]), picture(path)))
        for place in (place for place in PLACES if place in maps):
            title = html(
                '{}{} <span class="muted">of {}, sentence {}</span> {}',
                f"{system.name}, " if several else "",
                PLACES[place],
                split,
                index,
                foreign(shortened(sources[index]), language) if known and sources else "",
            )
            label = f"Heat maps of {system.name}, {place}, {split} sentence {index}"
            yield title, [Part("maps.html", {"maps": sorted(maps[place]), "label": label})]


def picture(path: Path) -> str:
    """An SVG file as the address of a picture that holds its own data."""
    return f"data:image/svg+xml;base64,{base64.b64encode(path.read_bytes()).decode('ascii')}"
