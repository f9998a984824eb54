"""Paired tests of a system against the baseline: seed by seed, and over all seeds.

A test of one seed compares two models. Over seeds, statistics of a sentence are added up over the
models of a system, and randomisation swaps them at once with the baseline's: a sentence is one
observation, however many models translated it. The tests generalise over sentences, not over
seeds; for seeds see the standard deviation.
"""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from statistics import fmean
from typing import Any, Literal

import numpy as np

from mgsa.cli.settings import T, from_mapping, read_yaml
from pipeline.contrast.accuracies import accuracy, kinds_of, read_scores, sentence_counts
from pipeline.contrast.settings import ContrastSettings
from pipeline.evaluate.means import mean_bleu_test
from pipeline.evaluate.scores import compare
from pipeline.evaluate.settings import EvaluateSettings
from pipeline.experiment.plan import Cell
from pipeline.formats.text import read_languages
from pipeline.formats.text_settings import PREPROCESSING
from pipeline.formats.translations import Translations, find_references
from pipeline.statistics.randomization import randomization_test

METRIC: Literal["bleu"] = "bleu"
"""The metric of the tests; other metrics are shown only."""
Pair = tuple[Cell, Cell]
"""A cell of a system and one of the baseline, of the same seed."""


def compare_cells(runs: Path, pair: Pair) -> dict[str, Any]:
    """Test a cell's translations and contrasts against the baseline's, by the cell's settings.

    The difference over several test sets is their mean, and has no bootstrap.
    """
    settings = replace(_settings(runs, pair, "evaluate", EvaluateSettings), metrics=(METRIC,))
    language = _target_language(runs, pair)
    sets = _translations(runs, pair).by_set().values()
    scores = [
        compare(s.texts["hypotheses"], s.texts["baseline"], s.references, settings, language)
        for s in sets
    ]
    first, several = scores[0], len(sets) > 1
    p_value = f"{METRIC}_randomization_p_value"
    return {
        "seed": pair[0].seed,
        "difference": fmean(one[f"{METRIC}_difference"] for one in scores),
        "bootstrap": None if several else first[f"{METRIC}_p_value"],
        "randomization": translation_test(runs, [pair]) if several else first.get(p_value),
        "contrast": contrast_test(runs, [pair]),
    }


def translation_test(runs: Path, pairs: Sequence[Pair]) -> float | None:
    """The p-value of the difference in BLEU over the models of all pairs; `None`: no trials."""
    settings = _settings(runs, pairs[0], "evaluate", EvaluateSettings)
    compared = [_translations(runs, pair) for pair in pairs]
    return mean_bleu_test(compared, settings, _target_language(runs, pairs[0]))


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


def _target_language(runs: Path, pair: Pair) -> str:
    return read_languages(runs / pair[0].name / "model", PREPROCESSING)["target"]


def _translations(runs: Path, pair: Pair) -> Translations:
    """`hypotheses` of the system, `baseline`, and the references."""
    ours, theirs = (runs / cell.name / "translations" for cell in pair)
    files = {"hypotheses": ours / "test.hypotheses", "baseline": theirs / "test.hypotheses"}
    return Translations.read(files, find_references(ours, "test"), ours / "test.sets")
