"""Splitting into heads, their initialisation, and the output of an attention."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from torch import Tensor, nn
from torch.nn import functional as F


@dataclass(frozen=True)
class Attended:
    """The output of an attention."""

    output: Tensor
    #: if asked for, by what is attended to (`words`, or a granularity of MG-SA such as
    #: `syntactic_2`): (B, its heads, T, its positions). Of phrase attention by sizes:
    #: `ngram_1_to_ngram_2` is from words to bigrams, each at its last position.
    weights: dict[str, Tensor] = field(default_factory=dict)
    #: for each supervised granularity, (B, M, number of tags).
    tag_logits: dict[str, Tensor] = field(default_factory=dict)
    gate_logits: Tensor | None = None  #: (B,), if phrases have a gate.

    def by_rows(self, x: Tensor) -> Attended:
        """Undo the batching of a sentence's n rows: (B, n·T, D) to the shape of x (B·n, T, D)."""
        B, T = x.shape[:2]
        return Attended(
            self.output.reshape(B, T, -1),
            # (B, H, n·T, S) to (B·n, H, T, S)
            {
                name: weights.unflatten(2, (-1, T)).transpose(1, 2).flatten(0, 1)
                for name, weights in self.weights.items()
            },
        )


def split_heads(x: Tensor, heads: int) -> Tensor:
    """(B, T, H·K) to (B, H, T, K)."""
    split: Tensor = x.unflatten(-1, (heads, -1))
    return split.transpose(1, 2)


def join_heads(x: Tensor) -> Tensor:
    """(B, H, T, K) to (B, T, H·K)."""
    return x.transpose(1, 2).flatten(2)


def first_head(x: Tensor, projection: nn.Linear, width: int) -> Tensor:
    """x (B, T, D) to (B, 1, T, `width`): the first head's slice of the projection."""
    return F.linear(x, projection.weight[:width], projection.bias[:width])[:, None]


def init_projection(projection: nn.Linear, rows: int) -> None:
    """Xavier initialisation as a slice of a matrix of `rows` rows; zero bias.

    Queries, keys and values are initialised as one (3D, D) matrix, as in fairseq.
    """
    bound = math.sqrt(6 / (rows + projection.in_features))
    nn.init.uniform_(projection.weight, -bound, bound)
    nn.init.zeros_(projection.bias)
