"""A model that computes all target positions anew for every word: what a cache must agree with."""

from __future__ import annotations

from dataclasses import dataclass, replace

import torch
from torch import Tensor

from mgsa.model.encoder_decoder import EncoderDecoder, EncoderOutput


@dataclass(frozen=True)
class UncachedState:
    """The encoder's output and the words so far, (rows, T), of each row."""

    encoded: EncoderOutput
    tokens: Tensor

    def reorder(self, index: Tensor) -> UncachedState:
        encoded = replace(
            self.encoded, states=self.encoded.states[index], mask=self.encoded.mask[index]
        )
        return UncachedState(encoded, self.tokens[index])


class Uncached:
    """Scores as `model` does, through `decode` and not through `step`."""

    def __init__(self, model: EncoderDecoder) -> None:
        self.model = model

    def start(self, encoded: EncoderOutput) -> UncachedState:
        nothing = torch.zeros(len(encoded.states), 0, dtype=torch.long).to(encoded.states.device)
        return UncachedState(encoded, nothing)

    def step(self, state: UncachedState, tokens: Tensor) -> tuple[Tensor, UncachedState]:
        said = torch.cat([state.tokens, tokens[:, None]], dim=1)
        logits = self.model.decode(state.encoded, said).logits
        return logits[:, -1].log_softmax(dim=-1), UncachedState(state.encoded, said)
