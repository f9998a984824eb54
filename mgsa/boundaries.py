"""Phrase boundaries, told to MG-SA: in Hao et al. 2019 no word knows which phrase it is in."""

from collections.abc import Iterable
from dataclasses import replace

import torch
from torch import Tensor, nn

from mgsa.masks import Context


class PhraseGate(nn.Module):
    """p(the phrases of a sentence are its tree's), from its words and the flags beside them.

    Boundaries that belong to no tree are mostly found out by three words: `the | man`. Every
    position gives its evidence, and their mean is judged.
    """

    def __init__(self, dim: int) -> None:
        super().__init__()
        self.evidence = nn.Conv1d(dim, dim, kernel_size=3, padding=1)
        self.verdict = nn.Linear(dim, 1)

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        """x (B, S, D), mask (B, 1, 1, S) to logits (B,)."""
        known = mask[:, 0, 0, :, None].to(x.dtype)
        evidence = self.evidence((x * known).transpose(1, 2)).transpose(1, 2).relu() * known
        verdict: Tensor = self.verdict(evidence.sum(dim=1) / known.sum(dim=1).clamp(min=1))
        return verdict[:, 0]


class BoundaryFlags(nn.Module):
    """x plus, for each granularity, one of two learned vectors.

    One is for the first position of a phrase, the other for the positions inside. A gate scales
    them, and what attention takes from phrases, for each sentence.
    """

    def __init__(self, dim: int, granularities: Iterable[str], *, gated: bool) -> None:
        super().__init__()
        self.granularities = tuple(granularities)
        self.first, self.inside = (
            nn.Parameter(torch.empty(len(self.granularities), dim)) for _ in range(2)
        )
        # Embedded words have variance 1; flags that start much smaller are read later, and less.
        for vectors in (self.first, self.inside):
            nn.init.normal_(vectors, std=0.5)
        self.gate = PhraseGate(dim) if gated else None

    def forward(self, x: Tensor, context: Context) -> tuple[Tensor, Context, Tensor | None]:
        """x (B, S, D) to (B, S, D); the context with its gate; the gate's logits (B,)."""
        first = torch.stack([context.phrases[name].first for name in self.granularities], dim=-1)
        inside = self.inside.sum(dim=0)
        flags = inside + first.to(x.dtype) @ (self.first - self.inside)
        if self.gate is None:
            return x + flags, context, None
        assert context.mask is not None
        logits = self.gate(x + flags, context.mask)
        gate = logits.sigmoid()[:, None, None]
        return x + gate * flags, replace(context, gate=gate), logits
