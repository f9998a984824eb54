"""A batch of source sentences through models, one or several, and beam search."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from mgsa.config import TranslateConfig
from mgsa.data.batch import Batch
from mgsa.decoding.beam import Hypothesis, Scorer, SearchOptions, beam_search
from mgsa.model.encoder_decoder import EncoderDecoder


@torch.inference_mode()
def search_batch(
    models: Sequence[EncoderDecoder],
    batches: Sequence[Batch],
    config: TranslateConfig,
    *,
    n_best: int = 1,
    prefixes: Sequence[Sequence[int]] | None = None,
    need_weights: bool = False,
) -> list[list[Hypothesis]]:
    """The `n_best` translations of each sentence, best first.

    Args:
        models: in evaluation mode; several translate together.
        batches: the sentences as each model needs them, on its device. Targets are ignored.
        prefixes: target words with which each translation has to begin.
        need_weights: whether `Hypothesis.seen` is to hold the weights of cross-attention: for
            each layer and what it attends to, (T, H, S), padding included. Of one model only.
    """
    assert len(models) == len(batches)
    assert len(models) == 1 or not need_weights
    lengths = batches[0].source_lengths.cpu().numpy() - 1  # end of sentence not counted
    longest = (config.max_length_ratio * lengths).astype(int) + config.max_length_extra
    if prefixes is not None:
        longest = longest.clip(min=[len(prefix) for prefix in prefixes])
    states = tuple(
        model.start(
            model.encode(batch), max_length=int(longest.max()) + 1, need_weights=need_weights
        )
        for model, batch in zip(models, batches, strict=True)
    )
    return beam_search(
        Ensemble(models),
        EnsembleState(states),
        options=SearchOptions(config.beam, n_best, config.length_penalty),
        longest=longest.tolist(),
        device=batches[0].source.device,
        prefixes=prefixes,
        see=_cross_weights if need_weights else None,
    )


@dataclass(frozen=True)
class EnsembleState:
    """The state of each model."""

    states: tuple[Any, ...]

    def reorder(self, index: Tensor) -> EnsembleState:
        """The states of the rows `index`, (rows',)."""
        return EnsembleState(tuple(state.reorder(index) for state in self.states))


class Ensemble:
    """Several models with one vocabulary as one scorer: the mean of their probabilities."""

    def __init__(self, scorers: Sequence[Scorer]) -> None:
        self.scorers = tuple(scorers)

    def step(self, state: EnsembleState, tokens: Tensor) -> tuple[Tensor, EnsembleState]:
        """Log of the mean probability (rows, V) of the next word."""
        pairs = zip(self.scorers, state.states, strict=True)
        log_probs, states = zip(*(s.step(inner, tokens) for s, inner in pairs), strict=True)
        if len(log_probs) == 1:
            return log_probs[0], EnsembleState(states)
        mean = torch.stack(log_probs).logsumexp(dim=0) - math.log(len(log_probs))
        return mean, EnsembleState(states)


def _cross_weights(state: EnsembleState) -> dict[str, Tensor]:
    """(rows, H, S) of the last step, by layer and what it attended to."""
    (alone,) = state.states
    return {
        f"layer_{number}.{name}": weights[:, :, 0]
        for number, layer in enumerate(alone.weights, start=1)
        for name, weights in layer.items()
    }
