"""Means over test sets, and their test."""

from collections.abc import Mapping, Sequence
from math import hypot
from statistics import fmean
from typing import Any

import numpy as np

from pipeline.evaluate.settings import EvaluateSettings
from pipeline.formats.translations import Translations
from pipeline.statistics.bleu_tokenizers import loaded_tokenizer
from pipeline.statistics.ngrams import corpus_bleu, ngram_statistics
from pipeline.statistics.randomization import randomization_test


def mean_bleu_test(
    compared: Sequence[Translations], settings: EvaluateSettings, language: str | None
) -> float | None:
    """The p-value of the difference in BLEU, the mean over test sets; `None`: no trials.

    Args:
        compared: `hypotheses` and `baseline` of a test, or of several models, whose statistics of
            a sentence are added up.
    """
    if not settings.randomization_trials:
        return None
    tokenizer = loaded_tokenizer(settings.bleu_tokenizer, language)
    statistics = [
        [_bleu_statistics(one, name, tokenizer) for name in ("hypotheses", "baseline")]
        for one in compared
    ]
    ours, theirs = np.sum(statistics, axis=0)
    trials = settings.randomization_trials
    return randomization_test(ours, theirs, _mean_bleu, trials=trials, seed=settings.seed)


def _bleu_statistics(translations: Translations, name: str, tokenizer: str) -> np.ndarray:
    """(N, K · 16) statistics of N sentences, each in the place of its set among K."""
    texts, references = translations.texts[name], translations.references
    found = ngram_statistics(texts, references, tokenizer=tokenizer, max_ngram=4)
    sets = np.array(translations.sets)[:, None] == [*dict.fromkeys(translations.sets)]
    return np.reshape(found.reshape(-1, 1, 16) * sets[..., None], (len(texts), -1))


def _mean_bleu(sums: np.ndarray) -> np.ndarray:
    """(R, K · 16) sums of statistics to (R,) means of the sets' BLEU."""
    means: np.ndarray = corpus_bleu(sums.reshape(len(sums), -1, 16)).mean(axis=1)
    return means


def mean_over_sets(reports: Mapping[str, dict[str, Any]]) -> dict[str, Any]:
    """The report of the only set, or one of several sets.

    Its scores and differences are means, half widths of intervals those of the mean of independent
    sets. `sets` has the scores of each, `set_reports` all, in a list, which DVC leaves out.
    """
    first, *others = reports.values()
    if not others:
        return first
    metrics = [one["metric"] for one in first["signatures"]]
    means: dict[str, float] = {}
    for key in first:
        metric, _, kind = key.partition("_")
        if metric in metrics and not kind.endswith("p_value"):
            values = [report[key] for report in reports.values()]
            means[key] = hypot(*values) / len(values) if kind == "interval" else fmean(values)
    signatures = [one for report in reports.values() for one in report["signatures"]]
    return {
        "sentences": sum(report["sentences"] for report in reports.values()),
        **means,
        "sets": {name: {m: report[m] for m in metrics} for name, report in reports.items()},
        "set_reports": [{"set": name, **report} for name, report in reports.items()],
        "signatures": list({one["signature"]: one for one in signatures}.values()),
    }
