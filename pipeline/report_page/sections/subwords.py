"""Byte-pair encoding: how large it is, and how it splits words."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from pipeline.base.stage import SIDES, SPLITS
from pipeline.report_page.inputs import Inputs
from pipeline.report_page.numbers import Report
from pipeline.report_page.section import Context
from pipeline.subwords import MARK

MOST = 6
"""Words of so many subwords and more are counted together."""
EXAMPLES = 8


@dataclass(frozen=True)
class Side:
    """How the words of one side of the split are split.

    Attributes:
        shares: of the running words, for 1, 2, … `MOST` and more subwords.
        examples: the words that most often are split, in subwords.
    """

    name: str
    language: str
    words: int
    shares: tuple[float, ...]
    examples: tuple[tuple[str, int], ...]


def context(inputs: Inputs) -> Context | None:
    report = inputs.report("bpe")
    segmented = {side: inputs.lines("bpe", side) for side in SIDES}
    sides = [
        _side(side, inputs.languages[side], lines)
        for side, lines in segmented.items()
        if lines is not None
    ]
    if report is None and not sides:
        return None
    return {
        "sizes": [] if report is None else _sizes(report),
        "splits": [] if report is None else _splits(report, inputs.report("tokenize")),
        "sides": sides,
        "most": MOST,
        "split": inputs.settings.split,
        "paths": [path for path in (report and report.path, inputs.path("bpe")) if path],
    }


def _sizes(report: Report) -> list[tuple[str, float]]:
    labels = {
        "merges": "merges learned, of both languages",
        "source_words": "different words, source",
        "source_subwords": "different subwords, source",
        "target_words": "different words, target",
        "target_subwords": "different subwords, target",
    }
    return [(label, report.number(key)) for key, label in labels.items() if key in report]


def _splits(report: Report, tokenized: Report | None) -> list[dict[str, object]]:
    """Subwords of each split and side, and how many a word has."""
    rows: list[dict[str, object]] = []
    for split in SPLITS:
        for side in SIDES:
            subwords = report.get(f"{split}_{side}_subwords")
            if subwords is None:
                continue
            words = None if tokenized is None else tokenized.get(f"{split}_{side}_tokens")
            rows.append(
                {
                    "split": split,
                    "side": side,
                    "subwords": subwords,
                    "words": words,
                    "fertility": subwords / words if words else None,
                }
            )
    return rows


def _side(name: str, language: str, lines: list[str]) -> Side:
    lengths: Counter[int] = Counter()
    split_words: Counter[str] = Counter()
    for line in lines:
        word: list[str] = []
        for subword in line.split(" "):
            word.append(subword)
            if not subword.endswith(MARK):
                lengths[min(len(word), MOST)] += 1
                if len(word) > 1:
                    split_words[" ".join(word)] += 1
                word = []
    words = lengths.total()
    frequent = sorted(split_words.items(), key=lambda item: (-item[1], item[0]))[:EXAMPLES]
    return Side(
        name=name,
        language=language,
        words=words,
        shares=tuple(lengths[n] / words if words else 0.0 for n in range(1, MOST + 1)),
        examples=tuple(frequent),
    )
