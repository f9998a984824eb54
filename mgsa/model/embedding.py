"""Embeddings of subwords: with sinusoidal positions (Vaswani et al. 2017, sections 3.4 and 3.5), or
without, where a recurrence knows the order.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn

from mgsa.data.vocabulary import PAD


def make_embedding(vocabulary: int, dim: int) -> nn.Embedding:
    """A table of subword vectors, of length about 1 so that √D times them have length √D."""
    embedding = nn.Embedding(vocabulary, dim, padding_idx=PAD)
    nn.init.normal_(embedding.weight, std=dim**-0.5)
    with torch.no_grad():
        embedding.weight[PAD].zero_()
    return embedding


class Embedding(nn.Module):
    """Dropout(√D · subword vectors + positions)."""

    def __init__(self, subwords: nn.Embedding, *, dropout: float) -> None:
        super().__init__()
        self.subwords = subwords
        self.dropout = nn.Dropout(dropout)

    def forward(self, ids: Tensor, *, start: int = 0) -> Tensor:
        """ids (B, T), the first of which is at position `start`, to (B, T, D)."""
        dim = self.subwords.embedding_dim
        vectors = self.subwords(ids) * math.sqrt(dim)
        positions = sinusoids(start, ids.shape[1], dim, ids.device)
        return self.dropout(vectors + positions.to(vectors.dtype))


class PlainEmbedding(nn.Module):
    """Dropout(subword vectors)."""

    def __init__(self, subwords: nn.Embedding, *, dropout: float) -> None:
        super().__init__()
        self.subwords = subwords
        self.dropout = nn.Dropout(dropout)

    def forward(self, ids: Tensor, *, start: int = 0) -> Tensor:  # noqa: ARG002
        """ids (B, T), wherever the first of them stands, to (B, T, D)."""
        return self.dropout(self.subwords(ids))


def sinusoids(start: int, length: int, dim: int, device: torch.device) -> Tensor:
    """(T, D): the sines of position / 10000^(2i / D) for i = 0 … D/2 − 1, then the cosines."""
    positions = torch.arange(start, start + length, device=device, dtype=torch.float32)
    exponents = torch.arange(0, dim, 2, device=device, dtype=torch.float32) / dim
    angles = positions[:, None] * torch.exp(exponents * -math.log(10000.0))
    return torch.cat([angles.sin(), angles.cos()], dim=-1)
