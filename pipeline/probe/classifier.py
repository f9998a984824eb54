"""Probes: classifiers of an encoder's states, with early stopping on `valid`.

A probe is a multi-layer perceptron (logistic regression in Shi et al. 2016):

    sentence    class = MLP(mean of the states of its positions, with end of sentence)
    word        class = MLP(state of the position), for each subword of the word

All probes of a frozen encoder share one pass over the sentences; an encoder from scratch learns
with a single probe. Legend: B sentences, S positions, D width, P vectors with a label.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from mgsa.cli.progress import progress
from mgsa.data.batch import NO_LABEL
from mgsa.operators import Linear
from mgsa.training.processes import place_seed
from pipeline.probe.encoder import ProbedEncoder
from pipeline.probe.examples import Example
from pipeline.probe.settings import ProbeConfig

Splits = Mapping[str, Sequence[Example]]
"""`train`, `valid` and `test`."""


@dataclass(frozen=True)
class ProbeResult:
    """(N,) correct labels of each test sentence, and (N,) all its labels."""

    task: str
    layer: int
    right: np.ndarray
    counted: np.ndarray


class Classifier(nn.Module):
    """A hidden layer of ReLU units."""

    def __init__(self, dim: int, classes: int, *, hidden: int, dropout: float) -> None:
        super().__init__()
        self.hidden = Linear(dim, hidden)
        self.dropout = dropout
        self.output = Linear(hidden, classes)

    def forward(self, x: Tensor, *, generator: torch.Generator | None = None) -> Tensor:
        """x (P, D) to (P, classes) logits, with dropout if there is a generator."""
        hidden = self.hidden(x).relu()
        if generator is not None and self.dropout:
            drawn = torch.rand(hidden.shape, generator=generator, device=hidden.device)
            hidden = hidden * (drawn >= self.dropout) / (1 - self.dropout)
        return self.output(hidden)


def labelled(states: Tensor, mask: Tensor, labels: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """(P, D) the vectors with a label, (P,) their labels and (P,) their sentences.

    `states` are (B, S, D), `mask` (B, 1, 1, S). `labels` (B,) are of sentences, whose vectors are
    means; (B, S) of positions.
    """
    if labels.dim() == 1:
        inside = mask[:, 0, 0, :, None]
        states = states.masked_fill(~inside, 0.0).sum(dim=1) / inside.sum(dim=1)
    present = labels != NO_LABEL
    return states[present], labels[present], present.nonzero()[:, 0]


class Probe:
    """A classifier for one task and one index into `encoder.layers`, with its optimizer.

    `finished` says whether the patience is over.
    """

    def __init__(
        self, task: str, layer: int, classes: int, encoder: ProbedEncoder, config: ProbeConfig
    ) -> None:
        self.task, self.layer = task, layer
        device = next(encoder.model.parameters()).device
        place = f"{task}/{encoder.layers[layer]}"
        torch.manual_seed(place_seed(config.seed, place))
        self.classifier = Classifier(
            encoder.dim, classes, hidden=config.hidden, dropout=config.dropout
        ).to(device)
        # A generator for dropout, independent of other probes.
        seed = place_seed(config.seed, f"{place}/dropout")
        self._generator = torch.Generator(device).manual_seed(seed)
        self._weights = [*encoder.learned, *self.classifier.parameters()]
        self._peak, self._warmup = config.learning_rate, 1
        if encoder.learned:
            self._peak, self._warmup = config.scratch.learning_rate, config.scratch.warmup
        self._optimizer = torch.optim.Adam(self._weights, lr=self._peak, fused=True)
        self._patience = config.patience
        self._updates = self._without_gain = 0
        self._best = -1.0
        self._best_weights: list[Tensor] = []
        self.finished = False

    def update(self, states: Tensor, mask: Tensor, labels: Tensor) -> None:
        """One step of Adam on a batch (arguments of `labelled`); none without labels."""
        vectors, classes, _ = labelled(states, mask, labels)
        if not len(classes):
            return
        self._updates += 1
        warmed = min(self._updates / self._warmup, 1.0)
        self._optimizer.param_groups[0]["lr"] = self._peak * warmed
        self._optimizer.zero_grad()
        F.cross_entropy(self.classifier(vectors, generator=self._generator), classes).backward()
        self._optimizer.step()

    @torch.no_grad()
    def right(self, states: Tensor, mask: Tensor, labels: Tensor) -> tuple[Tensor, Tensor]:
        """(B,) correct predictions and (B,) labels of each sentence."""
        vectors, classes, sentences = labelled(states, mask, labels)
        correct = self.classifier(vectors).argmax(dim=-1) == classes
        right, counted = (
            torch.bincount(rows, minlength=len(labels)) for rows in (sentences[correct], sentences)
        )
        return right, counted

    def note(self, accuracy: float) -> None:
        """Keep the weights if the accuracy is a new maximum; count epochs without one."""
        if accuracy > self._best:
            self._best, self._without_gain = accuracy, 0
            self._best_weights = [weight.detach().clone() for weight in self._weights]
        else:
            self._without_gain += 1
            self.finished = self._without_gain >= self._patience

    @torch.no_grad()
    def restore(self) -> None:
        """Go back to the weights of the best validation."""
        for weight, best in zip(self._weights, self._best_weights, strict=True):
            weight.copy_(best)


def run_probes(
    encoder: ProbedEncoder,
    splits: Splits,
    classes: Mapping[str, int],
    config: ProbeConfig,
    title: str = "encoder",
) -> list[ProbeResult]:
    """Train and test a probe for each layer and task.

    Args:
        encoder: on the device of the examples.
        classes: number of classes by task.
        title: of the progress bar.
    """
    probes = [
        Probe(task, layer, number, encoder, config)
        for layer in range(len(encoder.layers))
        for task, number in classes.items()
    ]
    torch.manual_seed(place_seed(config.seed, "encoder"))  # for dropout of a learning encoder
    train, learning = splits["train"], probes
    epochs = range(config.max_epochs)
    for epoch in progress(epochs, f"probe {title}", unit="epochs"):
        if not learning:
            break
        for number in np.random.default_rng([config.seed, epoch]).permutation(len(train)):
            example = train[number]
            states, mask = encoder.states(example, training=True)
            for probe in learning:
                probe.update(states[probe.layer], mask, example.labels[probe.task])
        counts = _count(encoder, splits["valid"], learning)
        for probe, (right, counted) in zip(learning, counts, strict=True):
            probe.note(right.sum() / counted.sum())
        learning = [probe for probe in learning if not probe.finished]
    for probe in probes:
        probe.restore()
    counts = _count(encoder, splits["test"], probes)
    return [
        ProbeResult(probe.task, encoder.layers[probe.layer], right, counted)
        for probe, (right, counted) in zip(probes, counts, strict=True)
    ]


def _count(
    encoder: ProbedEncoder, examples: Sequence[Example], probes: Sequence[Probe]
) -> np.ndarray:
    """(probes, 2, N): correct predictions and labels of each sentence."""
    sentences = sum(len(example.rows) for example in examples)
    counts = np.zeros((len(probes), 2, sentences), dtype=np.int64)
    for example in examples:
        states, mask = encoder.states(example, training=False)
        for number, probe in enumerate(probes):
            both = probe.right(states[probe.layer], mask, example.labels[probe.task])
            counts[number][:, example.rows] = [part.cpu().numpy() for part in both]
    return counts
