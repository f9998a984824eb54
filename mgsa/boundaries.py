"""Phrase boundaries, told to MG-SA: in Hao et al. 2019 no word knows which phrase it is in."""

from collections.abc import Iterable

import torch
from torch import Tensor, nn

from mgsa.masks import Context


class BoundaryFlags(nn.Module):
    """x plus, for each granularity, one of two learned vectors.

    One is for the first position of a phrase, the other for the positions inside.
    """

    def __init__(self, dim: int, granularities: Iterable[str]) -> None:
        super().__init__()
        self.granularities = tuple(granularities)
        self.first, self.inside = (
            nn.Parameter(torch.empty(len(self.granularities), dim)) for _ in range(2)
        )
        # Embedded words have variance 1; flags that start much smaller are read later, and less.
        for vectors in (self.first, self.inside):
            nn.init.normal_(vectors, std=0.5)

    def forward(self, x: Tensor, context: Context) -> Tensor:
        """x (B, S, D) to (B, S, D)."""
        first = torch.stack([context.phrases[name].first for name in self.granularities], dim=-1)
        inside = self.inside.sum(dim=0)
        return x + inside + first.to(x.dtype) @ (self.first - self.inside)
