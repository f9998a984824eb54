"""Sentence scores, and translations side by side: the worst, the best, the most different."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import groupby
from statistics import fmean
from typing import Literal, NamedTuple

from pipeline.base.charts import chart, panel
from pipeline.base.tables import Row
from pipeline.report_page.blocks import (
    Block,
    Figure,
    Files,
    Group,
    Legend,
    Part,
    figure,
    fixed,
    html,
    plain,
    series_table,
)
from pipeline.report_page.inputs import Inputs, check_same_number

BIN = 10
"""Per cent: the width of a bin of the distribution of scores."""
BUCKETS = 6
"""Sentences by their length: as many in each bucket."""
METRICS = {"chrf": "chrF", "bleu": "BLEU"}
ALL = "all"
"""The key of the mean over systems, beside the systems' numbers."""
_WORD = re.compile(r"\w+|[^\w\s]|\s+")


class Piece(NamedTuple):
    """Text that both have, that only the translation has, or that only the reference has."""

    kind: Literal["same", "added", "missing"]
    text: str


@dataclass(frozen=True)
class SentenceScores:
    """Scores in per cent, of each sentence, by the system's name."""

    of_system: Mapping[str, Sequence[float]]

    @property
    def mean(self) -> list[float]:
        """The mean over systems."""
        return [fmean(scores) for scores in zip(*self.of_system.values(), strict=True)]

    @property
    def spread(self) -> list[float]:
        """The best minus the worst system."""
        return [max(s) - min(s) for s in zip(*self.of_system.values(), strict=True)]

    def ranked(self, count: int) -> dict[int, dict[str, list[str]]]:
        """The sentences to list, by index, each with the lists that it is on.

        Returns:
            `worst` and `best`, by whose scores (`all`, or a system's number); `different`, where
            systems differ most.
        """
        listed: dict[int, dict[str, list[str]]] = {}

        def note(name: str, key: str, indices: Sequence[int]) -> None:
            for index in indices:
                listed.setdefault(index, {}).setdefault(name, []).append(key)

        columns = {ALL: self.mean}
        if len(self.of_system) > 1:
            columns |= {str(i): list(s) for i, s in enumerate(self.of_system.values())}
            apart = [index for index, spread in enumerate(self.spread) if spread > 0]
            apart.sort(key=lambda index: (-self.spread[index], index))
            note("different", ALL, apart[:count])
        for key, scores in columns.items():
            note("worst", key, _lowest(scores, count))
            note("best", key, _lowest([-score for score in scores], count))
        return dict(sorted(listed.items()))


def _lowest(values: Sequence[float], count: int) -> list[int]:
    """The places of the lowest values, the lowest first; of equal ones the first."""
    return sorted(range(len(values)), key=lambda index: (values[index], index))[:count]


def score_sentences(
    hypotheses: Mapping[str, Sequence[str]], references: Sequence[str], metric: str
) -> SentenceScores:
    """Score every sentence with sacreBLEU's chrF, or its BLEU with effective order."""
    from sacrebleu.metrics.bleu import BLEU
    from sacrebleu.metrics.chrf import CHRF

    scorer = CHRF() if metric == "chrf" else BLEU(effective_order=True)
    return SentenceScores(
        {
            name: [
                round(float(scorer.sentence_score(text, [reference]).score), 2)
                for text, reference in zip(translated, references, strict=True)
            ]
            for name, translated in hypotheses.items()
        }
    )


def word_diff(hypothesis: str, reference: str) -> list[Piece]:
    """The translation in pieces, with what it lacks where it would stand.

    The pieces that are not `missing` are the translation, character by character.
    """
    pieces = _pieces(_WORD.findall(hypothesis), _WORD.findall(reference))
    return [
        Piece(kind, "".join(piece.text for piece in some))
        for kind, some in groupby(pieces, key=lambda piece: piece.kind)
    ]


def _pieces(ours: list[str], theirs: list[str]) -> Iterator[Piece]:
    # White space is part of the text but not of the comparison: nobody looks for a changed space.
    mine = [place for place, word in enumerate(ours) if not word.isspace()]
    its = [place for place, word in enumerate(theirs) if not word.isspace()]
    matcher = SequenceMatcher(
        None, [ours[p] for p in mine], [theirs[p] for p in its], autojunk=False
    )
    at = 0
    for kind, first, last, their_first, their_last in matcher.get_opcodes():
        start = mine[first] if first < len(mine) else len(ours)
        if start > at:
            yield Piece("same", "".join(ours[at:start]))
            at = start
        if kind in ("replace", "insert"):
            lacking = theirs[its[their_first] : its[their_last - 1] + 1]
            yield Piece("missing", "".join(lacking))
        if last > first:
            end = mine[last - 1] + 1
            yield Piece("same" if kind == "equal" else "added", "".join(ours[at:end]))
            at = end
    if at < len(ours):
        yield Piece("same", "".join(ours[at:]))


