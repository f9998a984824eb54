"""Paired tests of a system against the baseline: seed by seed, and over all seeds.

A test of one seed compares two models. Over seeds, statistics of a sentence are added up over the
models of a system, and randomisation swaps them at once with the baseline's: a sentence is one
observation, however many models translated it. Of models trained from yet other seeds no test tells
anything; the deviations do.
"""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import numpy as np

from mgsa.cli.settings import T, from_mapping, read_yaml
from pipeline.contrast.accuracies import accuracy, kinds_of, read_scores, sentence_counts
from pipeline.contrast.settings import ContrastSettings
from pipeline.evaluate.scores import compare
from pipeline.evaluate.settings import EvaluateSettings
from pipeline.experiment.plan import Cell
from pipeline.formats.text import read_parallel
from pipeline.statistics.ngrams import ngram_statistics
from pipeline.statistics.randomization import randomization_test

METRIC: Literal["bleu"] = "bleu"
"""What translations are compared by; the other metrics are shown."""
Pair = tuple[Cell, Cell]
"""A cell of a system and one of the baseline, of the same seed."""


def compare_cells(runs: Path, pair: Pair) -> dict[str, Any]:
    """Test a cell's translations and contrasts against the baseline's, by the cell's settings."""
    settings = _settings(runs, pair, "evaluate", EvaluateSettings)
    ours, theirs, references = _translations(runs, pair)
    scores = compare(ours, theirs, references, replace(settings, metrics=(METRIC,)))
    return {
        "seed": pair[0].seed,
        "difference": scores[f"{METRIC}_difference"],
        "bootstrap": scores[f"{METRIC}_p_value"],
        "randomization": scores.get(f"{METRIC}_randomization_p_value"),
        "contrast": contrast_test(runs, [pair]),
    }


def translation_test(runs: Path, pairs: Sequence[Pair]) -> float | None:
    """The p-value of the difference in BLEU over the models of all pairs; `None`: no trials."""
    settings = _settings(runs, pairs[0], "evaluate", EvaluateSettings)
    if not settings.randomization_trials:
        return None
    statistics = []
    for pair in pairs:
        *both, references = _translations(runs, pair)
        tokenizer = settings.bleu_tokenizer
        statistics.append(
            [ngram_statistics(t, references, tokenizer=tokenizer, max_ngram=4) for t in both]
        )
    ours, theirs = np.sum(statistics, axis=0).reshape(2, -1, 16)
    trials = settings.randomization_trials
    return randomization_test(ours, theirs, bleu, trials=trials, seed=settings.seed)


def bleu(sums: np.ndarray) -> np.ndarray:
    """(R, 4 · 4) sums of `ngram_statistics` to (R,) BLEU, as sacreBLEU smooths it."""
    from sacrebleu.metrics.bleu import BLEU

    columns = np.moveaxis(sums.astype(np.int64).reshape(-1, 4, 4), 2, 0).tolist()
    return np.array(
        [
            BLEU.compute_bleu(matches, ngrams, ours[0], reference[0], smooth_method="exp").score
            for matches, ngrams, ours, reference in zip(*columns, strict=True)
        ]
    )


def contrast_test(runs: Path, pairs: Sequence[Pair]) -> float | None:
    """The p-value of the difference in contrastive accuracy; `None`: no contrasts."""
    counts = []
    for pair in pairs:
        paths = (runs / cell.name / "contrast/test.csv" for cell in pair)
        ours = read_scores(next(paths))
        if not ours:
            return None
        theirs = read_scores(next(paths), same=ours)
        counts.append([sentence_counts(table, kinds_of(table)[0]) for table in (ours, theirs)])
    settings = _settings(runs, pairs[0], "contrast", ContrastSettings)
    ours, theirs = np.sum(counts, axis=0)
    trials = settings.randomization_trials
    return randomization_test(ours, theirs, accuracy, trials=trials, seed=settings.seed)


def _settings(runs: Path, pair: Pair, section: str, kind: type[T]) -> T:
    """A section of the parameters of the system's cell."""
    params = runs / pair[0].system / "params.yaml"
    return from_mapping(kind, read_yaml(params).get(section), f"{params}: {section}")


def _translations(runs: Path, pair: Pair) -> tuple[tuple[str, ...], ...]:
    """Translations of the system, of the baseline, and the references."""
    ours, theirs = (runs / cell.name / "translations" for cell in pair)
    files = [ours / "test.hypotheses", theirs / "test.hypotheses", ours / "test.references"]
    return tuple(zip(*read_parallel(files), strict=True))
