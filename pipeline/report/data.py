"""Data: the corpus, its subwords, and its word alignments."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence, Set
from itertools import product
from typing import Any

from markupsafe import Markup

from mgsa.data.word_links import Link
from pipeline.charts import MUTED, SYSTEMS, chart, labels
from pipeline.formats.links import PHARAOH, read_gold_links, read_links
from pipeline.formats.tables import Record, Row
from pipeline.formats.text import SIDES, SPLITS, read_sentences
from pipeline.report.blocks import drawn_sentence, figure, group, html, line_figure, number, table
from pipeline.report.inputs import Inputs, Text, check_same_number
from pipeline.report.settings import SPLIT

LONGEST = 100
"""Words: longer sentences are counted with these in the chart."""
LINK_COUNTS = {
    "links": ("links", None),
    "a target word": ("links_per_target_word", ".2f"),
    "source without": ("unaligned_source", ".1%"),
    "target without": ("unaligned_target", ".1%"),
    "precision": ("precision", ".2f"),
    "recall": ("recall", ".2f"),
    "AER": ("aer", ".2f"),
}
"""Columns about links: keys of the reports, and formats."""
CROSS, CLEAR = "M-.7,-.7L.7,.7M.7,-.7L-.7,.7", "transparent"
LINK_KINDS = {
    "link": ("link", "links", "■", "square", SYSTEMS[0], SYSTEMS[0]),
    "sure": ("found, a sure gold link", "right", "■", "square", SYSTEMS[0], SYSTEMS[0]),
    "possible": ("found, a possible one", "possible", "◆", "diamond", SYSTEMS[5], SYSTEMS[5]),
    "wrong": ("found, no gold link", "wrong", "✕", CROSS, CLEAR, SYSTEMS[1]),
    "missed": ("sure gold link, not found", "missed", "○", "circle", CLEAR, SYSTEMS[3]),
    "unneeded": ("possible one, not found", "possible left out", "◇", "diamond", CLEAR, MUTED),
}
"""Kinds of a matrix's cells, `link` where there is no gold: meaning, name where such cells are
counted, character in the legend; shape, fill and stroke."""


def corpus(inputs: Inputs) -> Iterator[Markup]:
    """Corpus size, sentence lengths, dropped pairs."""
    report = inputs.report("tokenize")
    if report is None:
        return
    reasons = ", ".join(
        f"{number(count)} {key.removeprefix('train_dropped_')}"
        for key, count in report.items()
        if key.startswith("train_dropped_") and count
    )
    yield html("<p>Training pairs that cleaning dropped: {}.</p>", reasons or "none")
    sizes = []
    for split in (split for split in SPLITS if f"{split}_pairs" in report):
        kept = report[f"{split}_kept"]
        row = {"split": split, "pairs": number(report[f"{split}_pairs"]), "kept": number(kept)}
        for side in SIDES:
            tokens = report[f"{split}_{side}_tokens"]
            row[f"{side} tokens"] = number(tokens)
            row[f"{side} word types"] = number(report.get(f"{split}_{side}_types"))
            row[f"a {side} sentence"] = number(tokens / kept if kept else None, ".1f")
        sizes.append(row | {"also in train": number(report.get(f"{split}_pairs_in_train"))})
    yield table("Sizes", sizes)
    if "tokenized" in inputs.paths:
        rows: list[Row] = []
        for side in SIDES:
            texts = read_sentences(inputs.paths["tokenized"] / f"train.{side}")
            counts = Counter(min(text.count(" ") + 1, LONGEST) for text in texts)
            lengths = range(1, max(counts) + 1)
            rows += [{"rev": side, "tokens": n, "sentences": counts[n]} for n in lengths]
        yield line_figure("Training sentences by tokens", rows, "tokens", "sentences")


def subwords(inputs: Inputs) -> Iterator[Markup]:
    """BPE size, and subwords a word."""
    report, tokenized = inputs.report("bpe"), inputs.report("tokenize") or Record()
    if report is None:
        return
    merges = [report.get(f"{side}_merges") for side in SIDES]
    if "merges" in report:
        made = f"{number(report['merges'])} merges, of both languages together, to"
    elif None not in merges:
        made = f"{number(merges[0])} merges of the source, {number(merges[1])} of the target, to"
    else:
        made = "Whole words:"
    numbers = [number(report[f"{side}_subwords"]) for side in SIDES]
    yield html("<p>{} {} source and {} target subwords.</p>", made, *numbers)
    rows = []
    for split, side in product(SPLITS, SIDES):
        if count := report.get(f"{split}_{side}_subwords"):
            words = tokenized.get(f"{split}_{side}_tokens")
            row = {"split": split, "side": side, "words": number(words), "subwords": number(count)}
            rows.append(row | {"a word": number(count / words if words else None, ".3f")})
    yield table("Subwords of each split", rows)


def alignments(inputs: Inputs) -> Iterator[Markup]:
    """Counts and error rates of links; links as matrices, against gold ones if there are any."""
    report = inputs.report("align") or Record()
    rows = [_link_counts("aligner", s, report, f"{s}_") for s in SPLITS if f"{s}_links" in report]
    for name, of_system in inputs.system_reports("alignment").items():
        rows.append(_link_counts(name, SPLIT, of_system))
    if rows:
        yield table("Links; precision, recall and error rate, where known, in per cent", rows)
    source, target, links = inputs.tokens("source"), inputs.tokens("target"), _links(inputs)
    if source is None or target is None or not links:
        return
    gold, sides = _gold(inputs), [inputs.text("tokenized", side) for side in SIDES]
    check_same_number(*sides, *links.values(), gold)
    item = '<li><span style="color: {}" aria-hidden="true">{}</span>{}</li>'
    items = [
        html(item, colour, character, meaning)
        for kind, (meaning, _, character, *_, colour) in LINK_KINDS.items()
        if (kind == "link") == (gold is None)
    ]
    yield html('<ul class="legend" aria-label="Marks">{}</ul>', Markup().join(items))
    for index in inputs.drawn:
        words = source[index], target[index]
        matrices = [_matrix(index, words, *one, gold) for one in links.items()]
        yield drawn_sentence(inputs, index, source[index], group("matrices", matrices))


def _link_counts(
    name: str, split: str, report: Mapping[str, Any], prefix: str = ""
) -> dict[str, str]:
    counts = {
        title: number(report.get(f"{prefix}{key}"), form)
        for title, (key, form) in LINK_COUNTS.items()
    }
    return {"links of": name, "split": split, **counts}


def _links(inputs: Inputs) -> dict[str, Text]:
    """The aligner's links of the split, then those of systems."""
    aligner = inputs.description("alignments", "aligner.json")
    paths = {s.name: s.folder / f"{SPLIT}.links" for s in inputs.systems if s.folder is not None}
    links = {name: Text.read(path) for name, path in paths.items() if path.is_file()}
    if aligner and SPLIT in aligner["splits"]:
        links = {aligner["kind"]: Text.read(aligner.path.with_name(f"{SPLIT}.links")), **links}
    return links


