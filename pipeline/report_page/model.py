"""Models: how they learned, and what they attend to."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Literal, NamedTuple

from markupsafe import Markup

from mgsa.base.errors import InputError
from pipeline.analyze import SHARES
from pipeline.base.charts import LARGEST, chart, panel
from pipeline.base.tables import Row
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
    fixed,
    foreign,
    html,
    percent,
    plain,
    series_table,
    shortened,
)
from pipeline.report_page.files import read_count, read_number, read_table
from pipeline.report_page.inputs import Inputs, System

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
_MAP = re.compile(r"([a-z]+)_(\d+)\.(?:svg|png)")


def curves(inputs: Inputs) -> Iterator[Block]:
    """The learning curves that DVCLive wrote, every system in one chart."""
    folders = {s.name: s.curves / CURVES for s in inputs.systems if s.curves is not None}
    names = {path.stem for folder in folders.values() for path in folder.glob("*.tsv")}
    ordered = [
        *(name for name in CURVE_KINDS if name in names),
        *sorted(names - CURVE_KINDS.keys()),
    ]
    charts = [
        chart for name in ordered if (chart := _curve(name, folders, inputs.styles)) is not None
    ]
    if not charts:
        return
    yield Legend({name: inputs.styles[name] for name in folders})
    yield Group(charts[:CURVES_SHOWN], "charts")
    more = charts[CURVES_SHOWN:]
    if more:
        title = f"{len(more)} more {'curve' if len(more) == 1 else 'curves'}"
        yield Details(title, [Group(more, "charts")])
    ends = {s.name: r.numbers() for s in inputs.systems if (r := s.report("train")) is not None}
    if ends:
        keys = list(dict.fromkeys(key for numbers in ends.values() for key in numbers))
        rows = [
            [name, *(plain(numbers[key]) if key in numbers else "" for key in keys)]
            for name, numbers in ends.items()
        ]
        columns = ["system", *(key.replace("_", " ") for key in keys)]
        whose = "the training" if len(ends) == 1 else "each training"
        yield Details(f"How {whose} ended", [Table("Ends of the trainings", columns, rows)])
    yield Files(list(folders.values()))


def _curve(metric: str, folders: Mapping[str, Path], styles: Mapping[str, int]) -> Figure | None:
    """The chart of a metric; none of one that is zero throughout, such as skipped batches."""
    kind = CURVE_KINDS.get(metric, Curve(metric.replace("_", " ")))
    rows: list[Row] = []
    for name, folder in folders.items():
        path = folder / f"{metric}.tsv"
        for line, row in (
            read_table(path, ("step", metric), delimiter="\t") if path.is_file() else ()
        ):
            step, value = (
                read_number(row, key, path=path, line=line, finite=False)
                for key in ("step", metric)
            )
            if abs(value) <= LARGEST and (value > 0 or kind.scale != "log"):
                rows.append({"rev": name, "update": step, "value": value})
    if not any(row["value"] for row in rows):
        return None
    spec = chart("curves", rows, x="update", y="value", x_label="update", styles=styles)
    scale = spec["encoding"]["y"]["scale"]
    scale |= {"type": kind.scale, "zero": len({row["value"] for row in rows}) == 1}
    if kind.scale == "log":
        spec["encoding"]["y"]["axis"]["tickCount"] = 2  # powers of ten alone
    rows.sort(key=lambda row: row["update"])
    numbers = series_table(
        kind.title, rows, "update", "rev", lambda r: fixed(r["value"], kind.digits), x_name="update"
    )
    return figure(kind.title, panel(spec), numbers)


def attention(inputs: Inputs) -> Iterator[Block]:
    """Shares of attention by quadrant and layer; heat maps of sentences."""
    systems = [system for system in inputs.systems if system.attention is not None]
    shares = {system.name: list(_shares(system)) for system in systems}
    shown = {
        name: rows for name, rows in shares.items() if len({row["quadrant"] for row in rows}) > 1
    }
    maps = [block for system in systems for block in _heat_maps(system, inputs, systems)]
    if shown:
        yield Markup(
            "<p>Of the attention that each layer pays over the whole test split, the share that "
            "goes from subwords or phrases to subwords or phrases; references are the target.</p>"
        )
        yield html(
            '<ul class="families">{}</ul>',
            Markup().join(
                html('<li><span class="quadrant" style="--tag:{}">{}</span></li>', *one)
                for one in (
                    (colour, _words(name))
                    for name, colour in QUADRANTS.items()
                    if any(row["quadrant"] == name for rows in shown.values() for row in rows)
                )
            ),
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
        yield from maps
    if shown or maps:
        yield Files([system.attention for system in systems if system.attention is not None])


def _words(name: str) -> str:
    return name.replace("_", " ").replace("token", "subword")


def _shares(system: System) -> Iterator[Row]:
    assert system.attention is not None
    path = system.attention / SHARES
    for line, row in read_table(path, ("place", "layer", "attention", "quadrant", "share")):
        if row["quadrant"] not in QUADRANTS:
            raise InputError(f"expected one of {', '.join(QUADRANTS)}", path=path, line=line)
        yield {
            **row,
            "layer": read_count(row, "layer", path=path, line=line),
            "share": read_number(row, "share", path=path, line=line),
        }


def _shares_figure(name: str, rows: Sequence[Row]) -> Figure:
    spec = chart("attention_shares", rows, x="share", y="layer")
    del spec["facet"]["row"]
    spec["spec"]["encoding"]["color"]["scale"] = {
        "domain": list(QUADRANTS),
        "range": list(QUADRANTS.values()),
    }
    quadrants = [name for name in QUADRANTS if any(row["quadrant"] == name for row in rows)]
    layers: dict[tuple[str, int], list[Row]] = {}
    for row in rows:
        layers.setdefault((row["place"], row["layer"]), []).append(row)
    lines = [
        [place, plain(layer)]
        + [percent(sum(r["share"] for r in some if r["quadrant"] == q)) for q in quadrants]
        + [", ".join(f"{kind_name(r['attention'])} {percent(r['share'])}" for r in some)]
        for (place, layer), some in layers.items()
    ]
    columns = ["attention", "layer", *map(_words, quadrants), "in detail"]
    return figure(
        f"Shares of {name}", spec, Table(f"Shares of attention of {name}", columns, lines)
    )


def kind_name(kind: str) -> str:
    """Weights for people: `2-grams to subwords` for `ngram_2_to_ngram_1`."""
    sizes = _NGRAMS.fullmatch(kind)
    if sizes is None:
        return "subwords" if kind == "words" else kind.replace("_", " ")
    query, key = ("subwords" if size == "1" else f"{size}-grams" for size in sizes.groups())
    return f"{query} to {key}"


def _heat_maps(system: System, inputs: Inputs, systems: Sequence[System]) -> Iterator[Block]:
    assert system.attention is not None
    folder = system.attention / "heat_maps"
    sources, language = inputs.lines("tokenized", "source"), inputs.languages["source"]
    is_first = system is systems[0]
    sentences = [(m, path) for path in folder.glob("*") if (m := _SENTENCE.fullmatch(path.name))]
    for match, sentence in sorted(sentences, key=lambda one: (one[0][1], int(one[0][2]))):
        split, index = match[1], int(match[2])
        known = sources is not None and split == inputs.settings.split and index < len(sources)
        maps: dict[str, list[tuple[int, Path]]] = {}
        for path in sentence.iterdir():
            if of_map := _MAP.fullmatch(path.name):
                maps.setdefault(of_map[1], []).append((int(of_map[2]), path))
        for place in sorted(maps, key=lambda place: ([*PLACES, place].index(place), place)):
            title = html(
                '{}{} <span class="muted">of {}, sentence {}</span> {}',
                html("{}, ", system.name) if len(systems) > 1 else "",
                PLACES.get(place, place),
                split,
                index,
                foreign(shortened(sources[index]), language) if known and sources else "",
            )
            pictures = [(layer, picture(path)) for layer, path in sorted(maps[place])]
            label = f"Heat maps of {system.name}, {place}, {split} sentence {index}"
            part = Part("maps.html", {"maps": pictures, "label": label})
            yield Details(title, [part], is_first, "drawing")
            is_first = False


def picture(path: Path) -> str:
    """An SVG or PNG file as the address of a picture that holds its own data."""
    kind = "png" if path.suffix == ".png" else "svg+xml"
    return f"data:image/{kind};base64,{base64.b64encode(path.read_bytes()).decode('ascii')}"
