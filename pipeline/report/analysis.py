"""Analyses of models: phrasal patterns, attention, probing."""

import base64
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

from markupsafe import Markup

from mgsa.cli.errors import InputError
from mgsa.cli.outputs import MANIFEST, digest, sha256
from pipeline.analyze.settings import SHARES
from pipeline.charts import SYSTEMS, chart, panel
from pipeline.formats.tables import Record, Row, read_csv
from pipeline.formats.text import SPLITS
from pipeline.phrasal_patterns.figures import FEWEST, TABLES, drawn_panels, pattern_chart
from pipeline.probe.accuracies import MAJORITY, accuracy_chart, last_layers, layer_chart
from pipeline.report.blocks import (
    MACROS,
    PROSE,
    details,
    figure,
    group,
    html,
    number,
    table,
    text_in,
)
from pipeline.report.inputs import Inputs, Text
from pipeline.report.settings import SPLIT

QUADRANTS = {
    "token_to_token": SYSTEMS[5],
    "token_to_phrase": SYSTEMS[1],
    "phrase_to_token": SYSTEMS[2],
    "phrase_to_phrase": SYSTEMS[3],
}
PLACES = {
    "encoder": "encoder self-attention",
    "decoder": "decoder self-attention",
    "cross": "cross-attention",
}
TASKS = {
    "voice": ("Voice", "Is the main clause active or passive?"),
    "tense": ("Tense", "Is the finite verb of the main clause in the past tense?"),
    "tss": ("Top-level sequence (TSS)", "Which constituents does the sentence consist of?"),
    "spc": (
        "Smallest phrase constituent (SPC)",
        "Which constituent is right above the word’s part of speech?",
    ),
    "pos": ("Part of speech (POS)", "Which part of speech is the word?"),
}
"""Title and question of each task."""
GREY = 6
"""The style of the majority class."""


def patterns(inputs: Inputs) -> Iterator[Markup]:
    """Which n-grams systems get right: by size, by source length, by syntactic category."""
    folder = inputs.paths.get("patterns")
    if folder is None:
        return
    report, translated = inputs.report("phrasal_patterns"), inputs.paths.get("translations")
    if report and translated:
        text = Text.read(translated / f"{SPLIT}.hypotheses")
        _check_recipe(report, "hypotheses", digest(text.lines), text.path)
    tables = {
        name: read_csv(folder / f"{name}.csv", "system", "baseline", *texts)
        for name, (_, _, texts) in TABLES.items()
        if (folder / f"{name}.csv").is_file()  # without a source there are n-grams alone
    }
    ngrams = tables["ngrams"]
    baseline = ngrams[0].get("baseline")
    systems = dict.fromkeys(row["system"] for row in ngrams)
    styles = {name: style for name, style in inputs.styles.items() if name in systems}
    if len(styles) < len(systems):
        styles = {system: style for style, system in enumerate(systems)}
    yield PROSE.ngrams(baseline)
    yield MACROS.legend(styles)
    compared = [_panels("ngrams", ngrams, to, styles) for to in dict.fromkeys((None, baseline))]
    yield group("charts", [drawing for panels in compared for drawing in panels.values()])
    if lengths := tables.get("lengths"):
        yield PROSE.lengths(FEWEST["sentences"])
        yield group("charts", _panels("lengths", lengths, baseline, styles).values())
    if (categories := tables.get("categories")) and not inputs.flat_trees:
        yield PROSE.categories(FEWEST["ngrams"])
        panels = _panels("categories", categories, baseline, styles)
        for place, (title, drawing) in enumerate(panels.items()):
            yield details(title, drawing, style="drawing", opened=place == 0)


def _panels(
    table: str, rows: Sequence[Row], baseline: str | None, styles: Mapping[str, int]
) -> dict[str, Markup]:
    """Charts of scores or, given a baseline, of differences to it, by title."""
    fitted = partial(panel, width=420, height=None) if table == "categories" else panel
    above = "" if baseline is None else f", above {baseline}"
    return {
        title: figure(title + above, fitted(pattern_chart(table, some, baseline, styles)))
        for title, some in drawn_panels(table, rows).items()
    }