def _gold(inputs: Inputs) -> Text | None:
    """Gold links of the corpus, unless the aligner took them."""
    aligner = inputs.description("alignments", "aligner.json") or Record()
    path = inputs.paths["tokenized"] / f"{SPLIT}.links"
    return Text.read(path) if path.is_file() and aligner.get("kind") != "corpus" else None


def _matrix(
    index: int, words: tuple[list[str], list[str]], name: str, links: Text, gold: Text | None
) -> Markup:
    line, lengths = index + 1, (len(words[0]), len(words[1]))
    linked = set(read_links(links.lines[index], lengths=lengths, path=links.path, line=line))
    sure_possible = None
    if gold is not None:
        sure_possible = read_gold_links(
            gold.lines[index], PHARAOH, lengths=lengths, path=gold.path, line=line
        )
    kinds = kinds_of(linked, sure_possible)
    counts = Counter(kinds.values())
    told = [f"{counts[kind]} {LINK_KINDS[kind][1]}" for kind in LINK_KINDS if counts[kind]]
    title = f"{name}: {', '.join(told) or 'no links'}"
    return link_figure(title, *words, kinds)


def link_figure(
    title: str, source: Sequence[str], target: Sequence[str], kinds: Mapping[Link, str]
) -> Markup:
    """Links as a matrix: columns are source words, rows target words."""
    rows = [{"source": i, "target": j, "kind": kind} for (i, j), kind in sorted(kinds.items())]
    spec = chart("link_matrix", rows, x="source", y="target", title="")
    for channel, words in (("x", source), ("y", target)):
        spec["encoding"][channel]["scale"]["domain"] = list(range(len(words)))
        spec["encoding"][channel]["axis"]["labelExpr"] = labels(words)
    for place, channel in enumerate(("shape", "fill", "stroke"), start=3):
        marks = [kind[place] for kind in LINK_KINDS.values()]
        spec["encoding"][channel]["scale"] = {"domain": list(LINK_KINDS), "range": marks}
    return figure(title, spec, with_numbers=False)


def kinds_of(links: Set[Link], gold: tuple[Set[Link], Set[Link]] | None) -> dict[Link, str]:
    """The kind of each link, found or gold (sure, possible)."""
    if gold is None:
        return dict.fromkeys(links, "link")
    sure, possible = gold[0], gold[1] - gold[0]
    return (
        dict.fromkeys(possible, "unneeded")
        | dict.fromkeys(sure, "missed")
        | dict.fromkeys(links, "wrong")
        | dict.fromkeys(links & possible, "possible")
        | dict.fromkeys(links & sure, "sure")
    )
