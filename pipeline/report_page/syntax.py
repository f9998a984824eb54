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
from pipeline.base.tables import Row
from pipeline.partition import LEVEL_SEPARATOR, Phrase, read_phrases_line
from pipeline.report_page.blocks import (
    Block,
    Details,
    Figure,
    Files,
    Group,
    Table,
    bar,
    figure,
    fixed,
    foreign,
    html,
    percent,
    plain,
    sentence_summary,
    series_table,
    with_legend,
)
from pipeline.report_page.files import Report, read_count, read_table
from pipeline.report_page.inputs import Inputs, check_same_number
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
_FAMILY = {tag: family for family, tags in FAMILIES.items() for tag in tags}
_FUNCTION = re.compile(r"(?<=.)[-=|+].*", re.DOTALL)


def family(tag: str) -> str:
    """The family of a tag; `NP-SBJ` is as `NP`."""
    return _FAMILY.get(tag) or _FAMILY.get(_FUNCTION.sub("", tag), "other")


def parsing(inputs: Inputs) -> Iterator[Block]:
    """How good the parser is on held-out trees, and which sentences it could not parse."""
    scored, parsed, folder = inputs.report("parser"), inputs.report("parse"), inputs.path("parser")
    if inputs.parser_kind == "none" or not (scored or parsed or folder):
        return
    described = None if folder is None else Report.read(folder / "parser.json")
    if described is not None and inputs.parser_kind == "trees":
        yield Markup("<p>Trees came with the corpus; nothing was parsed.</p>")
    elif described is not None:
        package = described.content.get("package")
        which = html(", package <code>{}</code>", package) if package else ""
        yield html("<p>A stanza parser{}.</p>", which)
    shown: list[Block] = []
    if scored is not None:
        measures = [key for key in PARSER_SCORES if key in scored]
        lines = [
            [PARSER_SCORES[key], fixed(scored.number(key)), bar(scored.number(key) / 100)]
            for key in measures
        ]
        trees = scored.get("dev_trees")
        title = f"On {plain(trees) if trees else 'no'} held-out trees, in per cent"
        shown += [Table(title, ["measure", "%", ""], lines)] if lines else []
    if parsed is not None and parsed.number("sentences"):
        total = parsed.number("sentences")
        flat = {label: parsed.number(key) for key, label in FLAT.items() if key in parsed}
        counts = flat | {"parsed": total - sum(flat.values())}
        lines = [[label, plain(n), percent(n / total)] for label, n in counts.items()]
        columns = ["what became of them", "sentences", "share"]
        shown.append(Table(f"Of {plain(total)} source sentences", columns, lines))
    yield Group(shown, "beside")
    yield Files([report.path for report in (scored, parsed, described) if report is not None])


def trees(inputs: Inputs) -> Iterator[Block]:
    """Sentences with their tree, and their phrases at each level of the partition."""
    tokens = inputs.tokens("source")
    brackets, phrases = inputs.lines("parsed", "trees"), inputs.lines("partitions", "phrases")
    if tokens is None or (brackets is None and phrases is None) or inputs.parser_kind == "none":
        return
    split, language = inputs.settings.split, inputs.languages["source"]
    columns: dict[Path, Sequence[object]] = {inputs.paths["tokenized"] / f"{split}.source": tokens}
    if brackets is not None:
        columns[inputs.paths["parsed"] / f"{split}.trees"] = brackets
    if phrases is not None:
        columns[inputs.paths["partitions"] / f"{split}.phrases"] = phrases
    check_same_number(columns)
    if not inputs.drawn:
        return
    yield html(
        "<p>{} of the {} sentences of <code>{}</code>, from a short to a long one. A colour is a "
        "family of tags:</p>{}",
        len(inputs.drawn),
        plain(len(tokens)),
        split,
        html(
            '<ul class="families">{}</ul>',
            Markup().join(
                html('<li><span class="tag tag-{}">{}</span></li>', name, name) for name in FAMILIES
            ),
        ),
    )
    for index in inputs.drawn:
        words = tokens[index]
        blocks: list[Block] = []
        if brackets is not None:
            blocks.append(_tree(inputs, index, brackets[index], words, language))
        if phrases is not None:
            blocks.append(_levels(inputs, index, phrases[index], words, language))
        if brackets is not None:
            line = html('<p class="brackets">{}</p>', foreign(brackets[index], language))
            blocks.append(Details("As brackets", [line], style="numbers"))
        yield Details(
            sentence_summary(index, words, language), blocks, inputs.is_opened(index), "drawing"
        )
    yield Files(list(columns))


