"""Syntax: the parser, trees with their phrases, statistics of phrases."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from markupsafe import Markup

from mgsa.base.errors import InputError
from pipeline.base.charts import chart, panel
from pipeline.base.tables import Row, read_csv
from pipeline.partition import LEVEL_SEPARATOR, Phrase, read_phrases_line
from pipeline.report_page.blocks import (
    Block,
    Details,
    Figure,
    Files,
    Group,
    Table,
    drawn_sentence,
    figure,
    files,
    series_table,
    with_legend,
)
from pipeline.report_page.inputs import Inputs, Report, check_same_number
from pipeline.report_page.markup import bar, foreign, html, join, listed
from pipeline.report_page.numbers import fixed, percent, plain
from pipeline.tokens.trees import check_leaves, read_tree, unescape_token

if TYPE_CHECKING:
    from nltk.tree import Tree

PARSER_SCORES = {
    "labelled_f1": "labelled bracketing F1",
    "labelled_precision": "labelled precision",
    "labelled_recall": "labelled recall",
    "tagging_accuracy": "accuracy of parts of speech",
}
FLAT = {
    "flat_too_long": "longer than parse.max_words: a flat tree",
    "flat_failed": "failed to parse: a flat tree",
}
TAGS_SHOWN = 12
"""Of each level, the most frequent; the rest is one line."""
FAMILIES: dict[str, tuple[str, ...]] = {
    "clause": ("S", "SBAR", "SBARQ", "SINV", "SQ", "FRAG", "ROOT", "TOP", "PRN", "RRC", "CS"),
    "noun": (
        *("NP", "NN", "NNS", "NNP", "NNPS", "PRP", "EX", "CD", "QP", "NX", "NAC", "NML"),
        *("WHNP", "WP", "PN", "MPN", "NOUN", "PROPN", "PRON", "NUM", "FW"),
    ),
    "verb": ("VP", "VB", "VBD", "VBG", "VBN", "VBP", "VBZ", "MD", "VZ", "VERB", "AUX"),
    "preposition": ("PP", "IN", "TO", "RP", "PRT", "WHPP", "AC", "ADP", "PART"),
    "modifier": (
        *("ADJP", "JJ", "JJR", "JJS", "ADVP", "RB", "RBR", "RBS"),
        *("WRB", "WHADVP", "WHADJP", "AP", "AVP", "ADJ", "ADV"),
    ),
    "function": (
        *("DT", "PDT", "WDT", "PRP$", "WP$", "POS", "CC", "CONJP", "UCP", "UH", "INTJ"),
        *("DET", "CCONJ", "SCONJ"),
    ),
    "other": (),
}
"""A colour stands for a family of tags, of the Penn treebank and of some others."""
TAG = '<span class="tag tag-{}">{}</span>'
_FAMILY = {tag: family for family, tags in FAMILIES.items() for tag in tags}
_FUNCTION = re.compile(r"(?<=.)[-=|+].*", re.DOTALL)


def family(tag: str) -> str:
    """The family of a tag; `NP-SBJ` is as `NP`."""
    return _FAMILY.get(tag) or _FAMILY.get(_FUNCTION.sub("", tag), "other")


def parsing(inputs: Inputs) -> Iterator[Block]:
    """How good the parser is on held-out trees, and which sentences it could not parse."""
    scored, parsed, folder = (
        inputs.report("parser"),
        inputs.report("parse"),
        inputs.paths.get("parser"),
    )
    if inputs.parser_kind == "none" or not (scored or parsed or folder):
        return
    described = None if folder is None else Report.read(folder / "parser.json")
    if described is not None and inputs.parser_kind == "trees":
        yield Markup("<p>Trees came with the corpus; nothing was parsed.</p>")
    elif described is not None:
        package = described.get("package")
        which = html(", package <code>{}</code>", package) if package else ""
        yield html("<p>A stanza parser{}.</p>", which)
    shown: list[Block] = []
    if scored is not None:
        scores = {name: scored.number(key) for key, name in PARSER_SCORES.items() if key in scored}
        lines = [[name, fixed(score), bar(score / 100)] for name, score in scores.items()]
        trees = plain(scored.optional("dev_trees")) or "no"
        title = f"On {trees} held-out trees, in per cent"
        shown += [Table(title, ["measure", "%", ""], lines)] if lines else []
    if parsed is not None and (total := parsed.number("sentences")):
        flat = {label: parsed.number(key) for key, label in FLAT.items() if key in parsed}
        counts = flat | {"parsed": total - sum(flat.values())}
        lines = [[label, plain(n), percent(n / total)] for label, n in counts.items()]
        columns = ["what became of them", "sentences", "share"]
        shown.append(Table(f"Of {plain(total)} source sentences", columns, lines))
    yield Group(shown, "beside")
    yield files(scored, parsed, described)


def trees(inputs: Inputs) -> Iterator[Block]:
    """Sentences with their tree, and their phrases at each level of the partition."""
    tokens = inputs.tokens("source")
    brackets, phrases = inputs.lines("parsed", "trees"), inputs.lines("partitions", "phrases")
    if tokens is None or (brackets is None and phrases is None) or inputs.parser_kind == "none":
        return
    split, language = inputs.settings.split, inputs.languages["source"]
    columns: dict[Path, Sequence[object]] = {inputs.file("tokenized", "source"): tokens}
    if brackets is not None:
        columns[inputs.file("parsed", "trees")] = brackets
    if phrases is not None:
        columns[inputs.file("partitions", "phrases")] = phrases
    check_same_number(columns)
    if not inputs.drawn:
        return
    yield html(
        "<p>{} of the {} sentences of <code>{}</code>, from a short to a long one. A colour is a "
        "family of tags:</p>{}",
        len(inputs.drawn),
        plain(len(tokens)),
        split,
        listed("families", (html(TAG, name, name) for name in FAMILIES)),
    )
    for index in inputs.drawn:
        words = tokens[index]
        blocks: list[Block] = []
        if brackets is not None:
            blocks.append(_tree(inputs, index, brackets[index], words))
        if phrases is not None:
            blocks.append(_levels(inputs, index, phrases[index], words))
        if brackets is not None:
            line = html('<p class="brackets">{}</p>', foreign(brackets[index], language))
            blocks.append(Details("As brackets", [line], style="numbers"))
        yield drawn_sentence(inputs, index, words, blocks)
    yield Files(list(columns))


def _tree(inputs: Inputs, index: int, text: str, words: Sequence[str]) -> Markup:
    """A tree as lists within lists, which the styles draw."""
    path = inputs.file("parsed", "trees")
    tree = read_tree(text, path=path, line=index + 1)
    check_leaves(tree, words, path=path, line=index + 1)
    return html(
        '<div class="scroll" role="region" tabindex="0" aria-label="Tree of sentence {}" lang="{}">'
        '<ul class="tree">{}</ul></div>',
        *(index, inputs.languages["source"], draw_tree(tree)),
    )


def draw_tree(tree: Tree) -> Markup:
    """A node with its children, as an item of a list."""
    label = html(TAG, family(tree.label()), tree.label())
    if isinstance(tree[0], str):
        return html("<li>{}<i></i><span>{}</span></li>", label, unescape_token(tree[0]))
    return html("<li>{}<ul>{}</ul></li>", label, join(map(draw_tree, tree)))


def _levels(inputs: Inputs, index: int, text: str, words: Sequence[str]) -> Markup:
    """A line for each level of phrases."""
    path, line = inputs.file("partitions", "phrases"), index + 1
    if not text:
        raise InputError("expected phrases, found an empty line", path=path, line=line)
    count = text.count(LEVEL_SEPARATOR) + 1
    levels = read_phrases_line(text, levels=count, num_words=len(words), path=path, line=line)
    level = (
        '<p class="level"><span class="muted">level {}</span> <span lang="{}" dir="auto">{}'
        "</span></p>"
    )
    language = inputs.languages["source"]
    return join(
        html(level, number, language, draw_phrases(words, phrases))
        for number, phrases in enumerate(levels, start=1)
    )


def draw_phrases(words: Sequence[str], phrases: Sequence[Phrase]) -> Markup:
    """The words in order, each phrase underlined, with its tag."""
    phrase = '<span class="phrase tag-{}">{}<small>{}</small></span>'
    return join(
        (
            html(phrase, family(tag or ""), " ".join(words[start:end]), tag or "")
            for start, end, tag in phrases
        ),
        " ",
    )


def phrases(inputs: Inputs) -> Iterator[Block]:
    """Phrases by length and by tag, as the stage `partition` counted them."""
    report, folder = inputs.report("partition"), inputs.paths.get("phrase-counts")
    if (report is None and folder is None) or inputs.parser_kind == "none":
        return
    shown: list[Block] = []
    if report is not None:
        prefix = "phrases_per_sentence_"
        names = [key.removeprefix(prefix) for key in report if key.startswith(prefix)]
        keys = (prefix, "words_per_phrase_")
        lines = [
            [_partition_name(name), *(fixed(report.number(f"{key}{name}")) for key in keys)]
            for name in names
        ]
        tags = f", with {plain(report.number('tags'))} different tags" if "tags" in report else ""
        title = f"Partitions of {plain(report.number('sentences'))} sentences{tags}"
        header = ["partition", "phrases a sentence", "words a phrase"]
        shown.append(Table(title, header, lines))
    if folder is not None:
        columns = {"level": int, "length": int, "count": int}
        rows = read_csv(folder / "phrase_lengths.csv", columns)
        rows = [{**row, "level": f"level {row['level']}"} for row in rows]
        spec = with_legend(chart("phrase_lengths", rows, x="length", y="count"), "color")
        title = "Phrases by length"
        table = series_table(
            title, rows, "length", "level", lambda row: plain(row["count"]), x_name="words"
        )
        shown.append(figure(title, panel(spec), table))
    yield Group(shown, "beside")
    if folder is not None:
        yield Group([*_tags(folder / "tags.csv")], "charts thirds")
    yield files(report, folder)


def _partition_name(name: str) -> str:
    kind, _, number = name.rpartition("_")
    return f"{number}-grams" if kind == "ngram" else f"syntactic, level {number}"


def _tags(path: Path) -> Iterator[Figure]:
    """For each level its tags, the most frequent first."""
    levels: dict[int, list[Row]] = defaultdict(list)
    for row in read_csv(path, {"level": int, "tag": str, "count": int}):
        levels[row["level"]].append(row)
    for level, rows in sorted(levels.items()):
        rows.sort(key=lambda row: (-row["count"], row["tag"]))
        drawn = [{**row, "level": family(row["tag"])} for row in rows[:TAGS_SHOWN]]
        spec = chart("phrase_tags", drawn, x="count", y="tag")
        spec["spec"]["encoding"]["color"]["scale"] = {
            "domain": list(FAMILIES),
            "range": [f"var(--tag-{name}, #888888)" for name in FAMILIES],
        }
        spec["spec"]["height"] = {"step": 20}
        spec["spec"]["encoding"]["y"]["title"] = None
        total = sum(row["count"] for row in rows)
        title = f"Level {level}: {plain(total)} phrases by tag"
        lines = [[row["tag"], plain(row["count"]), percent(row["count"] / total)] for row in rows]
        table = Table(title, ["tag", "phrases", "share"], lines)
        yield figure(title, panel(spec, width=280, height=None), table)
