"""Sentence scores, and translations side by side: the worst, the best, the most different."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from itertools import groupby
from statistics import fmean
from typing import Literal, NamedTuple

from pipeline.base.tables import Row
from pipeline.report_page.blocks import Block, Figure, Files, Group, Legend, Part, line_figure
from pipeline.report_page.inputs import Inputs, check_same_number
from pipeline.report_page.markup import html
from pipeline.report_page.numbers import fixed, plain

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


Scores = Mapping[str, Sequence[float]]
"""Scores in per cent, of each sentence, by the system's name."""


def means(scores: Scores) -> list[float]:
    """The mean over systems, of each sentence."""
    return [fmean(some) for some in zip(*scores.values(), strict=True)]


def spreads(scores: Scores) -> list[float]:
    """The best minus the worst system, of each sentence."""
    return [max(some) - min(some) for some in zip(*scores.values(), strict=True)]


def ranked(scores: Scores, count: int) -> dict[int, dict[str, list[str]]]:
    """The sentences to list, by index, each with the lists that it is on.

    Returns:
        `worst` and `best`, by whose scores (`all`, or a system's number); `different`, where
        systems differ most.
    """
    lists: dict[int, dict[str, list[str]]] = {}
    columns: dict[str, Sequence[float]] = {ALL: means(scores)}
    picked = []
    if len(scores) > 1:
        columns |= {str(i): of_system for i, of_system in enumerate(scores.values())}
        apart = spreads(scores)
        different = _lowest([-spread for spread in apart], count)
        picked.append(("different", ALL, [i for i in different if apart[i] > 0]))
    for key, values in columns.items():
        picked.append(("worst", key, _lowest(values, count)))
        picked.append(("best", key, _lowest([-value for value in values], count)))
    for name, key, indices in picked:
        for index in indices:
            lists.setdefault(index, {}).setdefault(name, []).append(key)
    return dict(sorted(lists.items()))


def _lowest(values: Sequence[float], count: int) -> list[int]:
    """The places of the lowest values, the lowest first; of equal ones the first."""
    return sorted(range(len(values)), key=lambda index: (values[index], index))[:count]


def score_sentences(
    hypotheses: Mapping[str, Sequence[str]], references: Sequence[str], metric: str
) -> Scores:
    """Score every sentence with sacreBLEU's chrF, or its BLEU with effective order."""
    from sacrebleu.metrics.bleu import BLEU
    from sacrebleu.metrics.chrf import CHRF

    scorer = CHRF() if metric == "chrf" else BLEU(effective_order=True)
    return {
        name: [
            round(float(scorer.sentence_score(text, [reference]).score), 2)
            for text, reference in zip(translated, references, strict=True)
        ]
        for name, translated in hypotheses.items()
    }


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
    (references, hypotheses), settings = inputs.translations, inputs.settings
    if not hypotheses:
        return
    sources = inputs.sources
    folders = [s.translations for s in inputs.systems if s.translations is not None]
    if sources is not None:
        name = "tokenized" if "tokenized" in inputs.paths else "corpus"
        first = folders[0] / f"{settings.split}.references"
        check_same_number({inputs.file(name, "source"): sources, first: references})
    lengths = [len(text.split()) for text in (references if sources is None else sources)]
    scores = score_sentences(hypotheses, references, settings.metric)
    lists = ranked(scores, settings.ranked)
    of_which = (
        ", of every system and of the mean over systems, and those that systems differ in most."
        if len(hypotheses) > 1
        else "."
    )
    yield html(
        "<p>Sentence {} of the {} sentences of <code>{}</code>.{}</p>",
        METRICS[settings.metric],
        plain(len(references)),
        settings.split,
        f" Listed are those with the worst and the best scores{of_which}" if lists else "",
    )
    yield Legend({name: inputs.styles[name] for name in hypotheses})
    charts = [_distribution(scores, inputs.styles), _by_length(scores, lengths, inputs.styles)]
    yield Group(charts, "charts")
    if lists:
        mean, spread = means(scores), spreads(scores)
        listed = [
            {
                "index": index,
                "source": None if sources is None else sources[index],
                "reference": references[index],
                "length": lengths[index],
                "mean": mean[index],
                "spread": spread[index],
                "lists": lists[index],
                "outputs": [
                    {
                        "style": inputs.styles[name] if len(hypotheses) > 1 else None,
                        "name": name,
                        "score": scores[name][index],
                        "pieces": word_diff(outputs[index], references[index]),
                    }
                    for name, outputs in hypotheses.items()
                ],
            }
            for index in sorted(lists, key=lambda index: (mean[index], index))
        ]
        context = {
            "sentences": listed,
            "systems": list(hypotheses),
            "longest": max(lengths[index] for index in lists),
            "languages": inputs.languages,
            "length_of": "source" if sources is not None else "reference",
        }
        yield Part("sentences.html", context)
    yield Files([folder / f"{settings.split}.hypotheses" for folder in folders])


def _distribution(scores: Scores, styles: Mapping[str, int]) -> Figure:
    """How many sentences have scores around each multiple of ten."""
    rows: list[Row] = []
    for name, values in scores.items():
        bins = [min(max(round(value / BIN), 0), 100 // BIN) for value in values]
        rows += [
            {"rev": name, "score": BIN * place, "sentences": bins.count(place)}
            for place in range(100 // BIN + 1)
        ]
    return line_figure(
        "Sentences by score",
        rows,
        "score",
        "sentences",
        plain,
        x_name="sentence score, to the nearest ten",
        styles=styles,
    )


def _by_length(scores: Scores, lengths: Sequence[int], styles: Mapping[str, int]) -> Figure:
    """The mean score of short and of long sentences."""
    rows = [
        {
            "rev": name,
            "words": round(fmean(lengths[i] for i in bucket), 2),
            "score": round(fmean(values[i] for i in bucket), 2),
        }
        for name, values in scores.items()
        for bucket in length_buckets(lengths, BUCKETS)
    ]
    return line_figure(
        "Mean score by length",
        rows,
        "words",
        "score",
        fixed,
        x_name="words of the sentence (mean of each sixth)",
        styles=styles,
    )


def length_buckets(lengths: Sequence[int], count: int) -> list[list[int]]:
    """The indices of sentences in up to `count` buckets of about as many, from the shortest on.

    Sentences of one length are never apart, so there may be fewer buckets.
    """
    order = sorted(range(len(lengths)), key=lambda index: (lengths[index], index))
    buckets: dict[int, list[int]] = defaultdict(list)
    bucket_of: dict[int, int] = {}
    for place, index in enumerate(order):
        buckets[bucket_of.setdefault(lengths[index], place * count // len(order))].append(index)
    return list(buckets.values())
