"""Stage `evaluate`: sacreBLEU's BLEU, chrF and TER of translations, cased, with their signatures.

Scores, confidence intervals and the paired tests, by bootstrap and by approximate randomisation
(Riezler & Maxwell 2005), are those of sacreBLEU's command on the same files.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from annotated_types import Interval

from mgsa.base.cli import run
from mgsa.base.command import Input, Report
from mgsa.base.io import write_json
from mgsa.base.settings import MAX_SEED
from pipeline.base.stage import stage
from pipeline.base.text import read_parallel

if TYPE_CHECKING:
    from sacrebleu.metrics.base import Metric, Score
    from sacrebleu.significance import Result

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
        if not self.metrics or len(set(self.metrics)) != len(self.metrics):
            raise ValueError("metrics: expected at least one, each once")


@dataclass(frozen=True)
class Evaluation:
    """Scores by name (`bleu`, `bleu_interval`, `bleu_p_value`, …), and each metric's signature."""

    scores: dict[str, float]
    signatures: dict[str, str]


def score(
    hypotheses: Sequence[str],
    references: Sequence[str],
    settings: EvaluateSettings,
    *,
    baseline: Sequence[str] | None = None,
) -> Evaluation:
    """Score `hypotheses`, and compare them with those of a `baseline` if there is one.

    Returns:
        For each metric: its score; the mean and the half width of its 95% interval over bootstrap
        resamples. With a baseline, besides: its score, how much the score is above it, and the
        p-values of the paired bootstrap test and of the paired randomisation test. Scores are
        percentages, TER included.
    """
    metrics = _metrics(references, settings)
    scores: dict[str, float] = {}
    signatures = {}
    with _seed_of_tests(settings.seed):
        for name, metric in metrics.items():
            if name == "chrf":
                _make_scores_alike(metric)
            found = metric.corpus_score(
                hypotheses, references=None, n_bootstrap=settings.bootstrap_samples
            )
            scores[name] = found.score
            if settings.bootstrap_samples > 1:
                scores[f"{name}_mean"], scores[f"{name}_interval"] = found._mean, found._ci
            signatures[name] = metric.get_signature().format()
    if baseline is not None:
        scores |= compare(hypotheses, baseline, references, settings)
    return Evaluation({name: float(number) for name, number in scores.items()}, signatures)


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
    differing = sum(one != other for one, other in zip(hypotheses, baseline, strict=True))
    least = min(2.0 ** (1 - differing), 1.0)
    metrics = _metrics(references, settings)
    scores: dict[str, float] = {}
    with _seed_of_tests(settings.seed):
        results = _paired_test("bs", hypotheses, baseline, metrics, settings.bootstrap_samples)
        for name, (first, second) in results.items():
            scores[f"{name}_baseline"] = first.score
            scores[f"{name}_difference"] = second.score - first.score
            scores[f"{name}_p_value"] = _p_value(first, second, least)
        if not settings.randomization_trials:
            return scores
        results = _paired_test("ar", hypotheses, baseline, metrics, settings.randomization_trials)
        for name, (first, second) in results.items():
            scores[f"{name}_randomization_p_value"] = _p_value(first, second, least)
    return scores


def _p_value(baseline: Result, system: Result, least: float) -> float:
    """A test's p-value: 1 for equal scores, at least `least`."""
    assert system.p_value is not None
    return 1.0 if system.score == baseline.score else max(system.p_value, least)


def _paired_test(
    test: Literal["bs", "ar"],
    hypotheses: Sequence[str],
    baseline: Sequence[str],
    metrics: Mapping[str, Metric],
    samples: int,
) -> dict[str, tuple[Result, Result]]:
    """By metric, sacreBLEU's results of the baseline and of the system."""
    from sacrebleu.significance import PairedTest

    systems = [("baseline", baseline), ("system", hypotheses)]
    _, results = PairedTest(systems, metrics, references=None, test_type=test, n_samples=samples)()
    # The test names its results as scores print their names: `BLEU`, `chrF2`, `TER`.
    return dict(zip(metrics, list(results.values())[1:], strict=True))  # type: ignore[arg-type]


def _metrics(references: Sequence[str], settings: EvaluateSettings) -> dict[str, Metric]:
    """The metrics with their references' statistics, in the order of the settings."""
    from sacrebleu.metrics.bleu import BLEU
    from sacrebleu.metrics.chrf import CHRF
    from sacrebleu.metrics.ter import TER

    streams = [references]
    made: dict[str, Metric] = {}
    for name in settings.metrics:
        match name:
            case "bleu":
                made[name] = BLEU(tokenize=settings.bleu_tokenizer, references=streams)
            case "chrf":
                made[name] = CHRF(references=streams)
            case "ter":
                made[name] = TER(case_sensitive=True, references=streams)
    return made


def _make_scores_alike(chrf: Metric) -> None:
    """Give every resample's score numpy's type, which sacreBLEU's mean needs.

    Where nothing matches, chrF is a plain 0.0.
    """
    compute = chrf._compute_score_from_stats

    def compute_alike(stats: Any) -> Score:
        score = compute(stats)
        if not isinstance(stats, list):  # but an array of numpy
            score.score = stats.dtype.type(score.score)
        return score

    chrf._compute_score_from_stats = compute_alike  # type: ignore[method-assign]


@contextmanager
def _seed_of_tests(seed: int) -> Iterator[None]:
    before = os.environ.get(SEED_VARIABLE)
    os.environ[SEED_VARIABLE] = str(seed)
    try:
        yield
    finally:
        if before is None:
            del os.environ[SEED_VARIABLE]
        else:
            os.environ[SEED_VARIABLE] = before


def describe(evaluation: Evaluation) -> Iterator[str]:
    """One line a metric, for people."""
    scores = evaluation.scores
    for name, signature in evaluation.signatures.items():
        line = f"{name} {scores[name]:.2f}"
        if f"{name}_interval" in scores:
            line += f" (95%: {scores[f'{name}_mean']:.2f} ± {scores[f'{name}_interval']:.2f})"
        if f"{name}_p_value" in scores:
            line += (
                f", {scores[f'{name}_difference']:+.2f} on the baseline's "
                f"{scores[f'{name}_baseline']:.2f} (p = {scores[f'{name}_p_value']:.4f}"
            )
            if f"{name}_randomization_p_value" in scores:
                p_value = scores[f"{name}_randomization_p_value"]
                line += f" by bootstrap, {p_value:.4f} by randomisation"
            line += ")"
        yield f"{line}  {signature}"


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
    paths = [references, hypotheses, *([] if baseline is None else [baseline])]
    # sacreBLEU's command strips lines so.
    lines = [
        [line.rstrip() for line in column] for column in zip(*read_parallel(paths), strict=True)
    ]
    others = None if baseline is None else lines[2]
    evaluation = score(lines[1], lines[0], evaluate, baseline=others)
    if report is not None:
        # DVC compares the numbers, and leaves out a list.
        signatures = [{"metric": name, "signature": s} for name, s in evaluation.signatures.items()]
        numbers = {"sentences": len(lines[0]), **evaluation.scores}
        write_json(report, {**numbers, "signatures": signatures})
    for line in describe(evaluation):
        print(line)


main = stage(evaluate_translations)

if __name__ == "__main__":
    sys.exit(run(main))
