"""Sentence scores, and translations side by side: the worst, the best, the most different."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from statistics import fmean

import regex
from markupsafe import Markup

from mgsa.cli.languages import UNSPACED_SCRIPTS
from pipeline.report.blocks import MACROS, PROSE, TEMPLATES, group, html, line_figure, number
from pipeline.report.inputs import Inputs, check_same_number
from pipeline.report.results import METRICS
from pipeline.report.settings import SPLIT
from pipeline.statistics.bleu_tokenizers import loaded_tokenizer

BIN = 10
"""Per cent: the width of a bin of the distribution of scores."""
_WORD = regex.compile(
    rf"(?V1)([{UNSPACED_SCRIPTS}]\p{{M}}*|[\w\p{{M}}--{UNSPACED_SCRIPTS}]+|[^\w\s]|^)(\s*)"
)
"""A word, a letter of a script without blanks, or nothing at the start of a text; white space."""

Scores = Mapping[str, Sequence[float]]
"""Scores in per cent, of each sentence, by the system's name."""


def sentences(inputs: Inputs) -> Iterator[Markup]:
    """A chart of sentence scores, then the list of sentences."""
    references, hypotheses = inputs.translations
    if references is None:
        return
    sources, metric, count = inputs.sources, inputs.settings.metric, inputs.settings.ranked
    check_same_number(sources, references, inputs.text("tokenized", "source"))
    tokenizer = None
    if metric == "bleu":
        setting = (inputs.parameters or {}).get("evaluate", {}).get("bleu_tokenizer", "auto")
        tokenizer = loaded_tokenizer(setting, inputs.languages["target"] or None)
    scores = score_sentences(hypotheses, inputs.references, metric, tokenizer)
    means = [fmean(values) for values in zip(*scores.values(), strict=True)]
    spreads = [max(values) - min(values) for values in zip(*scores.values(), strict=True)]
    lists = ranked(means, spreads, count)
    styles = {name: inputs.styles[name] for name in hypotheses}
    counted = METRICS[metric][0], number(len(means)), SPLIT
    yield PROSE.sentences(*counted, lists, len(styles) > 1)
    yield MACROS.legend(styles)
    yield group("charts", [_distribution(scores, styles)])
    if lists:
        words = inputs.tokens("source") or [*map(str.split, (sources or references).lines)]
        listed = TEMPLATES.get_template("sentences.html").render(
            inputs=inputs,
            scores=scores,
            means=means,
            spreads=spreads,
            lists=lists,
            words=words,
            order=sorted(lists, key=lambda index: means[index]),
            word_diff=word_diff,
        )
        yield Markup(listed)


def score_sentences(
    hypotheses: Mapping[str, Sequence[str]],
    references: Sequence[Sequence[str]],
    metric: str,
    tokenizer: str | None = None,
) -> Scores:
    """Score every sentence with sacreBLEU's chrF, or its BLEU with effective order."""
    from sacrebleu.metrics.bleu import BLEU
    from sacrebleu.metrics.chrf import CHRF

    scorer = CHRF() if metric == "chrf" else BLEU(effective_order=True, tokenize=tokenizer)
    return {
        name: [
            round(float(scorer.sentence_score(text, of_sentence).score), 2)
            for text, of_sentence in zip(translated, references, strict=True)
        ]
        for name, translated in hypotheses.items()
    }


def ranked(means: Sequence[float], spreads: Sequence[float], count: int) -> dict[int, list[str]]:
    """Sentence indices with the lists they are on.

    `worst` and `best` go by the mean over systems, `different` by the spread.
    """
    apart = [index for index, spread in enumerate(spreads) if spread]
    orders = {
        "worst": sorted(range(len(means)), key=lambda index: means[index]),
        "best": sorted(range(len(means)), key=lambda index: -means[index]),
        "different": sorted(apart, key=lambda index: -spreads[index]),
    }
    lists: dict[int, list[str]] = defaultdict(list)
    for name, order in orders.items():
        for index in order[:count]:
            lists[index].append(name)
    return lists


def word_diff(hypothesis: str, reference: str) -> Markup:
    """The translation with `<ins>` for surplus words and `<del>` for missing ones.

    Without `<del>` it is the translation, character by character; white space is not compared.
    """
    ours, theirs = _WORD.findall(hypothesis), _WORD.findall(reference)
    matcher = SequenceMatcher(None, [w for w, _ in ours], [w for w, _ in theirs], autojunk=False)
    pieces = []
    for kind, first, last, their_first, their_last in matcher.get_opcodes():
        lacking = "".join(map("".join, theirs[their_first:their_last])).strip()
        if kind != "equal" and lacking:
            pieces.append(html("<del>{}</del>", lacking))
        text = "".join(map("".join, ours[first:last]))
        words = text.rstrip()
        pieces.append(html("{}" if kind == "equal" or not words else "<ins>{}</ins>", words))
        pieces.append(html("{}", text[len(words) :]))
    return Markup().join(pieces)


def _distribution(scores: Scores, styles: Mapping[str, int]) -> Markup:
    """Histogram of sentence scores."""
    bins = {
        name: Counter(min(max(round(value / BIN), 0), 100 // BIN) for value in values)
        for name, values in scores.items()
    }
    rows = (
        {"rev": name, "score": BIN * place, "sentences": counts[place]}
        for name, counts in bins.items()
        for place in range(100 // BIN + 1)
    )
    label = "sentence score, to the nearest ten"
    return line_figure(
        "Sentences by score", rows, "score", "sentences", x_label=label, styles=styles
    )
