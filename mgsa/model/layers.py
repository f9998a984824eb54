"""Embeddings, residual connection, feed-forward network."""

import math
from collections.abc import Callable

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from mgsa.data.vocabulary import PAD
from mgsa.operators import Dropout, Linear


def make_embedding(vocabulary: int, dim: int) -> nn.Embedding:
    """Subword embeddings of variance 1 / D; √D times them have variance 1."""
    embedding = nn.Embedding(vocabulary, dim, padding_idx=PAD)
    nn.init.normal_(embedding.weight, std=dim**-0.5)
    with torch.no_grad():
        embedding.weight[PAD].zero_()
    return embedding


class Embedding(nn.Module):
    """Dropout(√D · subword vectors + positions) (Vaswani et al. 2017, sections 3.4, 3.5, 5.4)."""

    def __init__(self, subwords: nn.Embedding, *, dropout: float) -> None:
        super().__init__()
        self.subwords = subwords
        self.dropout = Dropout(dropout)

    def forward(self, ids: Tensor, *, start: int = 0) -> Tensor:
        """ids (B, T), from position `start` on, to (B, T, D)."""
        dim = self.subwords.embedding_dim
        vectors = self.subwords(ids) * math.sqrt(dim)
        positions = torch.arange(start, start + ids.shape[1], device=ids.device)
        return self.dropout(vectors + sinusoids(positions, dim).to(vectors.dtype))


class PlainEmbedding(Embedding):
    """Dropout(subword vectors), for recurrent networks."""

    def forward(self, ids: Tensor, *, start: int = 0) -> Tensor:  # noqa: ARG002
        """ids (B, T) to (B, T, D)."""
        return self.dropout(self.subwords(ids))


def sinusoids(positions: Tensor, dim: int) -> Tensor:
    """(…,) to (…, D): sines of position / 10000^(2i / D), i = 0 … D/2 − 1, then cosines.

    Vaswani et al. 2017, section 3.5, interleave them.
    """
    exponents = torch.arange(0, dim, 2, device=positions.device, dtype=torch.float32) / dim
    angles = positions[..., None] * torch.exp(exponents * -math.log(10000.0))
    return torch.cat([angles.sin(), angles.cos()], dim=-1)


class Residual(nn.Module):
    """x + dropout(f(x)) with a layer norm: `pre` norms the input of f, otherwise the sum."""

    def __init__(self, dim: int, *, dropout: float, pre: bool) -> None:
        super().__init__()
        self.norm: Callable[[Tensor], Tensor] = nn.LayerNorm(dim)
        self.dropout = Dropout(dropout)
        self.pre = pre

    def forward(self, x: Tensor, f: Callable[[Tensor], Tensor]) -> Tensor:
        """x (B, T, D) to (B, T, D)."""
        return self.after(x, f(self.before(x)))

    def before(self, x: Tensor) -> Tensor:
        """The input of f."""
        return self.norm(x) if self.pre else x

    def after(self, x: Tensor, y: Tensor) -> Tensor:
        """The output, given y = f(before(x))."""
        total = x + self.dropout(y)
        return total if self.pre else self.norm(total)


class FeedForward(nn.Module):
    """W₂ dropout(relu(W₁ x + b₁)) + b₂ (Vaswani et al. 2017, section 3.3, without dropout)."""

    def __init__(self, dim: int, ffn_dim: int, *, dropout: float) -> None:
        super().__init__()
        self.inner = Linear(dim, ffn_dim)
        self.outer = Linear(ffn_dim, dim)
        self.dropout = Dropout(dropout)
        for linear in (self.inner, self.outer):
            nn.init.xavier_uniform_(linear.weight)
            nn.init.zeros_(linear.bias)

    def forward(self, x: Tensor) -> Tensor:
        """x (B, T, D) to (B, T, D)."""
        return self.outer(self.dropout(F.relu(self.inner(x), inplace=True)))
