"""Word alignments out of a decoder's cross-attention (Garg et al. 2019, section 4).

Layer average (4.1): of an ordinary model, the mean over the heads of a layer; the last but one is
best. Supervised (4.2, 4.3): one head of that layer is trained to alignments. Position t of the
decoder predicts the target word t without having read it; in a second pass without the causal mask
(full context) it reads all of the target but the last word's own position.
"""

from __future__ import annotations

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
    """

    layer: int
    full_context: bool


def layer_average(weights: Mapping[str, Tensor]) -> Tensor:
    """A layer's cross-attention weights to (B, T, S): the mean over the heads that see words.

    Of heads that see n-grams too it is the part that goes to words, which adds up to less than 1.

    Raises:
        ValueError: no head sees words.
    """
    found = [weights[name] for name in OF_WORDS if name in weights]
    if not found:
        raise ValueError(f"expected weights of words, got {', '.join(weights)}")
    return torch.cat(found, dim=1).mean(dim=1)
