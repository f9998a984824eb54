"""Several models that translate together: the mean of their probabilities, word by word."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic

import torch
from torch import Tensor

from mgsa.decoding.beam import Scorer, StateT


@dataclass(frozen=True)
class EnsembleState(Generic[StateT]):
    """The state of each model."""

    states: tuple[StateT, ...]

    def reorder(self, index: Tensor) -> EnsembleState[StateT]:
        """The states of the rows `index`, (rows',)."""
        return EnsembleState(tuple(state.reorder(index) for state in self.states))


class Ensemble(Generic[StateT]):
    """One scorer of several with the same vocabulary."""

    def __init__(self, scorers: Sequence[Scorer[StateT]]) -> None:
        self.scorers = tuple(scorers)

    def step(
        self, state: EnsembleState[StateT], tokens: Tensor
    ) -> tuple[Tensor, EnsembleState[StateT]]:
        """Log of the mean probability (rows, V) of the next word."""
        log_probs, states = zip(
            *(
                scorer.step(inner, tokens)
                for scorer, inner in zip(self.scorers, state.states, strict=True)
            ),
            strict=True,
        )
        if len(log_probs) == 1:
            return log_probs[0], EnsembleState(states)
        mean = torch.stack(log_probs).logsumexp(dim=0) - math.log(len(log_probs))
        return mean, EnsembleState(states)
