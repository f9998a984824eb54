"""All encoders that are asked for, probed one after the other: the rows of the table."""

from __future__ import annotations

import sys
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import torch

from mgsa.base.cli import progress_bar
from mgsa.base.errors import InputError
from mgsa.base.io import MANIFEST, sha256
from mgsa.base.settings import to_mapping
from mgsa.data.batch import RowColumns
from mgsa.data.dataset import Dataset
from mgsa.model_artifact import ModelArtifact
from mgsa.probing.data import class_counts, make_examples, read_split
from mgsa.probing.encoder import (
    FrozenEncoder,
    ProbedEncoder,
    build_scratch,
    scratch_config,
    sizes_for_scratch,
)
from mgsa.probing.probe import ProbeResult, Splits, run_probes
from mgsa.probing.settings import PRETRAINED, ProbeConfig
from mgsa.training.processes import seed_weights
from pipeline.base.stage import SPLITS
from pipeline.probing.accuracies import Accuracy, accuracies, majority_accuracy

Rows = Mapping[str, RowColumns]
"""The sentences of each split."""


def check_models(models: Collection[ModelArtifact], data: Dataset, config: ProbeConfig) -> None:
    """Check that models read these data, and that the encoders from scratch can be built.

    Raises:
        InputError: the data have other subwords or fewer levels, or no model has sizes for
            encoders from scratch.
    """
    if PRETRAINED in config.encoders:
        for artifact in models:
            if artifact.vocabularies[0].symbols != data.vocabularies[0].symbols:
                message = f"expected the source vocabulary of the model {artifact.folder}"
                raise InputError(message, path=data.folder)
            data.check_granularities(artifact.model.granularities)
    like = sizes_for_scratch(artifact.config for artifact in models)
    for name in config.encoders:
        if name != PRETRAINED:
            phrases = scratch_config(name, like, config.scratch).multi_granularity
            data.check_granularities(phrases.granularities if phrases else ())


def recipe_of(
    models: Mapping[str, ModelArtifact], data: Dataset, config: ProbeConfig
) -> dict[str, Any]:
    """Settings, data, models and versions behind the numbers."""
    return {
        **to_mapping(config),
        "probing": data.manifest.identity,
        "sentences": {split: data.num_rows(split) for split in SPLITS},
        "models": {name: sha256(one.folder / MANIFEST) for name, one in models.items()},
        "torch": torch.__version__,
    }


def majority_accuracies(rows: Rows, data: Dataset, tasks: Sequence[str]) -> dict[str, float]:
    """For each task with labels in every split, the accuracy of the majority class.

    Other tasks are named on stderr: voice and tense are labelled in English alone, flat trees have
    no labels.
    """
    majority = {}
    for task in tasks:
        counts = {
            split: class_counts(rows[split], task, len(data.classes[task])) for split in SPLITS
        }
        empty = [split for split in SPLITS if not counts[split].any()]
        if empty:
            print(f"probe: {task} has no labels in {', '.join(empty)}: left out", file=sys.stderr)
        else:
            majority[task] = majority_accuracy(counts["train"], counts["test"])
    return majority


def probe_all(
    models: Mapping[str, ModelArtifact],
    data: Dataset,
    config: ProbeConfig,
    device: torch.device,
) -> list[Accuracy]:
    """Probe the encoder of every model, then those from scratch (`sizes_for_scratch`)."""
    rows = {split: read_split(data, split) for split in SPLITS}
    majority = majority_accuracies(rows, data, config.tasks)
    classes = {task: len(data.classes[task]) for task in majority}
    results: dict[str, list[ProbeResult]] = {}
    if not classes:
        return []
    for name, artifact in models.items():
        if PRETRAINED in config.encoders:
            model = artifact.model.to(device)
            frozen = FrozenEncoder(model, artifact.config, layers=config.layers)
            splits = _examples(frozen, rows, list(classes), config, device)
            results[name] = _probe(frozen, name, splits, classes, config)
            model.cpu()
    like = sizes_for_scratch(artifact.config for artifact in models.values())
    for name in config.encoders:
        if name != PRETRAINED:
            sizes = scratch_config(name, like, config.scratch)
            results[name] = []
            splits = {}
            for task in classes:  # an encoder each, all with the same initial weights
                seed_weights(config.seed)
                encoder = build_scratch(sizes, source_vocabulary=len(data.vocabularies[0]))
                encoder.model.to(device)
                splits = splits or _examples(encoder, rows, list(classes), config, device)
                one = {task: classes[task]}
                results[name] += _probe(encoder, f"{name} {task}", splits, one, config)
    resamples = {"samples": config.bootstrap_samples, "seed": config.seed}
    return [
        row
        for name, of_encoder in results.items()
        for row in accuracies(name, of_encoder, classes, majority, **resamples)
    ]


def _examples(
    encoder: ProbedEncoder,
    rows: Rows,
    tasks: Sequence[str],
    config: ProbeConfig,
    device: torch.device,
) -> Splits:
    return {
        split: make_examples(
            rows[split],
            tasks,
            encoder.model.granularities,
            ngram_unit=encoder.model.ngram_unit,
            batch_tokens=config.batch_tokens,
            device=device,
        )
        for split in SPLITS
    }


def _probe(
    encoder: ProbedEncoder,
    title: str,
    splits: Splits,
    classes: Mapping[str, int],
    config: ProbeConfig,
) -> list[ProbeResult]:
    sentences = sum(len(example.rows) for example in splits["train"])
    total = config.max_epochs * sentences
    with progress_bar(f"probe {title}", total=total, unit="sentences") as advance:
        return run_probes(encoder, splits, classes, config, advance)
