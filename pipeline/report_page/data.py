"""Data: the corpus and its subwords."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path

from pipeline.base.stage import SIDES, SPLITS
from pipeline.base.tables import Row, read_csv
from pipeline.base.text import read_parallel, read_sentences
from pipeline.report_page.blocks import Block, Details, Figure, Group, Table, files, line_figure
from pipeline.report_page.inputs import Inputs, Report
from pipeline.report_page.markup import bar, foreign, html, join, shortened
from pipeline.report_page.numbers import fixed, percent, plain
from pipeline.tokens.subwords import MARK

EXAMPLES = 3
"""Dropped pairs that are shown of each reason."""
LONGEST = 100
"""Words: longer sentences are counted with these in the chart."""
REASONS = {
    "empty": "a side has no token",
    "short": "a side is shorter than tokenize.min_tokens",
    "long": "a side is longer than tokenize.max_tokens",
    "ratio": "one side is more than tokenize.max_ratio times as long as the other",
    "token": "a token has more than 1,000 characters",
    "duplicate": "the pair came before",
}
"""Why the stage `tokenize` drops pairs, for people."""
MOST_SUBWORDS = 6
"""Words of so many subwords and more are counted together."""
SPLIT_WORDS = 8
"""Words that are split most often."""


def corpus(inputs: Inputs) -> Iterator[Block]:
    """How large the corpus is, how long its sentences are, what cleaning dropped."""
    report, folder = inputs.report("tokenize"), inputs.paths.get("corpus")
    tokenized = inputs.paths.get("tokenized")
    if report is None:
        return
    pairs = report.number("train_pairs")
    dropped = pairs - report.number("train_kept")
    if folder is None:
        which = ""
    else:
        name = Report.read(folder / "corpus.json")["name"]
        languages = inputs.languages.values()
        which = html('<strong dir="auto">{}</strong>, {} to {}. ', name, *languages)
    yield html(
        "<p>{}{} Pairs of the other splits are never dropped.</p>",
        which,
        f"Cleaning dropped {plain(dropped)} of {plain(pairs)} training pairs "
        f"({percent(dropped / pairs)})."
        if dropped
        else "Cleaning dropped no training pair.",
    )
    sizes = [_size(report, split) for split in SPLITS if f"{split}_pairs" in report]
    of_sides = [name for side in SIDES for name in (f"{side} tokens", "a sentence")]
    yield Table("Sizes", ["split", "pairs", "kept", *of_sides], sizes)
    if dropped:
        lines = [
            [reason, plain(number), meaning]
            for reason, meaning in REASONS.items()
            if (number := report.optional(f"train_dropped_{reason}"))
        ]
        yield Table("Training pairs that cleaning dropped", ["reason", "pairs", "that is"], lines)
    if tokenized is not None:
        yield from _dropped(tokenized, folder, inputs.languages)
        yield Group([_sentence_lengths(tokenized, "train")], "charts")
    yield files(report, tokenized)


def _size(report: Report, split: str) -> list[str]:
    kept = report.number(f"{split}_kept")
    cells: list[str] = [split, plain(report.number(f"{split}_pairs")), plain(kept)]
    for side in SIDES:
        tokens = report.number(f"{split}_{side}_tokens")
        cells += [plain(tokens), fixed(tokens / kept if kept else 0.0, 1)]
    return cells


def _dropped(tokenized: Path, corpus: Path | None, languages: Mapping[str, str]) -> Iterator[Block]:
    """The first dropped pairs of each reason."""
    lines: dict[str, list[int]] = {reason: [] for reason in REASONS}
    columns = {"split": str, "line": int, "reason": str}
    for row in read_csv(tokenized / "dropped.tsv", columns, delimiter="\t"):
        of_reason = lines.setdefault(row["reason"], [])
        if row["split"] == "train" and len(of_reason) < EXAMPLES:
            of_reason.append(row["line"])
    wanted = {line for some in lines.values() for line in some}
    pairs: dict[int, tuple[str, ...]] = {}
    if corpus is not None and wanted:
        rows = read_parallel([corpus / f"train.{side}" for side in SIDES])
        numbered = enumerate(islice(rows, max(wanted)), start=1)
        pairs = {line: pair for line, pair in numbered if line in wanted}
    for reason, some in lines.items():
        examples = [
            html("<dt>line {}</dt>", plain(line))
            + join(
                html("<dd>{}</dd>", foreign(shortened(text), languages[side]))
                for side, text in zip(SIDES, pairs.get(line, ()), strict=False)
            )
            for line in some
        ]
        if examples:
            listed = html('<dl class="texts">{}</dl>', join(examples))
            yield Details(f"First pairs dropped as “{reason}”", [listed])


def _sentence_lengths(tokenized: Path, split: str) -> Figure:
    """How many sentences of each side have each length."""
    rows: list[Row] = []
    for side in SIDES:
        texts = read_sentences(tokenized / f"{split}.{side}")
        counts = Counter(min(text.count(" ") + 1, LONGEST) for text in texts)
        numbers = range(1, max(counts, default=0) + 1)
        rows += [{"rev": side, "tokens": n, "sentences": counts[n]} for n in numbers]
    return line_figure(
        f"Sentence lengths of {split}",
        rows,
        "tokens",
        "sentences",
        plain,
        x_name="tokens",
        y_name="sentences",
        scale={"zero": True},
    )


def subwords(inputs: Inputs) -> Iterator[Block]:
    """How large the byte-pair encoding is, and how it splits words."""
    report, tokenized = inputs.report("bpe"), inputs.report("tokenize")
    if report is not None:
        titles = {"merges": "merges learned, of both languages"} | {
            f"{side}_{unit}": f"different {unit}, {side}"
            for side in SIDES
            for unit in ("words", "subwords")
        }
        sizes = [[name, plain(report.number(key))] for key, name in titles.items() if key in report]
        columns = ["split", "side", "words", "subwords", "a word"]
        splits = [
            _fertility(split, side, report, tokenized)
            for split in SPLITS
            for side in SIDES
            if f"{split}_{side}_subwords" in report
        ]
        joint = Table("Joint byte-pair encoding", ["of the training text", "number"], sizes)
        yield Group([joint, Table("Subwords of each split", columns, splits)], "beside")
    segmented = {side: lines for side in SIDES if (lines := inputs.lines("bpe", side)) is not None}
    if segmented:
        sides = [Group([*_side(*one, inputs)], "side") for one in segmented.items()]
        yield Group(sides, "charts")
    if report is not None or segmented:
        yield files(report, inputs.paths.get("bpe"))


def _fertility(split: str, side: str, report: Report, tokenized: Report | None) -> list[str]:
    subwords = report.number(f"{split}_{side}_subwords")
    words = None if tokenized is None else tokenized.optional(f"{split}_{side}_tokens")
    a_word = fixed(subwords / words if words else None, 3)
    return [split, side, plain(words), plain(subwords), a_word]


def _side(side: str, lines: Sequence[str], inputs: Inputs) -> Iterator[Block]:
    """Words of the split by their subwords, and those that are split most often."""
    word = re.compile(rf"(?:[^ ]*{re.escape(MARK)} )*[^ ]+")
    words = Counter(found for line in lines for found in word.findall(line))
    lengths: Counter[int] = Counter()
    for text, number in words.items():
        lengths[min(text.count(" ") + 1, MOST_SUBWORDS)] += number
    total = lengths.total() or 1
    shares = {n: lengths[n] / total for n in range(1, MOST_SUBWORDS)}
    last = {f"{MOST_SUBWORDS} and more": lengths[MOST_SUBWORDS] / total}
    rows = [[str(n), percent(share), bar(share)] for n, share in (shares | last).items()]
    title = f"Words of {inputs.settings.split}, {side}, by their subwords"
    yield Table(title, ["subwords", "words", ""], rows)
    split = sorted((-number, text) for text, number in words.items() if " " in text)
    if split:
        chips = [
            html(
                '<span class="chip">{} <span class="muted">{}×</span></span>',
                foreign(text, inputs.languages[side]),
                plain(-number),
            )
            for number, text in split[:SPLIT_WORDS]
        ]
        yield html("<p>Split most often: {}</p>", join(chips, " "))
