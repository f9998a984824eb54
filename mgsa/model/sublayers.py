"""What stands in and around a Transformer's sub-layers, whatever they attend to."""

from __future__ import annotations

from torch import Tensor, nn
from torch.nn import functional as F


class Residual(nn.Module):
    """What stands around a sub-layer f: x + dropout(f(x)), with a layer norm.

    `pre` norms what goes into f, `post` the sum.
    """

    def __init__(self, dim: int, *, dropout: float, pre: bool) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(dim)
        self.dropout = nn.Dropout(dropout)
        self.pre = pre

    def before(self, x: Tensor) -> Tensor:
        """What f is given."""
        return self.norm(x) if self.pre else x

    def after(self, x: Tensor, y: Tensor) -> Tensor:
        """What comes of x and y = f(before(x))."""
        total = x + self.dropout(y)
        return total if self.pre else self.norm(total)


class FeedForward(nn.Module):
    """W₂ dropout(relu(W₁ x + b₁)) + b₂ (section 3.3)."""

    def __init__(self, dim: int, ffn_dim: int, *, dropout: float) -> None:
        super().__init__()
        self.inner = nn.Linear(dim, ffn_dim)
        self.outer = nn.Linear(ffn_dim, dim)
        self.dropout = nn.Dropout(dropout)
        for linear in (self.inner, self.outer):
            nn.init.xavier_uniform_(linear.weight)
            nn.init.zeros_(linear.bias)

    def forward(self, x: Tensor) -> Tensor:
        """x (B, T, D) to (B, T, D)."""
        return self.outer(self.dropout(F.relu(self.inner(x), inplace=True)))