def attention(inputs: Inputs) -> Iterator[Markup]:
    """Shares of attention by quadrant and layer; heat maps of sentences."""
    folders = inputs.system_outputs("attention")
    texts = ("place", "attention", "quadrant")
    shares = {name: read_csv(folder / SHARES, *texts) for name, folder in folders.items()}
    # Attention from subwords to subwords alone has nothing to share out.
    shares = {n: some for n, rows in shares.items() if (some := _of_phrases(rows))}
    if shares:
        yield PROSE.attention(QUADRANTS)
    for name, rows in shares.items():
        spec = chart("attention_shares", rows, x="share", y="layer")
        del spec["facet"]["row"]
        colours = {"domain": list(QUADRANTS), "range": list(QUADRANTS.values())}
        spec["spec"]["encoding"]["color"]["scale"] = colours
        yield figure(f"Shares of {name}", spec)
    maps = [one for system in folders.items() for one in _heat_maps(*system, inputs)]
    if maps:
        yield PROSE.heat_maps()
    for place, (summary, pictures) in enumerate(maps):
        yield details(summary, pictures, style="drawing", opened=place == 0)


def _of_phrases(rows: Sequence[Row]) -> list[Row]:
    """The shares of the layers that attend to phrases, or from them."""
    layers = {(row["place"], row["layer"]) for row in rows if row["quadrant"] != "token_to_token"}
    return [row for row in rows if (row["place"], row["layer"]) in layers]


def _heat_maps(system: str, folder: Path, inputs: Inputs) -> Iterator[tuple[Markup, Markup]]:
    """For each sentence and place a summary and the maps of all layers: `test_0/encoder_1.svg`."""
    sources = inputs.text("tokenized", "source")
    maps: dict[tuple[str, int, int], list[tuple[int, str]]] = defaultdict(list)
    for path in folder.glob("heat_maps/*/*"):
        split, _, index = path.parent.name.rpartition("_")
        place, _, layer = path.stem.rpartition("_")
        data = base64.b64encode(path.read_bytes()).decode("ascii")
        picture = (int(layer), f"data:image/svg+xml;base64,{data}")
        maps[split, int(index), list(PLACES).index(place)].append(picture)
    for (split, sentence, number_of_place), pictures in sorted(maps.items()):
        title = list(PLACES.values())[number_of_place]
        of_split = sources if split == SPLIT else None
        text = of_split.lines[sentence] if of_split else ""
        summary = html(
            '{}{} <span class="muted">of {}, sentence {}</span> {}',
            f"{system}, " if len(inputs.systems) > 1 else "",
            *(title, split, sentence, text_in(inputs.languages["source"], text)),
        )
        label = f"Heat maps of {system}, {title}, {split} sentence {sentence}"
        yield summary, MACROS.heat_maps(label, sorted(pictures))


def _check_recipe(report: Record, key: str, identity: str, path: Path) -> None:
    """Raise an `InputError` for a report of others than the one at `path`."""
    known = report["recipe"][0].get(key, [identity])
    if identity not in (known.values() if isinstance(known, dict) else known):
        raise InputError(f"expected a report of {path}", path=report.path)


def probing(inputs: Inputs) -> Iterator[Markup]:
    """Accuracies of probes: every encoder beside the majority class, by task and by layer."""
    report, data = inputs.report("probe"), inputs.report("probe_data")
    if report is None or not report["cells"]:
        return
    if model := inputs.paths.get("model"):
        _check_recipe(report, "models", sha256(model / MANIFEST), model)
    cells = report["cells"]
    encoders = dict.fromkeys(cell["encoder"] for cell in cells)
    styles = {name: style for style, name in enumerate(encoders)} | {MAJORITY: GREY}
    yield PROSE.probing(number(report["test_sentences"]))
    if len(cells) > len(last_layers(cells)):
        yield MACROS.legend(styles)
    tasks = dict.fromkeys(cell["task"] for cell in cells)
    of_tasks = [[cell for cell in cells if cell["task"] == task] for task in tasks]
    yield group("beside", [_task(some, styles, data) for some in of_tasks])


def _task(cells: Sequence[Row], styles: Mapping[str, int], data: Record | None) -> Markup:
    """The last layers, the curve over all of them, classes."""
    task = cells[0]["task"]
    title, question = TASKS.get(task, (task, ""))
    last = last_layers(cells)
    about = '<h3>{}</h3><p>{} <span class="muted">{} classes, {} in the test split.</span></p>'
    counts = [number(cells[0][name]) for name in ("classes", "counted")]
    blocks = [html(about, title, question, *counts)]
    drawn = panel(accuracy_chart(last, styles), height=None)
    blocks.append(figure(f"{title}, last layers", drawn))
    if len(cells) > len(last):
        blocks.append(figure(f"{title} by layer", panel(layer_chart(cells, styles))))
    if data is not None:
        classes = [
            {"class": name} | {split: number(data[split][task][name]) for split in SPLITS}
            for name in data["train"][task]
        ]
        blocks.append(details("Classes", table(f"Classes of {title}", classes), style="numbers"))
    return html('<div class="task">{}</div>', Markup().join(blocks))
