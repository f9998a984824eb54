"""Probe all encoders in turn: the rows of the table."""

import sys
from collections.abc import Iterable, Mapping, Sequence

import torch

from mgsa.artifact.model import ModelArtifact
from mgsa.cli.errors import InputError
from mgsa.data.batch import RowColumns
from mgsa.data.dataset import Dataset
from mgsa.training.processes import place_seed
from pipeline.formats.tables import Row
from pipeline.formats.text import SPLITS
from pipeline.probe.accuracies import accuracies
from pipeline.probe.classifier import ProbeResult, run_probes
from pipeline.probe.encoder import ProbedEncoder, scratch_config, scratch_encoder
from pipeline.probe.examples import class_counts, make_examples, read_split
from pipeline.probe.settings import PRETRAINED, ProbeConfig

Rows = Mapping[str, RowColumns]
"""The sentences of each split."""


def check_models(models: Mapping[str, ModelArtifact], data: Dataset, config: ProbeConfig) -> None:
    """Check that models fit the data and that encoders from scratch can be built."""
    for name, artifact in models.items():
        if name in config.encoders and name != PRETRAINED:
            raise InputError(f"--model {name}=…: expected another name than that of an encoder")
        if PRETRAINED in config.encoders:
            if artifact.vocabularies[0].symbols != data.vocabularies[0].symbols:
                message = f"expected the source vocabulary of the model {artifact.folder}"
                raise InputError(message, path=data.folder)
            data.check_granularities(artifact.model.granularities)
    sizes = [artifact.config for artifact in models.values()]
    for name in config.encoders:
        if name != PRETRAINED:
            phrases = scratch_config(name, sizes, config.scratch).multi_granularity
            data.check_granularities(phrases.granularities if phrases else ())


def majority_accuracies(rows: Rows, data: Dataset, tasks: Iterable[str]) -> dict[str, float]:
    """Accuracy of the most frequent `train` class, by task.

    Tasks without labels in a split are named on stderr and left out: voice and tense outside
    English, all of them for flat trees.
    """
    majority = {}
    for task in tasks:
        classes = len(data.classes[task])
        counts = {split: class_counts(rows[split], task, classes) for split in SPLITS}
        if empty := [split for split in SPLITS if not counts[split].any()]:
            print(f"probe: {task} has no labels in {', '.join(empty)}: left out", file=sys.stderr)
        else:
            of_test = counts["test"]
            majority[task] = float(100 * of_test[counts["train"].argmax()] / of_test.sum())
    return majority


def probe_all(
    models: Mapping[str, ModelArtifact], data: Dataset, config: ProbeConfig, device: torch.device
) -> list[Row]:
    """Probe the encoder of every model, then those from scratch."""
    rows = {split: read_split(data, split) for split in SPLITS}
    majority = majority_accuracies(rows, data, config.tasks)
    classes = {task: len(data.classes[task]) for task in majority}

    def probed(encoder: ProbedEncoder, tasks: Sequence[str], title: str) -> list[ProbeResult]:
        splits = {
            split: make_examples(
                some, tasks, encoder.model.to(device), batch_tokens=config.batch_tokens
            )
            for split, some in rows.items()
        }
        return run_probes(encoder, splits, {task: classes[task] for task in tasks}, config, title)

    table: list[Row] = []
    if not classes:
        return table
    for name, artifact in models.items():
        if PRETRAINED in config.encoders:
            frozen = ProbedEncoder(artifact.model, artifact.config, layers=config.layers)
            results = probed(frozen, list(classes), name)
            table += accuracies(name, results, classes, majority, config)
            artifact.model.cpu()
    for name in config.encoders:
        if name != PRETRAINED:
            sizes = scratch_config(name, [one.config for one in models.values()], config.scratch)
            results = []
            for task in classes:  # an encoder each, all with the same initial weights
                torch.manual_seed(place_seed(config.seed, "weights"))
                encoder = scratch_encoder(sizes, len(data.vocabularies[0]))
                results += probed(encoder, [task], f"{name} {task}")
            table += accuracies(name, results, classes, majority, config)
    return table
