"""One task asked of one layer: a classifier, its optimizer, and the best weights so far."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from mgsa.probing.classifier import Classifier, labelled
from mgsa.training.schedule import learning_rate


class Probe:
    """A classifier that learns, alone or together with its encoder, until it gets no better.

    Attributes:
        task: what it tells.
        layer: which of the encoder's layers it looks at, as a place among `encoder.layers`.
    """

    def __init__(
        self,
        task: str,
        layer: int,
        classifier: Classifier,
        encoder: list[nn.Parameter],
        *,
        peak: float,
        warmup: int,
        patience: int,
        generator: torch.Generator,
    ) -> None:
        """A probe that has not learned yet.

        Args:
            encoder: its encoder's weights, if it learns too.
            peak, warmup: the learning rate, and in how many updates it is reached.
            patience: epochs in a row without a higher accuracy after which it is finished.
            generator: its own, so that it learns the same whatever others learn beside it.
        """
        self.task, self.layer = task, layer
        self.classifier = classifier
        self._generator = generator
        self._weights = [*encoder, *classifier.parameters()]
        self._optimizer = torch.optim.Adam(self._weights, lr=peak, fused=True)
        self._peak, self._warmup, self._patience = peak, warmup, patience
        self._updates = self._without_gain = 0
        self._best = -1.0
        self._best_weights: list[Tensor] = []

    @property
    def finished(self) -> bool:
        """Whether it learns no more."""
        return self._without_gain >= self._patience

    def update(self, states: Tensor, mask: Tensor, labels: Tensor) -> None:
        """One step of Adam on a batch, as `labelled` takes it; none where nothing has a label."""
        vectors, classes, _ = labelled(states, mask, labels)
        if not len(classes):
            return
        self._updates += 1
        rate = learning_rate(self._updates, peak=self._peak, warmup=self._warmup, decay="none")
        self._optimizer.param_groups[0]["lr"] = rate
        self._optimizer.zero_grad()
        F.cross_entropy(self.classifier(vectors, generator=self._generator), classes).backward()
        self._optimizer.step()

    @torch.no_grad()
    def right(self, states: Tensor, mask: Tensor, labels: Tensor) -> tuple[Tensor, Tensor]:
        """(B,) how many labels of each sentence it tells, and of how many."""
        vectors, classes, sentences = labelled(states, mask, labels)
        told = self.classifier(vectors).argmax(dim=-1) == classes
        right, counted = (
            torch.bincount(of, minlength=len(labels)) for of in (sentences[told], sentences)
        )
        return right, counted

    def note(self, accuracy: float) -> None:
        """Take notice of the accuracy after an epoch, and remember the weights if it is the best.

        Of epochs that are alike good, the first is taken.
        """
        if accuracy > self._best:
            self._best, self._without_gain = accuracy, 0
            self._best_weights = [weight.detach().clone() for weight in self._weights]
        else:
            self._without_gain += 1

    @torch.no_grad()
    def restore(self) -> None:
        """Take the best weights."""
        for weight, best in zip(self._weights, self._best_weights, strict=True):
            weight.copy_(best)