def sentences(inputs: Inputs) -> Iterator[Block]:
    """Charts of sentence scores, then the list of sentences."""
    translations, settings = inputs.translations, inputs.settings
    if translations is None:
        return
    references, hypotheses = translations.references, translations.hypotheses
    sources = inputs.sources
    folders = [s.translations for s in inputs.systems if s.translations is not None]
    if sources is not None:
        folder = inputs.path("tokenized") or inputs.path("corpus")
        assert folder is not None
        check_same_number(
            {
                folder / f"{settings.split}.source": sources,
                folders[0] / f"{settings.split}.references": references,
            }
        )
    lengths = [len(text.split()) for text in (references if sources is None else sources)]
    scores = score_sentences(hypotheses, references, settings.metric)
    listed = scores.ranked(settings.ranked)
    mean, spread = scores.mean, scores.spread
    several = len(hypotheses) > 1
    yield html(
        "<p>Sentence {} of the {} sentences of <code>{}</code>.{}</p>",
        METRICS[settings.metric],
        plain(len(references)),
        settings.split,
        " Listed are those with the worst and the best scores"
        + (
            ", of every system and of the mean over systems, and those that systems differ in most."
            if several
            else "."
        )
        if listed
        else "",
    )
    yield Legend({name: inputs.styles[name] for name in hypotheses})
    yield Group([_distribution(scores, inputs), _by_length(scores, lengths, inputs)], "charts")
    if listed:
        order = sorted(listed, key=lambda index: (mean[index], index))
        yield Part(
            "sentences.html",
            {
                "sentences": [
                    {
                        "index": index,
                        "source": None if sources is None else sources[index],
                        "reference": references[index],
                        "length": lengths[index],
                        "mean": mean[index],
                        "spread": spread[index],
                        "lists": listed[index],
                        "outputs": [
                            {
                                "system": number,
                                "style": inputs.styles[name] if several else None,
                                "name": name,
                                "score": scores.of_system[name][index],
                                "pieces": word_diff(outputs[index], references[index]),
                            }
                            for number, (name, outputs) in enumerate(hypotheses.items())
                        ],
                    }
                    for index in order
                ],
                "systems": list(hypotheses),
                "longest": max(lengths[index] for index in order),
                "languages": inputs.languages,
                "length_of": "source" if sources is not None else "reference",
            },
        )
    yield Files([folder / f"{settings.split}.hypotheses" for folder in folders])


def _distribution(scores: SentenceScores, inputs: Inputs) -> Figure:
    """How many sentences have scores around each multiple of ten."""
    rows: list[Row] = []
    for name, values in scores.of_system.items():
        bins = [min(max(round(value / BIN), 0), 100 // BIN) for value in values]
        rows += [
            {"rev": name, "score": BIN * place, "sentences": bins.count(place)}
            for place in range(100 // BIN + 1)
        ]
    title, x_name = "Sentences by score", "sentence score, to the nearest ten"
    spec = chart("curves", rows, x="score", y="sentences", x_label=x_name, styles=inputs.styles)
    table = series_table(
        title, rows, "score", "rev", lambda r: plain(r["sentences"]), x_name=x_name
    )
    return figure(title, panel(spec), table)


def _by_length(scores: SentenceScores, lengths: Sequence[int], inputs: Inputs) -> Figure:
    """The mean score of short and of long sentences."""
    rows: list[Row] = [
        {
            "rev": name,
            "words": round(fmean(lengths[i] for i in bucket), 2),
            "score": round(fmean(values[i] for i in bucket), 2),
        }
        for name, values in scores.of_system.items()
        for bucket in length_buckets(lengths, BUCKETS)
    ]
    title, x_name = "Mean score by length", "words of the sentence (mean of each sixth)"
    spec = chart("curves", rows, x="words", y="score", x_label=x_name, styles=inputs.styles)
    table = series_table(title, rows, "words", "rev", lambda r: fixed(r["score"]), x_name=x_name)
    return figure(title, panel(spec), table)


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
