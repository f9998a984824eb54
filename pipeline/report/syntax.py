"""Syntax: the parser, trees with their phrases, statistics of phrases."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path

from markupsafe import Markup
from nltk.tree import Tree

from pipeline.charts import chart, panel
from pipeline.formats.phrases import Phrase, read_phrases_line
from pipeline.formats.tables import Row, read_csv
from pipeline.formats.trees import check_leaves, read_tree, unescape_token
from pipeline.report.blocks import (
    MACROS,
    PROSE,
    drawn_sentence,
    figure,
    group,
    html,
    number,
    table,
    with_legend,
)
from pipeline.report.inputs import Inputs, check_same_number
from pipeline.report.settings import SPLIT

PARSER_SCORES = {
    "labelled_f1": "labelled bracketing F1",
    "labelled_precision": "labelled precision",
    "labelled_recall": "labelled recall",
    "tagging_accuracy": "accuracy of parts of speech",
}
TAGS_SHOWN = 12
"""Tags that are shown of each level: the most frequent."""
FAMILIES = {
    "clause": r"S|SBARQ?|SINV|SQ|FRAG|ROOT|TOP|PRN|RRC|CS",
    "noun": r"N.*|PRP|EX|CD|QP|WHNP|WP|M?PN|PROPN|PRON|FW",
    "verb": r"V.*|MD|AUX",
    "preposition": r"PP|IN|TO|RP|PRT|WHPP|AC|ADP|PART",
    "modifier": r"AD.*|AP|AVP|JJ.*|RB.*|WRB|WHAD.*",
    "function": r"DT|PDT|WDT|PRP\$|WP\$|POS|CC|CONJP|UCP|UH|INTJ|DET|CCONJ|SCONJ",
    "other": r".*",
}
"""A colour stands for a family of tags, of the Penn treebank and of some others."""
MEANINGS = {
    **{"S": "clause", "SBAR": "subordinate clause", "SQ": "question", "SBARQ": "wh-question"},
    **{"NP": "noun phrase", "VP": "verb phrase", "PP": "prepositional phrase", "QP": "quantity"},
    **{"ADJP": "adjective phrase", "ADVP": "adverb phrase", "PRT": "particle", "PRN": "aside"},
    **{"WHNP": "wh-noun phrase", "CONJP": "conjunction phrase", "FRAG": "fragment"},
}
"""Tags of phrases in the Penn treebank."""


def family(tag: str) -> str:
    """The colour family of a tag; `NP-SBJ` is as `NP`."""
    label = re.sub(r"(?<=.)[-=|+].*", "", tag, flags=re.DOTALL)
    return next(name for name, tags in FAMILIES.items() if re.fullmatch(tags, label, re.DOTALL))


def parsing(inputs: Inputs) -> Iterator[Markup]:
    """Parser scores, and sentences without a parse."""
    if inputs.flat_trees:
        return
    yield PROSE.parsing(inputs.description("parser", "parser.json"), inputs.report("parse"))
    if (scored := inputs.report("parser")) and "dev_trees" in scored:
        bar = '<span class="bar" style="width:{:.1f}%"></span>'
        rows = [
            {"measure": name, "%": number(scored[key], ".2f"), "": html(bar, scored[key])}
            for key, name in PARSER_SCORES.items()
            if key in scored
        ]
        caption = f"On {number(scored['dev_trees'])} held-out trees, in per cent"
        yield group("beside", [table(caption, rows)])


def trees(inputs: Inputs) -> Iterator[Markup]:
    """Sentences with tree and phrases by level."""
    tokens, language = inputs.tokens("source"), inputs.languages["source"]
    brackets, phrases = inputs.text("parsed", "trees"), inputs.text("partitions", "phrases")
    if tokens is None or not inputs.drawn or not (brackets or phrases) or inputs.flat_trees:
        return
    check_same_number(inputs.text("tokenized", "source"), brackets, phrases)
    families = Markup().join(_tag(name, name) for name in FAMILIES)
    sizes = len(inputs.drawn), number(len(tokens))
    text = "".join(brackets.lines[index] for index in inputs.drawn) if brackets else ""
    meanings = [f"{tag}: {meaning}" for tag, meaning in MEANINGS.items() if f"({tag} " in text]
    yield PROSE.trees(*sizes, SPLIT, families, meanings)
    for index in inputs.drawn:
        words, drawings = tokens[index], []
        if brackets:
            tree = read_tree(brackets.lines[index], path=brackets.path, line=index + 1)
            check_leaves(tree, words, path=brackets.path, line=index + 1)
            drawings.append(MACROS.tree(f"Tree of sentence {index}", language, draw_tree(tree)))
        if phrases:
            levels = read_phrases_line(
                phrases.lines[index], num_words=len(words), path=phrases.path, line=index + 1
            )
            levels_drawn = [draw_phrases(words, of_level) for of_level in levels]
            drawings.append(MACROS.levels(language, levels_drawn))
        yield drawn_sentence(inputs, index, words, *drawings)


def draw_tree(tree: Tree) -> Markup:
    """A tree as nested lists."""
    label = _tag(family(tree.label()), tree.label())
    if isinstance(tree[0], str):
        return html("<li>{}<i></i><span>{}</span></li>", label, unescape_token(tree[0]))
    return html("<li>{}<ul>{}</ul></li>", label, Markup().join(map(draw_tree, tree)))


def _tag(of_family: str, text: str) -> Markup:
    return html('<span class="tag" style="--tag: var(--tag-{})">{}</span>', of_family, text)


def draw_phrases(words: Sequence[str | Markup], phrases: Sequence[Phrase]) -> Markup:
    """Words in order, each phrase underlined, with its tag."""
    drawn = '<span class="phrase" style="--tag: var(--tag-{})">{}<small>{}</small></span>'
    return Markup(" ").join(
        html(drawn, family(tag or ""), Markup(" ").join(words[start:end]), tag or "")
        for start, end, tag in phrases
    )


def phrases(inputs: Inputs) -> Iterator[Markup]:
    """Phrases by length and tag, from `partition`."""
    report, folder = inputs.report("partition"), inputs.paths.get("phrase-counts")
    if (report is None and folder is None) or inputs.flat_trees:
        return
    shown = []
    if report is not None:
        sizes, words = "phrases_per_sentence_", "words_per_phrase_"
        rows = [
            {
                "partition": name.replace("_", " "),
                "phrases a sentence": number(report[sizes + name], ".2f"),
                "words a phrase": number(report[words + name], ".2f"),
            }
            for name in (key.removeprefix(sizes) for key in report if key.startswith(sizes))
        ]
        shown.append(table(f"Partitions of {number(report['sentences'])} sentences", rows))
    if folder is not None:
        counts = read_csv(folder / "phrase_lengths.csv")
        counts = [{**row, "level": f"level {row['level']}"} for row in counts]
        spec = with_legend(chart("phrase_lengths", counts, x="length", y="count"), "color")
        shown.append(figure("Phrases by length", panel(spec)))
    yield group("beside", shown)
    if folder is not None:
        yield group("charts thirds", _tags(folder / "tags.csv"))


def _tags(path: Path) -> Iterator[Markup]:
    """Tags of each level, most frequent first."""
    levels: dict[int, list[Row]] = defaultdict(list)
    for row in read_csv(path, "tag"):
        levels[row["level"]].append(row)
    for level, rows in sorted(levels.items()):
        rows.sort(key=lambda row: (-row["count"], row["tag"]))
        drawn = [{**row, "level": family(row["tag"])} for row in rows[:TAGS_SHOWN]]
        spec = chart("phrase_tags", drawn, x="count", y="tag")
        spec["spec"]["height"] = {"step": 20}
        spec["spec"]["encoding"]["y"]["title"] = None
        spec["spec"]["encoding"]["color"]["scale"] = {
            "domain": list(FAMILIES),
            "range": [f"var(--tag-{name}, #888888)" for name in FAMILIES],
        }
        title = f"Level {level}: {number(sum(row['count'] for row in rows))} phrases by tag"
        yield figure(title, panel(spec, width=280, height=None))
