"""The gradients of a layer against those of its reference."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor


def assert_same_gradients(ours: Tensor, theirs: Tensor, inputs: Sequence[Tensor]) -> None:
    """Two scalars that should be one, and their gradients."""
    torch.testing.assert_close(ours, theirs)
    gradients = torch.autograd.grad(ours, inputs, retain_graph=True)
    for got, wanted in zip(gradients, torch.autograd.grad(theirs, inputs), strict=True):
        torch.testing.assert_close(got, wanted)
