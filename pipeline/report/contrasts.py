"""Contrastive accuracies beside what words alone tell, and examples."""

from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import Any

from markupsafe import Markup

from mgsa.data.controls import PHRASE_SOURCES
from pipeline.contrast.accuracies import is_right, kinds_of, read_scores
from pipeline.formats.contrasts import contrasts_of
from pipeline.formats.tables import Record, Row
from pipeline.formats.trees import read_tree
from pipeline.report.blocks import (
    MACROS,
    PROSE,
    Number,
    details,
    html,
    named,
    number,
    p_value,
    table,
    text_in,
)
from pipeline.report.inputs import Inputs, check_same_number, drawn_sentences
from pipeline.report.settings import SPLIT
from pipeline.report.syntax import draw_tree

GROUPS = {"by_category": "{}", "by_depth": "told by level {}", "by_parse": "parse {}"}
WORDS = "words alone"


def contrasts(inputs: Inputs) -> Iterator[Markup]:
    """Accuracies of every system by category and depth, and examples of the first one."""
    reports = inputs.system_reports("contrast")
    reports = {name: report for name, report in reports.items() if report["contrasts"]}
    if not reports:
        return
    yield PROSE.contrasts()
    if len(reports) == 1:
        yield from map(_accuracies, reports.values())
    else:
        yield table("Contrastive accuracy of systems", [*_systems(reports, inputs.styles)])
        yield from (details(name, _accuracies(report)) for name, report in reports.items())
    first = next(iter(reports))
    if examples := [*_examples(inputs, first)]:
        yield html("<p>Of {}, from short to long sentences:</p>", named(first, inputs.styles))
        yield from examples


def _systems(reports: Mapping[str, Record], styles: Mapping[str, int]) -> Iterator[dict[str, str]]:
    """A row for each system, tested against the one that it was compared with, and for none."""
    _, *others = PHRASE_SOURCES
    for name, report in reports.items():
        first = next(report[kind] for kind in PHRASE_SOURCES if kind in report)
        yield {
            "system": named(name, styles),
            "accuracy": _accuracy(first),
            **{f"given {one} phrases": _accuracy(report.get(one)) for one in others},
            "gain": number(first.get("difference"), "+.1f"),
            "p (randomisation)": p_value(first.get("p_value")),
        }
    if "words" in report:  # in all of them, as it is of the corpus
        yield {"system": WORDS, "accuracy": _accuracy(report["words"])}


def _accuracies(report: Record) -> Markup:
    """The table of a system: all contrasts, and those of each category, depth and parse."""
    kinds = [kind for kind in PHRASE_SOURCES if kind in report]
    shown: dict[str, str] = {
        kind: PHRASE_SOURCES[kind] if len(kinds) > 1 else "accuracy" for kind in kinds
    }
    shown |= {"words": WORDS} if "words" in report else {}
    sets = [("all", [report[kind] for kind in shown])]
    for key, title in GROUPS.items():
        for value in report[next(iter(shown))].get(key, ()):
            sets.append((title.format(value), [report[kind][key][value] for kind in shown]))
    rows = [
        {"contrasts": name, "number": number(blocks[0]["contrasts"])}
        | {title: _accuracy(block) for title, block in zip(shown.values(), blocks, strict=True)}
        for name, blocks in sets
    ]
    return table("Contrastive accuracy", rows)


def _accuracy(block: Mapping[str, Any] | None) -> Number:
    if block is None:
        return Number("")
    low, high = block["low"], block["high"]
    ends = "" if low is None else f" ({number(low, '.1f')}–{number(high, '.1f')})"
    return Number(number(block["accuracy"], ".1f") + ends)


def _examples(inputs: Inputs, name: str) -> Iterator[Markup]:
    """Contrasts that a system tells and some that it does not, from short to long sentences."""
    folder = inputs.system_outputs("contrast").get(name)
    sources, references = inputs.text("corpus", "source"), inputs.text("corpus", "target")
    if folder is None or sources is None or references is None:
        return
    found = contrasts_of(sources.path.parent, SPLIT)
    scores = read_scores(folder / f"{SPLIT}.csv", same=[*map(asdict, found)])
    trees = None if inputs.flat_trees else inputs.text("parsed", "trees")
    check_same_number(sources, references, trees)
    tokens = inputs.tokens("source") or [line.split() for line in sources.lines]
    first = kinds_of(scores)[0]
    for verdict, is_told in {"right": True, "wrong": False}.items():
        some = [i for i, row in enumerate(scores) if is_right(row, first) == is_told]
        drawn = drawn_sentences(
            [len(tokens[found[i].line - 1]) for i in some],
            count=inputs.settings.sentences // 2,
            longest=inputs.settings.max_words,
        )
        for place in drawn:
            contrast, row = found[some[place]], scores[some[place]]
            index = contrast.line - 1
            blocks = [_orders(inputs, references.lines[index], contrast.target, row)]
            if trees is not None:
                tree = read_tree(trees.lines[index], path=trees.path, line=contrast.line)
                blocks.insert(0, MACROS.tree(index, inputs.languages["source"], draw_tree(tree)))
            level = f", told by level {contrast.depth}" if contrast.depth else ""
            source = text_in(inputs.languages["source"], sources.lines[index])
            facts = f"{verdict}: {contrast.category}{level}"
            summary = html('<span class="muted">{}</span> {}', facts, source)
            yield details(summary, *blocks, style="drawing", opened=place == drawn[0])


def _orders(inputs: Inputs, reference: str, variant: str, row: Row) -> Markup:
    """Reference and variant with their log p; the likelier one is ticked."""
    kinds = [kind for kind in PHRASE_SOURCES if f"{kind}_reference" in row]
    texts, lines = {"reference": reference, "variant": variant}, []
    for name, text in texts.items():
        line = {"": name, "translation": text_in(inputs.languages["target"], text)}
        for kind in kinds:
            title = f"log p, {PHRASE_SOURCES[kind]}" if len(kinds) > 1 else "log p"
            score = row[f"{kind}_{name}"]
            tick = "✓ " if score > min(row[f"{kind}_{name}"] for name in texts) else ""
            line[title] = Number(tick + number(score, ".2f"))
        lines.append(line)
    return table("Log probabilities", lines)
