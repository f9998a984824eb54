"""Stage `evaluate`: sacreBLEU's BLEU, chrF and TER of translations, cased, with their signatures.

Scores, confidence intervals and the paired tests, by bootstrap and by approximate randomisation
(Riezler & Maxwell 2005), are those of sacreBLEU's command on the same files.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal
from unittest.mock import patch

from annotated_types import Interval

from mgsa.base.cli import run
from mgsa.base.command import Input, Report
from mgsa.base.io import write_json
from mgsa.base.settings import MAX_SEED, check_each_once
from pipeline.base.stage import stage
from pipeline.base.text import read_parallel

if TYPE_CHECKING:
    from sacrebleu.metrics.base import Metric

SEED_VARIABLE = "SACREBLEU_SEED"
"""Where sacreBLEU takes the seed of its tests from."""


@dataclass(frozen=True)
class EvaluateSettings:
    """Which metrics, how many resamples their 95% intervals and how many trials their tests have.

    The seed starts at 1, since sacreBLEU's paired tests take 0 for none. Without trials there is
    no randomisation test.
    """

    metrics: tuple[Literal["bleu", "chrf", "ter"], ...]
    bleu_tokenizer: Literal["13a", "intl", "zh", "char", "none"]
    bootstrap_samples: Annotated[int, Interval(ge=1, le=1_000_000)]
    randomization_trials: Annotated[int, Interval(ge=0, le=1_000_000)]
    seed: Annotated[int, Interval(ge=1, le=MAX_SEED)]

    def __post_init__(self) -> None:
        check_each_once("metrics", self.metrics)


def score(
    hypotheses: Sequence[str],
    references: Sequence[str],
    settings: EvaluateSettings,
    *,
    baseline: Sequence[str] | None = None,
) -> dict[str, Any]:
    """The report: scores in per cent, TER included, and the signature of each metric.

    For each metric its score (`bleu`), and the mean and the half width of its 95% interval over
    bootstrap resamples (`bleu_mean`, `bleu_interval`). With a baseline, what `compare` tells too.
    """
    scores: dict[str, float] = {}
    signatures = []
    with patch.dict(os.environ, {SEED_VARIABLE: str(settings.seed)}):
        for name, metric in _metrics(references, settings).items():
            found = metric.corpus_score(hypotheses, None, settings.bootstrap_samples)
            scores[name] = float(found.score)
            if settings.bootstrap_samples > 1:
                scores[f"{name}_mean"] = float(found._mean)
                scores[f"{name}_interval"] = float(found._ci)
            signatures.append({"metric": name, "signature": metric.get_signature().format()})
    if baseline is not None:
        scores |= compare(hypotheses, baseline, references, settings)
    # DVC compares the numbers, and leaves out a list.
    return {"sentences": len(references), **scores, "signatures": signatures}


def compare(
    hypotheses: Sequence[str],
    baseline: Sequence[str],
    references: Sequence[str],
    settings: EvaluateSettings,
) -> dict[str, float]:
    """The baseline's scores, the differences to them, and the p-values of both paired tests.

    For each metric `bleu_baseline`, `bleu_difference`, `bleu_p_value`, and, with randomisation
    trials, `bleu_randomization_p_value`. P-values are sacreBLEU's with a lower bound: its tests
    count samples whose difference is larger than the observed one, not those where it is equal. So
    the p-value of equal scores is 1; and of the 2^k ways to exchange k sentences that differ, at
    least 2 (none, all) give the observed difference.

    The bootstrap's p-value is about half of what it should be (`mgsa.analysis.bootstrap.compare`
    says why); it is left so, to be comparable with others'.
    """
    from sacrebleu.significance import PairedTest

    differing = sum(one != other for one, other in zip(hypotheses, baseline, strict=True))
    least = min(2.0 ** (1 - differing), 1.0)
    metrics = _metrics(references, settings)
    systems = [("baseline", baseline), ("system", hypotheses)]
    tests = {"p_value": ("bs", settings.bootstrap_samples)}
    if settings.randomization_trials:
        tests["randomization_p_value"] = ("ar", settings.randomization_trials)
    scores: dict[str, float] = {}
    with patch.dict(os.environ, {SEED_VARIABLE: str(settings.seed)}):
        for p_value, (kind, samples) in tests.items():
            test = PairedTest(systems, metrics, None, test_type=kind, n_samples=samples)
            results: dict[str, Any] = test()[1]
            # The first result is the systems' names; the others are by names that scores print.
            for name, (one, other) in zip(metrics, list(results.values())[1:], strict=True):
                scores[f"{name}_baseline"] = float(one.score)
                scores[f"{name}_difference"] = float(other.score - one.score)
                equal = other.score == one.score
                scores[f"{name}_{p_value}"] = 1.0 if equal else float(max(other.p_value, least))
    return scores


def _metrics(references: Sequence[str], settings: EvaluateSettings) -> dict[str, Metric]:
    """The metrics with their references' statistics, in the order of the settings."""
    from sacrebleu.metrics.bleu import BLEU
    from sacrebleu.metrics.chrf import CHRF
    from sacrebleu.metrics.ter import TER

    class ChrF(CHRF):
        def _compute_f_score(self, statistics: Any) -> Any:
            # 0 gets the type of other scores, without which a mean of resamples fails.
            return super()._compute_f_score(statistics) + 0 * statistics[0]

    classes: dict[str, Callable[..., Metric]] = {
        "bleu": partial(BLEU, tokenize=settings.bleu_tokenizer),
        "chrf": ChrF,
        "ter": partial(TER, case_sensitive=True),
    }
    return {name: classes[name](references=[references]) for name in settings.metrics}


def describe(report: Mapping[str, Any]) -> Iterator[str]:
    """A line for each metric of `score`'s report: its numbers, by their keys, and its signature."""
    for metric in report["signatures"]:
        keys = [key for key in report if key.partition("_")[0] == metric["metric"]]
        numbers = ", ".join(f"{key} {report[key]:.4g}" for key in keys)
        yield f"{numbers}  {metric['signature']}"


def evaluate_translations(
    evaluate: EvaluateSettings,
    *,
    hypotheses: Annotated[Path, Input("detokenised translations, one a line", "FILE")],
    references: Annotated[Path, Input("their references", "FILE")],
    baseline: Annotated[
        Path | None, Input("another system's translations, to compare with", "FILE")
    ] = None,
    report: Annotated[Path | None, Report()] = None,
) -> None:
    """BLEU, chrF and TER of detokenised translations, with confidence intervals."""
    paths = [references, hypotheses, *([baseline] if baseline else [])]
    # sacreBLEU's command strips lines so.
    columns = [
        [line.rstrip() for line in column] for column in zip(*read_parallel(paths), strict=True)
    ]
    scores = score(columns[1], columns[0], evaluate, baseline=columns[2] if baseline else None)
    if report is not None:
        write_json(report, scores)
    for line in describe(scores):
        print(line)


main = stage(evaluate_translations)

if __name__ == "__main__":
    sys.exit(run(main))
