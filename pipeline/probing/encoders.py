"""All encoders that are asked for, probed one after the other: the cells of the table."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from mgsa.base.cli import progress_bar
from mgsa.probing.settings import PRETRAINED, ProbeConfig
from pipeline.base.stage import SPLITS

if TYPE_CHECKING:
    import torch

    from mgsa.config import TransformerConfig
    from mgsa.model_artifact import ModelArtifact
    from mgsa.probing.data import ProbingData
    from mgsa.probing.encoder import StatesOf
    from mgsa.probing.rows import ProbingRows
    from mgsa.probing.training import Splits, Told
    from pipeline.probing.tables import Cell

Rows = Mapping[str, "ProbingRows"]
"""The sentences of each split."""


def labelled_tasks(rows: Rows, data: ProbingData, tasks: Sequence[str]) -> dict[str, float]:
    """The tasks that every split has labels of, with the accuracy of the majority class.

    The others are said on stderr: sentences of other languages than English have no voice and no
    tense, flat trees nothing at all.
    """
    from mgsa.probing.accuracy import class_counts, majority_accuracy

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


def probe_encoders(
    models: Mapping[str, ModelArtifact],
    data: ProbingData,
    config: ProbeConfig,
    device: torch.device,
) -> list[Cell]:
    """Probe the encoder of every model, then those from scratch (`sizes_for_scratch`)."""
    from mgsa.probing.encoder import FrozenEncoder, scratch_config, sizes_for_scratch

    rows = {split: data.rows(split) for split in SPLITS}
    majority = labelled_tasks(rows, data, config.tasks)
    classes = {task: len(data.classes[task]) for task in majority}
    cells: list[Cell] = []
    if not classes:
        return cells
    for name, artifact in models.items():
        if PRETRAINED in config.encoders:
            model = artifact.model.to(device)
            frozen = FrozenEncoder(model, artifact.config, layers=config.layers)
            splits = _examples(frozen, rows, list(classes), config, device)
            told = _probe(frozen, name, splits, classes, config)
            cells += _cells(name, told, classes, majority, config)
            model.cpu()
    like = sizes_for_scratch(artifact.config for artifact in models.values())
    for name in config.encoders:
        if name != PRETRAINED:
            sizes = scratch_config(name, like, config.scratch)
            told = _probe_from_scratch(
                name, sizes, len(data.vocabulary), rows, classes, config, device
            )
            cells += _cells(name, told, classes, majority, config)
    return cells


def _probe_from_scratch(
    name: str,
    sizes: TransformerConfig,
    source_vocabulary: int,
    rows: Rows,
    classes: Mapping[str, int],
    config: ProbeConfig,
    device: torch.device,
) -> list[Told]:
    """For each task an encoder of its own, all of which start alike."""
    from mgsa.probing.encoder import build_scratch
    from mgsa.training.randomness import seed_weights

    told: list[Told] = []
    splits: Splits = {}
    for task in classes:
        seed_weights(config.seed)
        encoder = build_scratch(sizes, source_vocabulary=source_vocabulary)
        encoder.model.to(device)
        splits = splits or _examples(encoder, rows, list(classes), config, device)
        told += _probe(encoder, f"{name} {task}", splits, {task: classes[task]}, config)
    return told


def _examples(
    encoder: StatesOf, rows: Rows, tasks: Sequence[str], config: ProbeConfig, device: torch.device
) -> Splits:
    from mgsa.probing.examples import make_examples

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
    encoder: StatesOf, shown: str, splits: Splits, classes: Mapping[str, int], config: ProbeConfig
) -> list[Told]:
    from mgsa.probing.training import run_probes

    sentences = sum(len(example.rows) for example in splits["train"])
    total = config.max_epochs * sentences
    with progress_bar(f"probe {shown}", total=total, unit="sentences") as advance:
        return run_probes(encoder, splits, classes, config, advance)


def _cells(
    encoder: str,
    told: Sequence[Told],
    classes: Mapping[str, int],
    majority: Mapping[str, float],
    config: ProbeConfig,
) -> list[Cell]:
    from mgsa.probing.accuracy import accuracies
    from pipeline.probing.tables import Cell

    estimated = accuracies(told, samples=config.bootstrap_samples, seed=config.seed)
    return [
        Cell(
            encoder=encoder,
            layer=one.layer,
            task=one.task,
            classes=classes[one.task],
            counted=int(one.counted.sum()),
            accuracy=round(float(estimated.value[place]), 6),
            low=round(float(estimated.low[place]), 6),
            high=round(float(estimated.high[place]), 6),
            majority=round(majority[one.task], 6),
        )
        for place, one in enumerate(told)
    ]
