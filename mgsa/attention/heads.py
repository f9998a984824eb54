"""Heads of an attention: vectors cut into slices, one a head; and an attention's output."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from torch import Tensor, nn
from torch.nn import functional as F


@dataclass(frozen=True)
class Attended:
    """The output of an attention.

    Attributes:
        output: (B, T, D).
        weights: if asked for, by the name of what was attended to (`words`, or a granularity of
            MG-SA such as `syntactic_2`): (B, heads of it, T, positions of it). Phrase attention
            tells queries apart too: `ngram_1_to_ngram_2` is from words to bigrams, the windows of
            two positions that end at each.
        tag_logits: for each supervised granularity, (B, M, number of tags).
    """

    output: Tensor
    weights: dict[str, Tensor] = field(default_factory=dict)
    tag_logits: dict[str, Tensor] = field(default_factory=dict)

    def by_rows(self, x: Tensor) -> Attended:
        """The output for B sentences with n rows each, (B, n·T, D), as that of x (B·n, T, D)."""
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
    return x.unflatten(-1, (heads, -1)).transpose(1, 2)


def join_heads(x: Tensor) -> Tensor:
    """(B, H, T, K) to (B, T, H·K)."""
    return x.transpose(1, 2).flatten(2)


def first_head(x: Tensor, projection: nn.Linear, width: int) -> Tensor:
    """x (B, T, D) to (B, 1, T, `width`): the projection's slice of the first head alone."""
    return F.linear(x, projection.weight[:width], projection.bias[:width])[:, None]


def init_projection(projection: nn.Linear, rows: int) -> None:
    """Xavier initialisation of a slice of a matrix of `rows` rows; zero bias.

    Queries, keys and values are rows of one (3D, D) matrix, as in fairseq, however the modules cut
    it: a slice is drawn from the range that the whole would have.
    """
    bound = math.sqrt(6 / (rows + projection.in_features))
    nn.init.uniform_(projection.weight, -bound, bound)
    nn.init.zeros_(projection.bias)
