"""Sentence scores, and translations side by side: the worst, the best, the most different."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean

from pipeline.report_page.charts.line_chart import LineChart, line_chart
from pipeline.report_page.charts.ticks import PERCENT
from pipeline.report_page.inputs import Inputs, check_same_number
from pipeline.report_page.section import Context
from pipeline.report_page.sentence_scores import SentenceScores, score_sentences
from pipeline.report_page.word_diff import Piece, word_diff

BIN = 10
"""Per cent: the width of a bar of the distribution of scores."""
BUCKETS = 6
"""Sentences by their length: as many in each bucket."""
METRIC_NAMES = {"chrf": "chrF", "bleu": "BLEU"}


@dataclass(frozen=True)
class Output:
    """A system's translation of a sentence, in pieces of what is right, added and missing."""

    system: int
    name: str
    score: float
    pieces: tuple[Piece, ...]


@dataclass(frozen=True)
class Sentence:
    """A sentence of the list; `lists` as `SentenceScores.ranked` gives them."""

    index: int
    source: str | None
    reference: str
    length: int
    mean: float
    spread: float
    lists: Mapping[str, Sequence[str]]
    outputs: tuple[Output, ...]


def context(inputs: Inputs) -> Context | None:
    translations = inputs.translations
    if translations is None:
        return None
    settings = inputs.settings
    references, hypotheses = translations.references, translations.hypotheses
    sources = inputs.sources
    if sources is not None:
        folder = inputs.path("tokenized") or inputs.path("corpus")
        assert folder is not None
        translated = next(s.translations for s in inputs.systems if s.translations is not None)
        check_same_number(
            {
                folder / f"{settings.split}.source": sources,
                translated / f"{settings.split}.references": references,
            }
        )
    lengths = [len(text.split()) for text in (references if sources is None else sources)]
    scores = score_sentences(hypotheses, references, settings.metric)
    means, spreads = scores.mean, scores.spread
    sentences = [
        Sentence(
            index=index,
            source=None if sources is None else sources[index],
            reference=references[index],
            length=lengths[index],
            mean=means[index],
            spread=spreads[index],
            lists=lists,
            outputs=tuple(
                Output(
                    number,
                    name,
                    scores.of_system[name][index],
                    tuple(word_diff(outputs[index], references[index])),
                )
                for number, (name, outputs) in enumerate(hypotheses.items())
            ),
        )
        for index, lists in scores.ranked(settings.ranked).items()
    ]
    styles = {system.name: number for number, system in enumerate(inputs.systems)}
    charts = [_distribution(scores, styles), _by_length(scores, lengths, styles)]
    return {
        "sentences": sorted(sentences, key=lambda s: (s.mean, s.index)),
        "systems": list(hypotheses),
        "styles": styles,
        "total": len(references),
        "metric": METRIC_NAMES[settings.metric],
        "longest": max((s.length for s in sentences), default=0),
        "charts": [chart for chart in charts if chart is not None],
        "split": settings.split,
        "languages": inputs.languages,
        "length_of": "source" if sources is not None else "reference",
        "paths": _files(inputs),
    }


def _files(inputs: Inputs) -> list[Path]:
    name = f"{inputs.settings.split}.hypotheses"
    return [s.translations / name for s in inputs.systems if s.translations is not None]


def _distribution(scores: SentenceScores, styles: Mapping[str, int]) -> LineChart | None:
    """How many sentences have scores around each multiple of ten."""
    curves = {}
    for name, values in scores.of_system.items():
        bins = [0] * (100 // BIN + 1)
        for value in values:
            bins[min(max(round(value / BIN), 0), 100 // BIN)] += 1
        curves[name] = [(float(BIN * number), float(count)) for number, count in enumerate(bins)]
    return line_chart(
        "Sentences by score",
        curves,
        x_name="sentence score, to the nearest ten",
        y_name="sentences",
        styles=styles,
        from_zero=True,
        digits=0,
    )


def _by_length(
    scores: SentenceScores, lengths: Sequence[int], styles: Mapping[str, int]
) -> LineChart | None:
    """The mean score of short and of long sentences."""
    buckets = length_buckets(lengths, BUCKETS)
    curves = {
        name: [
            (
                round(fmean(lengths[i] for i in bucket), 2),
                round(fmean(values[i] for i in bucket), 2),
            )
            for bucket in buckets
        ]
        for name, values in scores.of_system.items()
    }
    return line_chart(
        "Mean score by length",
        curves,
        x_name="words of the sentence (mean of each sixth)",
        y_name="mean sentence score",
        styles=styles,
        x_from_zero=True,
        within=PERCENT,
        digits=2,
    )


def length_buckets(lengths: Sequence[int], count: int) -> list[list[int]]:
    """The indices of sentences in up to `count` buckets of about as many, from the shortest on.

    Sentences of one length are never apart, so there may be fewer buckets.
    """
    order = sorted(range(len(lengths)), key=lambda index: (lengths[index], index))
    buckets: dict[int, list[int]] = {}
    bucket_of: dict[int, int] = {}
    for place, index in enumerate(order):
        bucket = bucket_of.setdefault(lengths[index], place * count // len(order))
        buckets.setdefault(bucket, []).append(index)
    return list(buckets.values())
