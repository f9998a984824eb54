"""Data: the corpus and its subwords."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from markupsafe import Markup

from mgsa.base.errors import InputError
from pipeline.base.charts import chart, panel
from pipeline.base.stage import SIDES, SPLITS
from pipeline.base.tables import Row
from pipeline.base.text import read_parallel, read_sentences
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
    series_table,
    shortened,
    with_legend,
)
from pipeline.report_page.files import Report, read_count, read_table
from pipeline.report_page.inputs import Inputs
from pipeline.tokenize import REASONS
from pipeline.tokens.subwords import MARK

if TYPE_CHECKING:
    pass


EXAMPLES = 3
"""Dropped pairs that are shown of each reason."""
LONGEST = 100
"""Words: longer sentences are counted with these in the chart."""
MEANINGS = {
    "empty": "a side has no token",
    "short": "a side is shorter than tokenize.min_tokens",
    "long": "a side is longer than tokenize.max_tokens",
    "ratio": "one side is more than tokenize.max_ratio times as long as the other",
    "duplicate": "the pair came before",
    "token": "a token has more than 1,000 characters",
}
MOST_SUBWORDS = 6
"""Words of so many subwords and more are counted together."""
SPLIT_WORDS = 8
"""Words that are split most often."""


def corpus(inputs: Inputs) -> Iterator[Block]:
    """How large the corpus is, how long its sentences are, what cleaning dropped."""
    report, folder, tokenized = (
        inputs.report("tokenize"),
        inputs.path("corpus"),
        inputs.path("tokenized"),
    )
    if report is None:
        return
    pairs = report.number("train_pairs")
    dropped = pairs - report.number("train_kept")
    name = None if folder is None else Report.read(folder / "corpus.json").text("name")
    yield html(
        "<p>{}{} Pairs of the other splits are never dropped.</p>",
        ""
        if name is None
        else html('<strong dir="auto">{}</strong>, {} to {}. ', name, *inputs.languages.values()),
        f"Cleaning dropped {plain(dropped)} of {plain(pairs)} training pairs "
        f"({percent(dropped / pairs)})."
        if dropped
        else "Cleaning dropped no training pair.",
    )
    columns = [
        "split",
        "pairs",
        "kept",
        "source tokens",
        "a sentence",
        "target tokens",
        "a sentence",
    ]
    splits = [split for split in SPLITS if f"{split}_pairs" in report]
    yield Table("Sizes", columns, [_size(report, split) for split in splits])
    reasons = [reason for reason in REASONS if f"train_dropped_{reason}" in report]
    if dropped:
        counts = {reason: report.number(f"train_dropped_{reason}") for reason in reasons}
        lines = [[reason, plain(n), MEANINGS[reason]] for reason, n in counts.items() if n]
        yield Table("Training pairs that cleaning dropped", ["reason", "pairs", "that is"], lines)
    if tokenized is not None:
        yield from _dropped(tokenized, folder, inputs.languages)
        yield Group([_sentence_lengths(tokenized, "train")], "charts")
    yield Files([path for path in (report.path, tokenized) if path is not None])


def _size(report: Report, split: str) -> list[str]:
    kept = report.number(f"{split}_kept")
    cells: list[str] = [split, plain(report.number(f"{split}_pairs")), plain(kept)]
    for side in SIDES:
        tokens = report.number(f"{split}_{side}_tokens")
        cells += [plain(tokens), fixed(tokens / kept if kept else 0.0, 1)]
    return cells


def _dropped(tokenized: Path, corpus: Path | None, languages: Mapping[str, str]) -> Iterator[Block]:
    """The first dropped pairs of each reason."""
    path = tokenized / "dropped.tsv"
    lines: dict[str, list[int]] = {reason: [] for reason in REASONS}
    for number, row in read_table(path, ("split", "line", "reason"), delimiter="\t"):
        if row["reason"] not in lines:
            raise InputError(f"expected one of {', '.join(REASONS)}", path=path, line=number)
        dropped = read_count(row, "line", path=path, line=number)
        if row["split"] == "train" and len(lines[row["reason"]]) < EXAMPLES:
            lines[row["reason"]].append(dropped)
    last = max((line for some in lines.values() for line in some), default=0)
    pairs: dict[int, tuple[str, ...]] = {}
    if corpus is not None and last:
        rows = read_parallel([corpus / f"train.{side}" for side in SIDES])
        wanted = {line for some in lines.values() for line in some}
        pairs = {n: row for n, row in enumerate(islice(rows, last), start=1) if n in wanted}
    for reason, some in lines.items():
        examples = Markup().join(
            html("<dt>line {}</dt>", plain(line))
            + Markup().join(
                html("<dd>{}</dd>", foreign(shortened(text), languages[side]))
                for side, text in zip(SIDES, pairs.get(line, ()), strict=False)
            )
            for line in some
        )
        if some:
            listed = html('<dl class="texts">{}</dl>', examples)
            yield Details(f"First pairs dropped as “{reason}”", [listed])


def _sentence_lengths(tokenized: Path, split: str) -> Figure:
    """How many sentences of each side have each length."""
    rows: list[Row] = []
    for side in SIDES:
        texts = read_sentences(tokenized / f"{split}.{side}")
        counts = Counter(min(text.count(" ") + 1, LONGEST) for text in texts)
        numbers = range(1, max(counts, default=0) + 1)
        rows += [{"rev": side, "tokens": n, "sentences": counts[n]} for n in numbers]
    title = f"Sentence lengths of {split}"
    spec = chart("curves", rows, x="tokens", y="sentences", x_label="tokens", y_label="sentences")
    spec["encoding"]["y"]["scale"]["zero"] = True
    numbers_of = lambda row: plain(row["sentences"])  # noqa: E731
    table = series_table(title, rows, "tokens", "rev", numbers_of, x_name="tokens")
    return figure(title, panel(with_legend(spec, "color", "strokeDash")), table)


def subwords(inputs: Inputs) -> Iterator[Block]:
    """How large the byte-pair encoding is, and how it splits words."""
    report, tokenized = inputs.report("bpe"), inputs.report("tokenize")
    segmented = {side: inputs.lines("bpe", side) for side in SIDES}
    if report is None and not any(segmented.values()):
        return
    if report is not None:
        titles = {"merges": "merges learned, of both languages"} | {
            f"{side}_{unit}": f"different {unit}, {side}"
            for side in SIDES
            for unit in ("words", "subwords")
        }
        sizes = [
            [title, plain(report.number(key))] for key, title in titles.items() if key in report
        ]
        columns = ["split", "side", "words", "subwords", "a word"]
        splits = [
            _fertility(split, side, report, tokenized)
            for split in SPLITS
            for side in SIDES
            if f"{split}_{side}_subwords" in report
        ]
        joint = Table("Joint byte-pair encoding", ["of the training text", "number"], sizes)
        yield Group([joint, Table("Subwords of each split", columns, splits)], "beside")
    sides = [
        Group([*_side(side, lines, inputs)], "side")
        for side, lines in segmented.items()
        if lines is not None
    ]
    yield Group(sides, "charts")
    yield Files([path for path in (report and report.path, inputs.path("bpe")) if path])


def _fertility(split: str, side: str, report: Report, tokenized: Report | None) -> list[str]:
    subwords = report.number(f"{split}_{side}_subwords")
    words = None if tokenized is None else tokenized.get(f"{split}_{side}_tokens")
    a_word = fixed(subwords / words if words else None, 3)
    return [split, side, "" if words is None else plain(words), plain(subwords), a_word]


def _side(side: str, lines: Sequence[str], inputs: Inputs) -> Iterator[Block]:
    """Words of the split by their subwords, and those that are split most often."""
    lengths: Counter[int] = Counter()
    split_words: Counter[str] = Counter()
    for line in lines:
        for word in re.findall(rf"(?:[^ ]*{re.escape(MARK)} )*[^ ]+", line):
            parts = word.count(" ") + 1
            lengths[min(parts, MOST_SUBWORDS)] += 1
            split_words[word] += parts > 1
    total = lengths.total() or 1
    rows = [
        [f"{n}{' and more' if n == MOST_SUBWORDS else ''}", percent(share), bar(share)]
        for n in range(1, MOST_SUBWORDS + 1)
        for share in (lengths[n] / total,)
    ]
    title = f"Words of {inputs.settings.split}, {side}, by their subwords"
    yield Table(title, ["subwords", "words", ""], rows)
    frequent = sorted((+split_words).items(), key=lambda item: (-item[1], item[0]))[:SPLIT_WORDS]
    if frequent:
        chips = Markup(" ").join(
            html(
                '<span class="chip">{} <span class="muted">{}×</span></span>',
                foreign(word, inputs.languages[side]),
                plain(number),
            )
            for word, number in frequent
        )
        yield html("<p>Split most often: {}</p>", chips)
