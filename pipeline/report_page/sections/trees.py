"""Sentences with their tree, drawn, and their phrases at each level of the partition."""

from __future__ import annotations

from pathlib import Path

from markupsafe import Markup

from mgsa.base.errors import InputError
from pipeline.partition import LEVEL_SEPARATOR, read_phrases_line
from pipeline.report_page.charts.spans import draw_spans
from pipeline.report_page.charts.tree_drawing import TreeDrawing, draw_tree
from pipeline.report_page.inputs import Inputs, check_same_number
from pipeline.report_page.section import Context
from pipeline.report_page.tags import FAMILIES, OTHER
from pipeline.trees import check_leaves, read_tree


def context(inputs: Inputs) -> Context | None:
    tokens = inputs.tokens("source")
    trees, phrases = inputs.lines("parsed", "trees"), inputs.lines("partitions", "phrases")
    if tokens is None or (trees is None and phrases is None):
        return None
    split = inputs.settings.split
    tokens_path = inputs.paths["tokenized"] / f"{split}.source"
    columns: dict[Path, list[str] | list[list[str]]] = {tokens_path: tokens}
    if trees is not None:
        columns[inputs.paths["parsed"] / f"{split}.trees"] = trees
    if phrases is not None:
        columns[inputs.paths["partitions"] / f"{split}.phrases"] = phrases
    check_same_number(columns)
    if not inputs.drawn:
        return None
    return {
        "sentences": [
            {
                "index": index,
                "words": tokens[index],
                "tree": None
                if trees is None
                else _tree(inputs, index, trees[index], tokens[index]),
                "brackets": None if trees is None else trees[index],
                "levels": []
                if phrases is None
                else _levels(inputs, index, phrases[index], tokens[index]),
            }
            for index in inputs.drawn
        ],
        "families": [*FAMILIES, OTHER],
        "opened": inputs.opened,
        "split": split,
        "total": len(tokens),
        "language": inputs.languages["source"],
        "paths": list(columns),
    }


def _tree(inputs: Inputs, index: int, text: str, words: list[str]) -> TreeDrawing:
    path = inputs.paths["parsed"] / f"{inputs.settings.split}.trees"
    tree = read_tree(text, path=path, line=index + 1)
    check_leaves(tree, words, path=path, line=index + 1)
    return draw_tree(tree)


def _levels(inputs: Inputs, index: int, text: str, words: list[str]) -> list[Markup]:
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
    return [draw_spans(words, phrases) for phrases in levels]
