"""Tag supervision (Hao et al. 2019, section 3.2): phrases predict their tags."""

from __future__ import annotations

from torch import Tensor, nn


class TagHead(nn.Module):
    """p(tag of phrase m) = softmax(W g_m + b), g_m as composed, before interaction."""

    def __init__(self, dim: int, num_tags: int) -> None:
        super().__init__()
        self.output = nn.Linear(dim, num_tags)
        nn.init.xavier_uniform_(self.output.weight)
        nn.init.zeros_(self.output.bias)

    def forward(self, memory: Tensor) -> Tensor:
        """memory (B, M, D) to logits (B, M, number of tags)."""
        return self.output(memory)