def _tree(inputs: Inputs, index: int, text: str, words: Sequence[str], language: str) -> Markup:
    """A tree as lists within lists, which the styles draw."""
    path = inputs.paths["parsed"] / f"{inputs.settings.split}.trees"
    tree = read_tree(text, path=path, line=index + 1)
    check_leaves(tree, words, path=path, line=index + 1)
    return html(
        '<div class="scroll" role="region" tabindex="0" aria-label="Tree of sentence {}" lang="{}">'
        '<ul class="tree">{}</ul></div>',
        *(index, language, draw_tree(tree)),
    )


def draw_tree(tree: Tree) -> Markup:
    """A node with its children, as an item of a list."""
    label = html('<span class="tag tag-{}">{}</span>', family(tree.label()), tree.label())
    if isinstance(tree[0], str):
        return html("<li>{}<i></i><span>{}</span></li>", label, unescape_token(tree[0]))
    return html("<li>{}<ul>{}</ul></li>", label, Markup().join(map(draw_tree, tree)))


def _levels(inputs: Inputs, index: int, text: str, words: Sequence[str], language: str) -> Markup:
    path = inputs.paths["partitions"] / f"{inputs.settings.split}.phrases"
    if not text:
        raise InputError("expected phrases, found an empty line", path=path, line=index + 1)
    levels = read_phrases_line(
        text,
        levels=text.count(LEVEL_SEPARATOR) + 1,
        num_words=len(words),
        path=path,
        line=index + 1,
    )
    lines = [
        html(
            '<p class="level"><span class="muted">level {}</span> <span lang="{}" dir="auto">{}'
            "</span></p>",
            *(number, language, draw_phrases(words, level)),
        )
        for number, level in enumerate(levels, start=1)
    ]
    return Markup().join(lines)


def draw_phrases(words: Sequence[str], phrases: Sequence[Phrase]) -> Markup:
    """The words in order, each phrase underlined, with its tag."""
    return Markup(" ").join(
        html(
            '<span class="phrase tag-{}">{}<small>{}</small></span>',
            family(tag or ""),
            " ".join(words[start:end]),
            tag or "",
        )
        for start, end, tag in phrases
    )


def phrases(inputs: Inputs) -> Iterator[Block]:
    """Phrases by length and by tag, as the stage `partition` counted them."""
    report, folder = inputs.report("partition"), inputs.path("phrase-counts")
    if (report is None and folder is None) or inputs.parser_kind == "none":
        return
    shown: list[Block] = []
    if report is not None:
        prefix = "phrases_per_sentence_"
        names = [key.removeprefix(prefix) for key in report.content if key.startswith(prefix)]
        tags = f", with {plain(report.number('tags'))} different tags" if "tags" in report else ""
        shown.append(
            Table(
                f"Partitions of {plain(report.number('sentences'))} sentences{tags}",
                ["partition", "phrases a sentence", "words a phrase"],
                [
                    [
                        _partition_name(name),
                        fixed(report.number(f"{prefix}{name}")),
                        fixed(report.number(f"words_per_phrase_{name}")),
                    ]
                    for name in names
                ],
            )
        )
    if folder is not None:
        rows = _counts(folder / "phrase_lengths.csv", "length")
        levels = [{**row, "level": f"level {row['level']}"} for row in rows]
        spec = chart("phrase_lengths", levels, x="length", y="count")
        count = lambda row: plain(row["count"])  # noqa: E731
        table = series_table("Phrases by length", levels, "length", "level", count, x_name="words")
        shown.append(figure("Phrases by length", panel(with_legend(spec, "color")), table))
    yield Group(shown, "beside")
    if folder is not None:
        yield Group([*_tags(folder / "tags.csv")], "charts thirds")
    yield Files([path for path in (report.path if report else None, folder) if path is not None])


def _partition_name(name: str) -> str:
    kind, _, number = name.rpartition("_")
    return f"{number}-grams" if kind == "ngram" else f"syntactic, level {number}"


def _counts(path: Path, column: str) -> Iterator[Row]:
    """The rows of a file of counts: level, count, and a column of text (`tag`) or numbers."""
    for line, row in read_table(path, ("level", column, "count")):
        level, count = (read_count(row, name, path=path, line=line) for name in ("level", "count"))
        if not count:
            raise InputError("count: expected at least 1", path=path, line=line)
        value = row[column] if column == "tag" else read_count(row, column, path=path, line=line)
        yield {"level": level, column: value, "count": count}


def _tags(path: Path) -> Iterator[Figure]:
    """For each level its tags, the most frequent first."""
    levels: dict[int, list[Row]] = defaultdict(list)
    for row in _counts(path, "tag"):
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
