"""Word alignments from a decoder's cross-attention (Garg et al. 2019, section 4).

Layer average (4.1): the mean over the heads of a layer; the penultimate is best. Supervised (4.2,
4.3): one head of that layer is trained on alignments. With full context, it is read in a second
pass without the causal mask, in which the decoder sees the aligned target word too.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass

import torch
from torch import Tensor

from mgsa.attention.word import WORDS

OF_WORDS = (WORDS, "ngram_1_to_ngram_1")
"""Names in `Attended.weights` of weights from target words to source words."""


@dataclass(frozen=True)
class AlignmentHead:
    """The supervised head; attributes as in `mgsa.config.AlignmentConfig`."""

    layer: int
    full_context: bool
    sentences: float

    def draw(self, num_sentences: int, device: torch.device) -> Tensor | None:
        """(B',) random sentences of a batch for the pass in training; `None`: all."""
        if self.sentences == 1:
            return None
        count = math.ceil(self.sentences * num_sentences)
        return torch.randperm(num_sentences, device=device)[:count]


@dataclass(frozen=True)
class HeadAlignment:
    """The alignment head's distribution for a batch, or for some of its sentences."""

    #: (B', T, S) log probabilities over source positions, for the word that each target position
    #: predicts.
    log_weights: Tensor
    #: (B,) each sentence's index in `log_weights`, −1 for none; `None`: the identity.
    places: Tensor | None


def layer_average(weights: Mapping[str, Tensor]) -> Tensor:
    """A layer's cross-attention weights to (B, T, S): the mean over the heads that see words.

    Weights to longer n-grams under the same softmax are left out, so sums may be less than 1.
    """
    of_words = [weights[name] for name in OF_WORDS if name in weights]
    return torch.cat(of_words, dim=1).mean(dim=1)
