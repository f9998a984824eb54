"""Keys and values kept between steps: one position at a time gives what all at once do."""

from __future__ import annotations

import pytest
import torch

from mgsa.attention.word import WordSelfAttention
from mgsa.masks import Context

D, HEADS = 8, 2


@pytest.mark.parametrize("steps", [1, 16, 17, 35], ids=lambda n: f"{n} positions")
def test_steps_give_what_all_positions_at_once_do(steps: int) -> None:
    torch.manual_seed(0)
    layer = WordSelfAttention(D, HEADS, dropout=0.0).double()
    x = torch.randn(3, steps, D, dtype=torch.float64)
    cache = layer.start(max_length=steps)
    given = [layer.step(x[:, t : t + 1], cache) for t in range(steps)]
    expected = layer(x, Context(mask=None, causal=True)).output
    torch.testing.assert_close(torch.cat(given, dim=1), expected)
