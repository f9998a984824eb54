"""The tag head: one linear map of each phrase."""

from __future__ import annotations

import torch

from mgsa.tags import TagHead


def test_logits_are_a_linear_map_of_each_phrase() -> None:
    torch.manual_seed(0)
    head = TagHead(4, 7).double()
    memory = torch.randn(2, 3, 4, dtype=torch.float64)
    logits = head(memory)
    weight, bias = head.parameters()
    for b in range(2):
        for m in range(3):
            torch.testing.assert_close(logits[b, m], weight @ memory[b, m] + bias)
