"""Probes of an encoder: learned on `train`, stopped by `valid`, counted on `test`.

The states of a frozen encoder are the same for all of its probes, so that they learn side by side
in one pass over the sentences; an encoder from scratch learns with one probe alone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import torch

from mgsa.probing.classifier import Classifier
from mgsa.probing.encoder import StatesOf
from mgsa.probing.examples import Example
from mgsa.probing.probe import Probe
from mgsa.probing.settings import ProbeConfig
from mgsa.training.randomness import place_seed

Splits = Mapping[str, Sequence[Example]]
"""`train`, `valid` and `test`."""


@dataclass(frozen=True)
class Told:
    """What a probe tells of the test split, sentence by sentence.

    Attributes:
        layer: of the encoder, counted from 1.
        right, counted: (N,) labels told, of how many.
    """

    task: str
    layer: int
    right: np.ndarray
    counted: np.ndarray


def run_probes(
    encoder: StatesOf,
    splits: Splits,
    classes: Mapping[str, int],
    config: ProbeConfig,
    advance: Callable[[int], None],
) -> list[Told]:
    """Train a probe for each layer and task of `classes`, and test them.

    Args:
        encoder: on the device of the examples.
        classes: by task, how many there are; at least one label of each task in every split.
        advance: told how many sentences more were learned from; in all,
            `config.max_epochs * len(train)`, even where the probes are finished before.
    """
    probes = _make_probes(encoder, splits, classes, config)
    epochs = 0
    while epochs < config.max_epochs and not all(probe.finished for probe in probes):
        _train_epoch(encoder, splits["train"], probes, config.seed, epochs, advance)
        learning = [probe for probe in probes if not probe.finished]
        for probe, (right, counted) in zip(
            learning, _count(encoder, splits["valid"], learning), strict=True
        ):
            probe.note(right.sum() / counted.sum())
        epochs += 1
    advance((config.max_epochs - epochs) * _sentences(splits["train"]))
    for probe in probes:
        probe.restore()
    return [
        Told(probe.task, encoder.layers[probe.layer], right, counted)
        for probe, (right, counted) in zip(
            probes, _count(encoder, splits["test"], probes), strict=True
        )
    ]


def _make_probes(
    encoder: StatesOf, splits: Splits, classes: Mapping[str, int], config: ProbeConfig
) -> list[Probe]:
    device = splits["train"][0].batch.source.device
    learned = encoder.parameters()
    peak, warmup = (
        (config.scratch.learning_rate, config.scratch.warmup)
        if learned
        else (config.learning_rate, 1)
    )
    probes = []
    for number, layer in enumerate(encoder.layers):
        for task, num_classes in classes.items():
            place = f"{task}/{layer}"
            torch.manual_seed(place_seed(config.seed, place))
            classifier = Classifier(
                encoder.dim, num_classes, hidden=config.hidden, dropout=config.dropout
            )
            probe = Probe(
                task,
                number,
                classifier.to(device),
                learned,
                peak=peak,
                warmup=warmup,
                patience=config.patience,
                generator=torch.Generator(device).manual_seed(
                    place_seed(config.seed, f"{place}/dropout")
                ),
            )
            probes.append(probe)
    torch.manual_seed(place_seed(config.seed, "encoder"))  # its dropout, if it learns
    return probes


def _train_epoch(
    encoder: StatesOf,
    examples: Sequence[Example],
    probes: Sequence[Probe],
    seed: int,
    epoch: int,
    advance: Callable[[int], None],
) -> None:
    """Learn from every batch once, in an order of the epoch's own."""
    for number in np.random.default_rng([seed, epoch]).permutation(len(examples)):
        example = examples[number]
        states, mask = encoder.states(example, training=True)
        for probe in probes:
            if not probe.finished:
                probe.update(states[probe.layer], mask, example.labels[probe.task])
        advance(len(example.rows))


def _count(
    encoder: StatesOf, examples: Sequence[Example], probes: Sequence[Probe]
) -> list[tuple[np.ndarray, np.ndarray]]:
    """For each probe (N,) labels told of each sentence, and of how many, in the split's order."""
    size = (len(probes), 2, _sentences(examples))
    counts = np.zeros(size, dtype=np.int64)
    for example in examples:
        states, mask = encoder.states(example, training=False)
        for number, probe in enumerate(probes):
            told = probe.right(states[probe.layer], mask, example.labels[probe.task])
            counts[number][:, example.rows] = [part.cpu().numpy() for part in told]
    return [(right, counted) for right, counted in counts]


def _sentences(examples: Sequence[Example]) -> int:
    return sum(len(example.rows) for example in examples)
