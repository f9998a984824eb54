"""sacreBLEU's BLEU, chrF and TER of translations, cased, with their signatures.

Scores, confidence intervals and the paired tests, by bootstrap and by approximate randomisation
(Riezler & Maxwell 2005), are those of sacreBLEU's command on the same files.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import islice, zip_longest
from typing import TYPE_CHECKING, Any

from mgsa.cli.languages import CHINESE, UNSPACED, base_language
from pipeline.evaluate.settings import EvaluateSettings
from pipeline.statistics.bleu_tokenizers import loaded_tokenizer

if TYPE_CHECKING:
    from sacrebleu.metrics.base import Metric

SEED_VARIABLE = "SACREBLEU_SEED"
"""The only place where sacreBLEU takes the seed of its draws from."""

ENOUGH = 21
"""Sentences told apart with which no p-value is below its bound."""
RESULTS = {"bleu": "BLEU", "chrf": "chrF2", "ter": "TER"}
"""Metrics by their names in sacreBLEU's results."""


def score(
    hypotheses: Sequence[str],
    references: Sequence[Sequence[str]],
    settings: EvaluateSettings,
    *,
    language: str | None = None,
    baseline: Sequence[str] | None = None,
) -> dict[str, Any]:
    """Scores in per cent with sacreBLEU's signatures.

    For each metric its score (`bleu`), and mean and half width of its 95% bootstrap interval
    (`bleu_mean`, `bleu_interval`). With a baseline also the entries of `compare`. TER, which counts
    words, is left out of `UNSPACED` languages but Chinese and Japanese, which sacreBLEU splits.

    Args:
        references: one or more of each sentence.
        language: the target language, by which text is split into words.
    """
    scores: dict[str, float] = {}
    written = []
    samples, metrics = settings.bootstrap_samples, _metrics(references, settings, language)
    with _seeded(settings.seed):
        signatures, results = _test({"system": hypotheses}, metrics, "bs", samples)
    for name, metric in metrics.items():
        result, signature = results[name]["system"], metric.get_signature().format()
        scores[name] = float(result.score)
        if samples > 1:
            scores |= {f"{name}_mean": float(result.mean), f"{name}_interval": float(result.ci)}
            signature = signatures[name]
        written.append({"metric": name, "signature": signature})
    if baseline is not None:
        scores |= compare(hypotheses, baseline, references, settings, language)
    # DVC compares the numbers, and leaves out a list.
    return {"sentences": len(references), **scores, "signatures": written}


def compare(
    hypotheses: Sequence[str],
    baseline: Sequence[str],
    references: Sequence[Sequence[str]],
    settings: EvaluateSettings,
    language: str | None = None,
) -> dict[str, float]:
    """Baseline scores, differences, and p-values of both paired tests.

    For each metric `bleu_baseline`, `bleu_difference`, `bleu_p_value` and, with randomisation
    trials, `bleu_randomization_p_value`. sacreBLEU counts samples whose difference is strictly
    larger than the observed one; p-values are therefore bounded from below: 1 for equal scores,
    else 2 / 2^k for k sentences that the metric tells apart. The bootstrap's p-value is left as
    sacreBLEU's, about half of what it should be (see `pipeline.statistics.bootstrap.compare`).
    """
    metrics = _metrics(references, settings, language)
    alone = _metrics([], settings, language)
    rows = [*zip(hypotheses, baseline, references, strict=True)]
    least = {name: _least_p_value(metric, rows) for name, metric in alone.items()}
    systems = {"baseline": baseline, "system": hypotheses}
    tests = {"p_value": ("bs", settings.bootstrap_samples)}
    if settings.randomization_trials:
        tests["randomization_p_value"] = ("ar", settings.randomization_trials)
    scores: dict[str, float] = {}
    with _seeded(settings.seed):
        for p_value, (kind, samples) in tests.items():
            for name, results in _test(systems, metrics, kind, samples)[1].items():
                one, other = results["baseline"], results["system"]
                scores[f"{name}_baseline"] = float(one.score)
                scores[f"{name}_difference"] = float(other.score - one.score)
                found = 1.0 if other.score == one.score else max(other.p_value, least[name])
                scores[f"{name}_{p_value}"] = float(found)
    return scores


def _least_p_value(metric: Metric, rows: Iterable[tuple[str, str, Sequence[str]]]) -> float:
    """2 / 2^k, at most 1, for k sentences of two systems that a metric tells apart."""
    scores = (
        [vars(metric.sentence_score(text, references)) for text in (one, other)]
        for one, other, references in rows
        if one != other
    )
    differing = (1 for one, other in scores if one != other)
    return min(2.0 ** (1 - sum(islice(differing, ENOUGH))), 1.0)


@contextmanager
def _seeded(seed: int) -> Iterator[None]:
    """Have sacreBLEU draw by a seed."""
    before = os.environ.get(SEED_VARIABLE)
    os.environ[SEED_VARIABLE] = str(seed)
    try:
        yield
    finally:
        del os.environ[SEED_VARIABLE]
        if before is not None:
            os.environ[SEED_VARIABLE] = before


def _test(
    systems: Mapping[str, Sequence[str]], metrics: Mapping[str, Metric], kind: str, samples: int
) -> tuple[dict[str, str], dict[str, dict[str, Any]]]:
    """Signatures and results of each system by metric.

    `kind` is a test, by bootstrap (`bs`) or randomisation (`ar`), of which the first of `systems`
    is the baseline.
    """
    from sacrebleu.significance import PairedTest

    test = PairedTest(list(systems.items()), metrics, None, test_type=kind, n_samples=samples)
    signatures, results = test()
    return (
        {name: signatures[RESULTS[name]].format() for name in metrics},
        {name: dict(zip(systems, results[RESULTS[name]], strict=True)) for name in metrics},
    )


def _metrics(
    references: Sequence[Sequence[str]], settings: EvaluateSettings, language: str | None
) -> dict[str, Metric]:
    """Metrics with cached statistics of references, or, without any, for single sentences."""
    from sacrebleu.metrics.bleu import BLEU
    from sacrebleu.metrics.chrf import CHRF
    from sacrebleu.metrics.ter import TER

    base = language and base_language(language)
    columns = [*zip_longest(*references)] or None  # sacreBLEU takes `None` for no reference
    found: dict[str, Metric] = {}
    if "bleu" in settings.metrics:
        tokenizer = loaded_tokenizer(settings.bleu_tokenizer, language)
        alone = columns is None
        found["bleu"] = BLEU(  # by `force`, tokenised text is scored without sacreBLEU's lines
            tokenize=tokenizer, references=columns, effective_order=alone, force=True
        )
    if "chrf" in settings.metrics:
        found["chrf"] = CHRF(references=columns)
    is_split = base in (*CHINESE, "ja")
    if "ter" in settings.metrics and (is_split or base not in UNSPACED):
        split = {"normalized": is_split, "asian_support": is_split}
        found["ter"] = TER(case_sensitive=True, references=columns, **split)
    return {name: found[name] for name in settings.metrics if name in found}


def describe(report: Mapping[str, Any]) -> Iterator[str]:
    """A line for each metric of a report: numbers by key, and signature; first those of sets."""
    parts = report.get("set_reports", [])
    for part in parts:
        yield from (f"{part['set']}: {line}" for line in describe(part))
    signatures = {one["metric"]: one["signature"] for one in report["signatures"]}
    for metric, signature in signatures.items():
        keys = [key for key in report if key.partition("_")[0] == metric]
        numbers = ", ".join(f"{key} {report[key]:.4g}" for key in keys)
        yield f"all sets: {numbers}" if parts else f"{numbers}  {signature}"
