"""Word alignments out of a decoder's cross-attention (Garg et al. 2019, section 4).

Layer average (4.1): of an ordinary model, the mean over the heads of a layer; the last but one is
best. Supervised (4.2, 4.3): one head of that layer is trained to alignments. Position t of the
decoder predicts the target word t without having read it; in a second pass without the causal mask
(full context) it reads the whole target, the word that it aligns too.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import torch
from torch import Tensor

from mgsa.attention.word import WORDS

OF_WORDS = (WORDS, "ngram_1_to_ngram_1")
"""Names of weights (`Attended.weights`) that words of the target give words of the source."""


@dataclass(frozen=True)
class AlignmentHead:
    """The head that is trained: of the decoder layer `layer`, the first one over words.

    Attributes:
        layer: counted from 1.
        full_context: whether its distribution is that of a pass without the causal mask.
        sentences: the share of a batch that goes through that pass in training.
    """

    layer: int
    full_context: bool
    sentences: float

    def draw(self, num_sentences: int, device: torch.device) -> Tensor | None:
        """(B',) the sentences of a batch that are aligned in training; `None`: all of them."""
        if self.sentences == 1:
            return None
        count = math.ceil(self.sentences * num_sentences)
        return torch.randperm(num_sentences, device=device)[:count]


@dataclass(frozen=True)
class HeadAlignment:
    """The alignment head's distribution for a batch, or for some of its sentences.

    Attributes:
        log_weights: (B', T, S) log a, of the word that each target position predicts over the
            source positions; a adds up to 1 over the source.
        places: (B,) the index in `log_weights` of each sentence of the batch, −1: it has none;
            `None`: all are there, in their order.
    """

    log_weights: Tensor
    places: Tensor | None


def layer_average(weights: Mapping[str, Tensor]) -> Tensor:
    """A layer's cross-attention weights to (B, T, S): the mean over the heads that see words.

    Of heads that see n-grams too it is the part that goes to words, which adds up to less than 1.
    """
    of_words = [weights[name] for name in OF_WORDS if name in weights]
    return torch.cat(of_words, dim=1).mean(dim=1)
